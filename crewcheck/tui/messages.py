"""What workers and widgets tell the screen."""

from __future__ import annotations

from textual.message import Message

from crewcheck.engine.runs import Found
from crewcheck.engine.selection import Match
from crewcheck.engine.verify import Finding
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Forest
from crewcheck.model.scan import Checkpoint
from crewcheck.tui.compared import Compared
from crewcheck.tui.rows import Rows
from crewcheck.tui.runs import News, Run
from crewcheck.tui.session import Loaded, Session


class StoreOpened(Message):
    """The store is open: its checkpoints are known by their names, and in order."""

    def __init__(self, session: Session, forest: Forest) -> None:
        super().__init__()
        self.session = session
        self.forest = forest


class StoreFailed(Message):
    """The store cannot be opened, or not any more."""

    def __init__(self, error: CrewcheckError) -> None:
        super().__init__()
        self.error = error


class Verified(Message):
    """All of the store has been read: what was found in how many checkpoints."""

    def __init__(self, findings: list[Finding], count: int) -> None:
        super().__init__()
        self.findings = findings
        self.count = count


class StoreMoved(Message):
    """There is, perhaps, another store to be opened than before."""


class StoreRefreshed(Message):
    """The store has been looked at again; ``said`` is what has changed, in a few words."""

    def __init__(self, forest: Forest, said: str = "", quiet: bool = False) -> None:
        super().__init__()
        self.forest = forest
        self.said = said
        #: nobody asked for it
        self.quiet = quiet


class SummariesRead(Message):
    """Some summaries came in; ``forest`` is a new one where they changed the lineage."""

    def __init__(self, left: int, forest: Forest | None) -> None:
        super().__init__()
        self.left = left
        self.forest = forest


class Filtered(Message):
    """A filter has been worked out; ``match`` is None where it asks for nothing.

    ``problem`` says what of it is no question; nothing fits then.
    """

    #: the rows of the match, worked out already
    rows: Rows | None = None

    def __init__(self, query: str, forest: Forest, match: Match | None, problem: str = "") -> None:
        super().__init__()
        self.problem = problem
        self.query = query
        self.forest = forest
        self.match = match


class DocumentRead(Message):
    """A document has been read and laid out."""

    def __init__(self, checkpoint: Checkpoint, loaded: Loaded) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        self.loaded = loaded


class ComparisonRead(Message):
    """Two checkpoints have been read and compared."""

    def __init__(self, compared: Compared) -> None:
        super().__init__()
        self.compared = compared


class WholeRead(Message):
    """All of a document has been read."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__()
        self.checkpoint = checkpoint


class ClassesRead(Message):
    """The project's flow classes are others than they were."""


class MoreRead(Message):
    """Texts or events of a big document have come, or ``problem`` says why not."""

    def __init__(self, loaded: Loaded, problem: str = "") -> None:
        super().__init__()
        self.loaded = loaded
        self.problem = problem


class RunsFound(Message):
    """There are runs of this store that the app did not know of."""

    def __init__(self, runs: list[tuple[Found, Run]], first: bool) -> None:
        super().__init__()
        self.runs = runs
        self.first = first


class RunHeard(Message):
    """A run has gone on."""

    def __init__(self, run: Run, news: News) -> None:
        super().__init__()
        self.run = run
        self.news = news


class OrderFailed(Message):
    """A run could not be cancelled or answered."""

    def __init__(self, said: str) -> None:
        super().__init__()
        self.said = said


class RunStarted(Message):
    """A run that was started here can be followed."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run
