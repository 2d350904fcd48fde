"""What workers and widgets tell the screen."""

from __future__ import annotations

from textual.message import Message

from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Forest
from crewcheck.model.scan import Checkpoint
from crewcheck.tui.query import Match
from crewcheck.tui.session import Loaded, Session


class StoreOpened(Message):
    """The store is open, its headers are in order."""

    def __init__(self, session: Session, forest: Forest) -> None:
        super().__init__()
        self.session = session
        self.forest = forest


class StoreFailed(Message):
    """The store cannot be opened, or not any more."""

    def __init__(self, error: CrewcheckError) -> None:
        super().__init__()
        self.error = error


class StoreRefreshed(Message):
    """The store has been looked at again."""

    def __init__(self, forest: Forest, changed: bool) -> None:
        super().__init__()
        self.forest = forest
        self.changed = changed


class SummariesRead(Message):
    """Some summaries came in; ``forest`` is a new one where they changed the lineage."""

    def __init__(self, left: int, forest: Forest | None) -> None:
        super().__init__()
        self.left = left
        self.forest = forest


class Filtered(Message):
    """A filter has been worked out; ``match`` is None where it asks for nothing."""

    def __init__(self, query: str, forest: Forest, match: Match | None) -> None:
        super().__init__()
        self.query = query
        self.forest = forest
        self.match = match


class DocumentRead(Message):
    """A document has been read and laid out."""

    def __init__(self, checkpoint: Checkpoint, loaded: Loaded) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        self.loaded = loaded
