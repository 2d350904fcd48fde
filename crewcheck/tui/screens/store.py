"""A screen over a store: the workers that read it. They compute, and say so by messages."""

from __future__ import annotations

from collections.abc import Callable

from textual import work
from textual.timer import Timer
from textual.worker import get_current_worker

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.cut import Cut
from crewcheck.engine.documents import Gone
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.selection import parse, search
from crewcheck.engine.verify import verify
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Forest, Node
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.model.scan import Checkpoint
from crewcheck.tui.compared import unexpected
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.messages import (
    ClassesRead,
    DocumentRead,
    Filtered,
    MoreRead,
    StoreFailed,
    StoreOpened,
    StoreRefreshed,
    SummariesRead,
    Verified,
    WholeRead,
)
from crewcheck.tui.pages.checks import finding_blocks
from crewcheck.tui.rows import Rows
from crewcheck.tui.screens.dialogs import AskScreen
from crewcheck.tui.screens.modal import Calm
from crewcheck.tui.session import Clock, Loaded, Session


class StoreScreen(Calm[None]):
    """Reads on other threads only; what has been read arrives as messages."""

    glyphs: Glyphs

    def __init__(self, location: str | None, redactor: Redactor, now: Clock) -> None:
        super().__init__()
        self.location = location
        self.redactor = redactor
        self.now = now
        self.session: Session | None = None
        self.forest: Forest | None = None
        self._settle: Timer | None = None
        #: the cursor has moved, and what it is on is not shown yet
        self._look_due = False

    def on_unmount(self) -> None:
        if self.session is not None:
            self.session.close()

    @property
    def busy(self) -> bool:
        """Whether something is still being read or about to be; following does not count."""
        return (
            self._look_due
            or self._settle is not None
            or any(
                not one.is_finished and one.group not in ("follow", "live") for one in self.workers
            )
        )

    @work(thread=True, exclusive=True, group="store", exit_on_error=False)
    def open_store(self) -> None:
        try:
            session = Session(self.location, self.redactor, self.now)
        except CrewcheckError as error:
            self.post_message(StoreFailed(error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(StoreFailed(unexpected(error)))
        else:
            self.post_message(StoreOpened(session, session.forest))
            self._complete(session)

    def _complete(self, session: Session) -> None:
        """What the names do not tell: sizes, and which of one second comes first."""
        try:
            session.complete()
        except CrewcheckError as error:
            self.post_message(StoreFailed(error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(StoreFailed(unexpected(error)))
        else:
            self.post_message(StoreRefreshed(session.forest, quiet=True))

    @work(thread=True, exclusive=True, group="store", exit_on_error=False)
    def refresh_store(self, session: Session, quiet: bool = False) -> None:
        before = session.forest
        try:
            session.refresh()
        except CrewcheckError as error:
            self.post_message(StoreFailed(error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(StoreFailed(unexpected(error)))
        else:
            said = "" if quiet else difference(before, session.forest)
            self.post_message(StoreRefreshed(session.forest, said, quiet))

    def action_verify(self) -> None:
        if self.session is not None:
            self.notify("Reading the whole store…", timeout=3, markup=False)
            self.verify_store(self.session.location)

    @work(thread=True, exclusive=True, group="verify", exit_on_error=False)
    def verify_store(self, location: str) -> None:
        """Read all of it, beside the session: its own catalog, nobody waits for it."""
        worker = get_current_worker()

        def tick() -> None:
            if worker.is_cancelled:
                raise CrewcheckError("not wanted any more")

        try:
            with open_catalog(location) as catalog:
                findings = verify(catalog, None, tick)
                count = len(catalog.checkpoints)
        except CrewcheckError as error:
            if not worker.is_cancelled:
                self.notify(one_line(str(error), 300), severity="error", markup=False)
        except Exception as error:  # whatever it is, a person must be told
            self.notify(one_line(unexpected(error).message, 300), severity="error", markup=False)
        else:
            self.post_message(Verified(findings, count))

    def on_verified(self, message: Verified) -> None:
        def shown(text: str) -> str:
            return harmless_name(self.redactor.text(text))

        blocks = finding_blocks(message.findings, message.count, self.glyphs, shown)
        self.app.push_screen(AskScreen("Checks of the store", blocks, [("", "Close  esc")]))

    @work(thread=True, exclusive=True, group="summaries", exit_on_error=False)
    def read_summaries(self, session: Session) -> None:
        worker = get_current_worker()
        try:
            for left, _came, renewed in session.read_summaries(lambda: worker.is_cancelled):
                if worker.is_cancelled:
                    return
                self.post_message(SummariesRead(left, session.forest if renewed else None))
        except Exception as error:  # whatever it is, a person must be told
            if not worker.is_cancelled:
                self.post_message(SummariesRead(0, session.forest))
                said = one_line(unexpected(error).message, 300)
                self.notify(said, severity="error", markup=False)

    @work(thread=True, exclusive=True, group="filter", exit_on_error=False)
    def find(self, forest: Forest, query: str) -> None:
        worker = get_current_worker()
        selection = parse(query, self.now())
        match = search(forest, selection, lambda: worker.is_cancelled)
        found = Filtered(query, forest, match, selection.problem)
        found.rows = Rows(forest, only=match.shown) if match is not None else None
        if not worker.is_cancelled:
            self.post_message(found)

    @work(thread=True, exclusive=True, group="document", exit_on_error=False)
    def read_document(self, session: Session, node: Node, ahead: list[Node]) -> None:
        worker = get_current_worker()
        loaded = session.load(node.checkpoint)
        if worker.is_cancelled or loaded is None:
            return
        self.post_message(DocumentRead(node.checkpoint, loaded))
        session.read_ahead((one.checkpoint for one in ahead), lambda: worker.is_cancelled)

    @work(thread=True, exclusive=True, group="whole", exit_on_error=False)
    def read_whole(self, session: Session, node: Node) -> None:
        worker = get_current_worker()
        session.load_whole(node.checkpoint, lambda: worker.is_cancelled or session.closed)
        if not worker.is_cancelled:
            self.post_message(WholeRead(node.checkpoint))

    @work(thread=True, exclusive=True, group="classes", exit_on_error=False)
    def read_class(self, session: Session, name: str) -> None:
        """Look at the project's text for what a flow can do."""
        if session.graphs.read_class(name) and not session.closed:
            self.post_message(ClassesRead())

    @work(thread=True, exclusive=True, group="texts", exit_on_error=False)
    def fetch_texts(
        self, session: Session, checkpoint: Checkpoint, loaded: Loaded, cuts: list[Cut]
    ) -> None:
        """Get the whole of texts that came cut."""
        self._fetch(loaded, lambda: session.fetch(checkpoint, loaded, cuts))

    @work(thread=True, group="events", exit_on_error=False)
    def fetch_events(
        self, session: Session, checkpoint: Checkpoint, loaded: Loaded, page: int
    ) -> None:
        """Get a page of a big document's events."""
        self._fetch(loaded, lambda: session.fetch_events(checkpoint, loaded, page))

    def _fetch(self, loaded: Loaded, get: Callable[[], bool]) -> None:
        problem = ""
        try:
            if not get():
                return
        except Gone:
            return
        except CrewcheckError as error:
            problem = str(error)
        except Exception as error:  # whatever it is, a person must be told
            problem = str(unexpected(error))
        self.post_message(MoreRead(loaded, problem))


def difference(before: Forest, after: Forest) -> str:
    """What a refresh has brought, in a few words."""
    old, new = ({node.checkpoint.key for node in forest.order} for forest in (before, after))
    came, gone = len(new - old), len(old - new)
    if not came and not gone:
        return "Nothing has changed"
    parts = [f"{came:,} new"] if came else []
    parts += [f"{gone:,} gone"] if gone else []
    return "Refreshed: " + ", ".join(parts)
