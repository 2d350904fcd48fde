"""An open store as the app's workers use it. Nothing here may run on the UI thread.

The catalog belongs to whoever holds the lock: the worker that opens and refreshes, or
the one that reads summaries. The UI thread sees finished forests and looks at their
checkpoints; a summary that comes in meanwhile is set in one step.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.following import Follower, look, moved
from crewcheck.engine.inspect import Info, inspect
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.watching import ANYWHERE, Where
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Forest
from crewcheck.model.collecting import no_collecting
from crewcheck.model.scan import Checkpoint

#: After so much work at a stretch a background worker lets the UI have the interpreter.
STRETCH_SECONDS = 0.004
#: What the cache of documents may hold, by their sizes in the store.
CACHE_BYTES = 48_000_000
CACHE_ENTRIES = 24
#: Bigger documents are not read ahead.
AHEAD_BYTES = 1_000_000
#: So many new summaries are read before a refresh is shown.
FEW = 32

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document laid out, or why that did not work. ``state_text`` is a flow's, pretty."""

    info: Info | None = None
    error: CrewcheckError | None = None
    state_text: str = ""


class Session:
    """One store, opened. Made, refreshed and closed in workers."""

    def __init__(self, location: str | None, redactor: Redactor, now: Clock = time.time) -> None:
        self.redactor = redactor
        self.now = now
        self._lock = Lock()
        self._reading = Lock()
        self._cache: OrderedDict[tuple[Any, ...], Loaded] = OrderedDict()
        #: checkpoints that were drawn without their summary, the last one drawn most urgent
        self.wanted: deque[Checkpoint] = deque(maxlen=256)
        #: the checkpoints at which runs of ours stand: of live ones, and of ended ones
        self.marks: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
        #: keys of the checkpoints that are kept in sight should they be deleted
        self.held: frozenset[str | int] = frozenset()
        self._closed = Event()
        with no_collecting():
            self._catalog: Catalog = open_catalog(location, clock=now)

    @property
    def forest(self) -> Forest:
        return self._catalog.forest

    @property
    def location(self) -> str:
        return self._catalog.store.location

    @property
    def kind(self) -> str:
        return self._catalog.store.kind

    @property
    def foreign(self) -> int:
        return self._catalog.foreign

    @property
    def problems(self) -> tuple[str, ...]:
        return self._catalog.problems

    def follower(self) -> Follower:
        """Tells when to refresh. Its waiting ends when the session is closed."""
        return Follower(self._catalog, self._closed)

    def has_moved(self, location: str | None) -> bool:
        """Whether a location means another store by now."""
        return moved(location, self._catalog)

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    def refresh(self, where: Where = ANYWHERE) -> bool:
        """Look at the store again; whether anything has changed. A few new ones are read."""
        with self._lock, no_collecting():
            self._catalog.held = self.held
            changed = look(self._catalog, where)
            unread = self._catalog.unread() if changed else []
            if 0 < len(unread) <= FEW:
                self._catalog.read_summaries(unread)
            self._mark()
            return changed

    def read_summaries(self, cancelled: Callable[[], bool]) -> Iterator[tuple[int, int, bool]]:
        """Read what is missing, wanted ones first, else newest first.

        Yields ``(how many are left, how many came in, whether the forest is a new one)``
        some times a second.
        """
        with self._lock:
            missing = self._catalog.unread()
        queue = iter(missing)
        left = len(missing)
        came = 0
        stale = False
        report_at = time.monotonic() + 0.05
        rebuild_at = 0.4
        started = time.monotonic()
        pause_at = started + STRETCH_SECONDS
        while (checkpoint := self._next(queue)) is not None:
            if cancelled():
                return
            summary = self._catalog.read_summary(checkpoint)
            stale = stale or _moves(checkpoint, summary.branch, summary.parent_id)
            checkpoint.summary = summary
            came += 1
            left -= 1
            now = time.monotonic()
            if now >= report_at:
                renewed = stale and now - started >= rebuild_at
                if renewed:
                    self._rebuild()
                    stale = False
                    rebuild_at = (time.monotonic() - started) * 2
                yield left, came, renewed
                came = 0
                report_at = time.monotonic() + 0.15
            if now >= pause_at:
                time.sleep(0.001)
                pause_at = time.monotonic() + STRETCH_SECONDS
        if missing and not cancelled():
            self._rebuild()
            yield 0, came, True

    def _next(self, queue: Iterator[Checkpoint]) -> Checkpoint | None:
        while True:
            try:
                checkpoint = self.wanted.pop()
            except IndexError:
                break
            if checkpoint.summary is None:
                return checkpoint
        return next((one for one in queue if one.summary is None), None)

    def _rebuild(self) -> None:
        with self._lock, no_collecting():
            self._catalog.rebuild()
            self._mark()

    def _mark(self) -> None:
        """Of runs of ours their journal is the truth, not the age of what they wrote."""
        mark_runs(self._catalog.forest, *self.marks)

    def cached(self, checkpoint: Checkpoint) -> Loaded | None:
        """What has been read of a checkpoint already. Any thread."""
        return self._cache.get(_identity(checkpoint))

    def load(self, checkpoint: Checkpoint) -> Loaded:
        """Read a document and lay it out. One at a time: parsing is what takes long."""
        with self._reading:
            known = self.cached(checkpoint)
            if known is not None:
                return known
            try:
                info = inspect(self._catalog, checkpoint, self.redactor)
            except CrewcheckError as error:
                return Loaded(error=error)
            except Exception as error:  # whatever it is, a person must be told
                return Loaded(error=unexpected(error))
            loaded = Loaded(info, None, pretty(info.state) if info.state is not None else "")
            self._keep(checkpoint, loaded)
            return loaded

    def read_ahead(self, checkpoints: Iterable[Checkpoint], cancelled: Callable[[], bool]) -> None:
        """Read the documents that a person is likely to look at next, if they are small."""
        for checkpoint in checkpoints:
            if cancelled():
                return
            damaged = checkpoint.damage is not None
            if not damaged and (checkpoint.header.size or AHEAD_BYTES) < AHEAD_BYTES:
                self.load(checkpoint)

    def _keep(self, checkpoint: Checkpoint, loaded: Loaded) -> None:
        cache = self._cache
        cache[_identity(checkpoint)] = loaded
        held = sum(identity[-1] or 0 for identity in list(cache))
        while len(cache) > 1 and (held > CACHE_BYTES or len(cache) > CACHE_ENTRIES):
            identity, _ = cache.popitem(last=False)
            held -= identity[-1] or 0

    def close(self) -> None:
        self._closed.set()
        self._catalog.close()


def mark_runs(forest: Forest, live: frozenset[str], ended: frozenset[str]) -> None:
    """Say on each checkpoint at which a run stands whether that goes on."""
    for ids, running in ((ended, False), (live, True)):
        for checkpoint_id in ids:
            for node in forest.by_id.get(checkpoint_id, ()):
                node.checkpoint.running = running


def unexpected(error: Exception) -> CrewcheckError:
    """An error that nobody thought of, as a person is told of it."""
    return CrewcheckError(
        f"something unexpected went wrong: {type(error).__name__}: {error}",
        "this is a fault of crewcheck: please report it",
    )


def _identity(checkpoint: Checkpoint) -> tuple[Any, ...]:
    header = checkpoint.header
    return header.key, header.id, header.stamp, header.size


def _moves(checkpoint: Checkpoint, branch: str | None, parent: str | None) -> bool:
    """Whether what the document says changes the place of a checkpoint in the lineage."""
    header = checkpoint.header
    return bool(branch and branch != header.branch) or header.parent_id is None or parent is None


def pretty(value: Any) -> str:
    """A JSON value as a person reads it."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
