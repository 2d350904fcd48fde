"""An open store as the app's workers use it. Nothing here may run on the UI thread.

The catalog belongs to whoever holds the lock: the worker that opens and refreshes, or
the one that reads summaries. The UI thread sees finished forests and looks at their
checkpoints; a summary that comes in meanwhile is set in one step.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, is_dataclass, replace
from threading import Event, Lock
from typing import Any

from crewcheck.engine.attempts import count
from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.cut import Cut, pretty
from crewcheck.engine.documents import BIG_BYTES, Documents, EventPages, Gone
from crewcheck.engine.following import Follower, look, moved
from crewcheck.engine.inspect import Info, inspect
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.refs import Found
from crewcheck.engine.watching import ANYWHERE, Where
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Forest, Node
from crewcheck.model.collecting import no_collecting
from crewcheck.model.flow_calls import DONE
from crewcheck.model.scan import Checkpoint, Summary
from crewcheck.tui.compared import Compared, compare_nodes, unexpected
from crewcheck.tui.flow_graphs import FlowGraphs
from crewcheck.tui.rows import outline_of
from crewcheck.tui.whole import Whole, read_whole

#: After so much work at a stretch a background worker lets the UI have the interpreter.
STRETCH_SECONDS = 0.004
#: What the cache of documents may hold.
CACHE_BYTES = 48_000_000
CACHE_ENTRIES = 24
#: So many comparisons are kept.
COMPARISONS = 8
#: Bigger documents are not read ahead.
AHEAD_BYTES = 1_000_000
#: So many new summaries are read before a refresh is shown.
FEW = 32
#: So much of long texts is kept.
TEXT_CHARACTERS = 32_000_000

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document laid out, or why that did not work. ``state_text`` is a flow's, pretty.

    ``texts`` are those that came cut and have been fetched since, by their numbers.
    ``attempts`` are the resumes that got no further.
    """

    info: Info | None = None
    error: CrewcheckError | None = None
    state_text: str = ""
    attempts: int = 0
    texts: dict[int, str] = field(default_factory=dict)


