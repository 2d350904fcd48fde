"""A screen over a store: the workers that read it. They compute, and say so by messages."""

from __future__ import annotations

from textual import work
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import get_current_worker

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.selection import parse, search
from crewcheck.engine.verify import verify
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Forest, Node
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.tui.compared import unexpected
from crewcheck.tui.glyphs import Glyphs
from crewcheck.tui.messages import (
    DocumentRead,
    Filtered,
    StoreFailed,
    StoreOpened,
    StoreRefreshed,
    SummariesRead,
    Verified,
    WholeRead,
)
from crewcheck.tui.pages.checks import finding_blocks
from crewcheck.tui.screens.dialogs import AskScreen
from crewcheck.tui.session import Clock, Session


class StoreScreen(Screen[None]):
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

    def on_unmount(self) -> None:
        if self.session is not None:
            self.session.close()

    @property
    def busy(self) -> bool:
        """Whether something is still being read or about to be; runs are followed beside it."""
        return self._settle is not None or any(
            not one.is_finished and one.group != "follow" for one in self.workers
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

    @work(thread=True, exclusive=True, group="store", exit_on_error=False)
    def refresh_store(self, session: Session, quiet: bool = False) -> None:
        try:
            changed = session.refresh()
        except CrewcheckError as error:
            self.post_message(StoreFailed(error))
        except Exception as error:  # whatever it is, a person must be told
            self.post_message(StoreFailed(unexpected(error)))
        else:
            self.post_message(StoreRefreshed(session.forest, changed, quiet))

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
        if not worker.is_cancelled:
            self.post_message(Filtered(query, forest, match, selection.problem))

    @work(thread=True, exclusive=True, group="document", exit_on_error=False)
    def read_document(self, session: Session, node: Node, ahead: list[Node]) -> None:
        worker = get_current_worker()
        loaded = session.load(node.checkpoint)
        if worker.is_cancelled:
            return
        self.post_message(DocumentRead(node.checkpoint, loaded))
        session.read_ahead((one.checkpoint for one in ahead), lambda: worker.is_cancelled)

    @work(thread=True, exclusive=True, group="whole", exit_on_error=False)
    def read_whole(self, session: Session, node: Node) -> None:
        worker = get_current_worker()
        if not worker.is_cancelled:
            session.load_whole(node.checkpoint)
        if not worker.is_cancelled:
            self.post_message(WholeRead(node.checkpoint))


def difference(before: Forest | None, after: Forest) -> str:
    """What a refresh has brought, in a few words."""
    old = set(before.by_key) if before is not None else set()
    new = set(after.by_key)
    came, gone = len(new - old), len(old - new)
    if not came and not gone:
        return "Nothing has changed"
    parts = [f"{came:,} new"] if came else []
    parts += [f"{gone:,} gone"] if gone else []
    return "Refreshed: " + ", ".join(parts)