class Session:
    """One store, opened. Made, refreshed and closed in workers."""

    def __init__(self, location: str | None, redactor: Redactor, now: Clock = time.time) -> None:
        self.redactor = redactor
        self.now = now
        self._lock = Lock()
        self._reading = Lock()
        #: a checkpoint that has changed is another object after a refresh
        self._cache: OrderedDict[Checkpoint, tuple[Loaded, int]] = OrderedDict()
        self._caching = Lock()
        self._comparisons: OrderedDict[tuple[Checkpoint, Checkpoint], Compared] = OrderedDict()
        #: the one document of which all is kept
        self._whole: tuple[Checkpoint, Whole] | None = None
        #: of which cut texts have been fetched
        self._fetched: Loaded | None = None
        #: checkpoints that were drawn without their summary, the last one drawn most urgent
        self.wanted: deque[Checkpoint] = deque(maxlen=256)
        #: the checkpoints at which runs of ours stand: of live ones, and of ended ones
        self.marks: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
        #: keys of the checkpoints that are kept in sight should they be deleted
        self.held: frozenset[str | int] = frozenset()
        self._closed = Event()
        self._texts: dict[str, str] = {}
        #: how many checkpoints had no summary when the store was looked at last
        self.left = 0
        with no_collecting():
            self._catalog: Catalog = open_catalog(location, names_only=True, clock=now)
            if not self.forest.order:
                # what has other names is known after a look only
                self._catalog.complete()
            self._prepare()
        self.documents = Documents(self.location, show=redactor.show)
        self.graphs = FlowGraphs(self.location)

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
    def gone(self) -> list[Checkpoint]:
        """The checkpoints that were deleted and are kept in sight."""
        return self._catalog.gone

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
            if changed or where.paths is None:
                self._prepare()
                self._count_again()
            return changed

    def complete(self) -> None:
        """Look at what the names do not tell: sizes, and the order within a second.

        The forest stays the same one where the order does.
        """
        with self._lock, no_collecting():
            self._catalog.complete()
            self._prepare()

    def _prepare(self) -> None:
        """What takes as long as the store is big, so that the UI thread need not do it."""
        self._mark()
        outline_of(self.forest)
        if not self._catalog.is_complete:
            # the first screen comes before all else
            self.left = len(self.forest.order)
            return
        self.left = 0
        for node in self.forest.order:
            self.left += node.checkpoint.summary is None
            if node.parent is not None:
                header, parent = node.checkpoint.header, node.parent.checkpoint.header
                if header.parent_id == parent.id:
                    # one text is enough
                    header.parent_id = parent.id

    def read_summaries(self, cancelled: Callable[[], bool]) -> Iterator[tuple[int, int, bool]]:
        """Read what is missing, wanted ones first, else newest first.

        Yields ``(how many are left, how many came in, whether the forest is a new one)``
        some times a second.
        """
        with self._lock:
            known = self._catalog.recall()
            missing = self._catalog.unread()
        if known:
            self._rebuild()
            yield len(missing), 0, True
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
            checkpoint.summary = self._shared(checkpoint, summary)
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
            self._catalog.remember()

    def _next(self, queue: Iterator[Checkpoint]) -> Checkpoint | None:
        while True:
            try:
                checkpoint = self.wanted.pop()
            except IndexError:
                break
            if checkpoint.summary is None:
                return checkpoint
        return next((one for one in queue if one.summary is None), None)

    def _shared(self, checkpoint: Checkpoint, summary: Summary) -> Summary:
        """The summary, with one object for a text that many of them have."""
        for name in ("kind", "name", "trigger", "version", "branch", "status", "run_key"):
            said = getattr(summary, name)
            if said is not None:
                setattr(summary, name, self._texts.setdefault(said, said))
        if summary.parent_id == checkpoint.header.parent_id:
            summary.parent_id = checkpoint.header.parent_id
        return summary

    def _rebuild(self) -> None:
        with self._lock, no_collecting():
            self._catalog.rebuild()
            self._prepare()

    def _mark(self) -> None:
        """Of runs of ours their journal is the truth, not the age of what they wrote."""
        mark_runs(self._catalog.forest, *self.marks)

    def cached(self, checkpoint: Checkpoint) -> Loaded | None:
        """What has been read of a checkpoint already. Any thread."""
        known = self._cache.get(checkpoint)
        return known[0] if known is not None else None

    def load(self, checkpoint: Checkpoint) -> Loaded | None:
        """Read a document and lay it out; None where another was asked for meanwhile.

        Small ones here, one at a time, for parsing is what takes long; big ones are read by
        another process.
        """
        is_big = size_of(checkpoint) > BIG_BYTES
        whole = self._whole
        if whole is not None and whole[0] is not checkpoint and size_of(whole[0]) > BIG_BYTES:
            # as objects a big one takes many times its size
            self._whole = None
        with nullcontext() if is_big else self._reading:
            known = self.cached(checkpoint)
            if known is not None:
                return known
            try:
                if is_big:
                    info = self.documents.load(checkpoint)
                else:
                    info = inspect(self._catalog, checkpoint, self.redactor)
            except Gone:
                return None
            except CrewcheckError as error:
                return Loaded(error=error)
            except Exception as error:  # whatever it is, a person must be told
                return Loaded(error=unexpected(error))
            state = info.state
            said = state if isinstance(state, Cut) else pretty(state) if state is not None else ""
            loaded = Loaded(info, None, said, self._attempts(checkpoint, info))
            # here, for of many calls it takes long
            self.graphs.of(info)
            self._keep(checkpoint, loaded)
            return loaded

    def compare(self, old: Node, new: Node) -> Compared:
        """Read two documents and compare them, as far as that has not been done."""
        known = self.compared(old, new)
        if known is not None:
            return known
        with self._reading:
            catalog = self._catalog
            made = compare_nodes(Found(catalog, old), Found(catalog, new), self.redactor)
        self._comparisons[old.checkpoint, new.checkpoint] = made
        while len(self._comparisons) > COMPARISONS:
            self._comparisons.popitem(last=False)
        return made

    def compared(self, old: Node, new: Node) -> Compared | None:
        """A comparison that has been made already. Any thread."""
        return self._comparisons.get((old.checkpoint, new.checkpoint))

    def whole(self, checkpoint: Checkpoint) -> Whole | None:
        """All of a document, if it is the one that was read last. Any thread."""
        known = self._whole
        return known[1] if known is not None and known[0] is checkpoint else None

    def load_whole(self, checkpoint: Checkpoint, cancelled: Callable[[], bool]) -> None:
        """Read all of a document and keep it in place of the one before."""
        with self._reading:
            if cancelled() or self.whole(checkpoint) is not None:
                return
            self._whole = None
            whole: Whole | None
            try:
                store = self._catalog.store
                whole = read_whole(store, checkpoint, self.redactor, cancelled)
            except CrewcheckError as error:
                whole = Whole(error=error)
            except Exception as error:  # whatever it is, a person must be told
                whole = Whole(error=unexpected(error))
            if whole is not None:
                self._whole = checkpoint, whole

    def _attempts(self, checkpoint: Checkpoint, info: Info) -> int:
        node = self._catalog.forest.by_key.get(checkpoint.key)
        if node is None or not (info.tasks or info.calls):
            return 0
        done = sum(1 for task in info.tasks if task.output is not None)
        done += sum(1 for call in info.calls if call.state == DONE)
        try:
            return count(self.location, node, done).number
        except (CrewcheckError, OSError):
            return 0

    def _count_again(self) -> None:
        """A run may have come to its end: what is kept tells of attempts."""
        with self._caching:
            kept = list(self._cache.items())
        for checkpoint, (loaded, size) in kept:
            if loaded.info is not None:
                number = self._attempts(checkpoint, loaded.info)
                if number != loaded.attempts:
                    with self._caching:
                        self._cache[checkpoint] = replace(loaded, attempts=number), size

    def fetch(self, checkpoint: Checkpoint, loaded: Loaded, cuts: Iterable[Cut]) -> bool:
        """Get the whole of cut texts; whether any came. Raises `CrewcheckError`."""
        other = self._fetched
        if other is not loaded:
            # of one checkpoint at a time: they may be long
            self._fetched = loaded
            if other is not None:
                other.texts.clear()
        came = False
        for cut in cuts:
            if cut.number not in loaded.texts:
                text = self.documents.text(checkpoint, cut)
                if sum(map(len, loaded.texts.values())) + len(text) > TEXT_CHARACTERS:
                    loaded.texts.clear()
                loaded.texts[cut.number] = text
                came = True
        return came

    def fetch_events(self, checkpoint: Checkpoint, loaded: Loaded, number: int) -> bool:
        """Get a page of events; whether it came. Raises `CrewcheckError`."""
        pages = loaded.info.events if loaded.info is not None else None
        if not isinstance(pages, EventPages) or pages.has(number):
            return False
        try:
            pages.put(number, self.documents.events(checkpoint, number))
        except CrewcheckError:
            pages.give_up(number)
            raise
        return True

    def read_ahead(self, checkpoints: Iterable[Checkpoint], cancelled: Callable[[], bool]) -> None:
        """Read the documents that a person is likely to look at next, if they are small."""
        for checkpoint in checkpoints:
            if cancelled():
                return
            damaged = checkpoint.damage is not None
            if not damaged and (checkpoint.header.size or AHEAD_BYTES) < AHEAD_BYTES:
                self.load(checkpoint)

    def _keep(self, checkpoint: Checkpoint, loaded: Loaded) -> None:
        weight = weight_of(loaded.info)
        with self._caching:
            cache = self._cache
            cache[checkpoint] = loaded, weight
            held = sum(other for _, other in cache.values())
            while len(cache) > 1 and (held > CACHE_BYTES or len(cache) > CACHE_ENTRIES):
                _, (_, other) = cache.popitem(last=False)
                held -= other

    def close(self) -> None:
        self._closed.set()
        self.documents.close()
        self._catalog.close()


def size_of(checkpoint: Checkpoint) -> int:
    """How big a document is, in bytes; 0 where that is not to be known without reading it."""
    size = checkpoint.header.size
    if size is None:
        # not looked at yet
        try:
            size = os.path.getsize(checkpoint.header.location)
        except OSError:
            size = 0
    return size


def weight_of(value: Any) -> int:
    """Roughly how many bytes of memory something holds; a text twice there counts twice."""
    weight = 0
    stack = [value]
    while stack:
        one = stack.pop()
        weight += 64
        if isinstance(one, str):
            weight += len(one) if one.isascii() else 2 * len(one)
        elif isinstance(one, dict):
            weight += 100 * len(one)
            stack += one.keys()
            stack += one.values()
        elif isinstance(one, list | tuple):
            weight += 8 * len(one)
            stack += one
        elif is_dataclass(one):
            stack += [getattr(one, part.name) for part in fields(one) if part.name != "checkpoint"]
        elif isinstance(one, EventPages):
            stack += one.first
    return weight


def mark_runs(forest: Forest, live: frozenset[str], ended: frozenset[str]) -> None:
    """Say on each checkpoint at which a run stands whether that goes on."""
    for ids, running in ((ended, False), (live, True)):
        for checkpoint_id in ids:
            for node in forest.by_id.get(checkpoint_id, ()):
                node.checkpoint.running = running


def _moves(checkpoint: Checkpoint, branch: str | None, parent: str | None) -> bool:
    """Whether what the document says changes the place of a checkpoint in the lineage."""
    header = checkpoint.header
    return bool(branch and branch != header.branch) or header.parent_id is None or parent is None
