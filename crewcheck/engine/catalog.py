"""An open store and what is known of it so far: the one object behind list, tree and app.

Opening reads headers only; with ``names_only`` just what names or columns say of them, and
`Catalog.complete` the rest. Summaries are read when asked for, one checkpoint or all;
each time some have come in, the forest may be built again. A catalog is not for several
threads at once: a front end that reads summaries in the background hands them over.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from types import TracebackType
from typing import cast

from crewcheck.lineage import Forest, Segment, build
from crewcheck.model.collecting import no_collecting
from crewcheck.model.identifiers import time_of
from crewcheck.model.scan import FORK_TRIGGER, GONE, STOPPED, Checkpoint, Damage, Header, Summary
from crewcheck.stores.base import Capability, LookingStore, Store
from crewcheck.stores.detect import default_location, open_path
from crewcheck.stores.index import Index, open_index

#: A run whose newest checkpoint is younger than this is taken to be still running.
RUNNING_SECONDS = 60
#: A file that was touched so long ago (in nanoseconds) is not in the making any more.
_YOUNG_NS = 10_000_000_000


#: How many bytes of documents a catalog reads whole, the newest first. What is wrong between
#: the beginning and the end of a long document (two back to back, garbage in its event
#: record) is seen there only; beyond this a listing is no validation.
WHOLE_BYTES = 48_000_000
_BATCH, _BATCH_BYTES = 64, 4_000_000


class Catalog:
    """The checkpoints of one store. ``forest`` has them in order, runs and forks apart.

    With ``ordered_later`` it is built when it is first asked for: who reads all summaries
    first has it built only once.

    ``clock`` tells the time (seconds since 1970) by which a run is taken to be going on.
    With ``use_index`` summaries are looked up in the index before they are read, and what
    was read is kept there when the catalog is closed.
    """

    def __init__(
        self,
        store: Store,
        names_only: bool = False,
        clock: Callable[[], float] = time.time,
        use_index: bool = False,
        ordered_later: bool = False,
    ) -> None:
        self.store = store
        self.clock = clock
        self.foreign = 0
        self.problems: tuple[str, ...] = ()
        self._forest: Forest | None = None
        #: whether sizes and stamps are known, and the order is final; see `complete`
        self.is_complete = False
        #: keys of checkpoints that stay in sight, as gone, when they are deleted
        self.held: Collection[str | int] = ()
        #: when the whole store was looked at last; the fingerprint it had, where that is cheap
        self.looked_at = 0.0
        self.fingerprint: object = None
        self._known: dict[str | int, Checkpoint] = {}
        self._whole_bytes = WHOLE_BYTES
        self._wants_index = use_index and Capability.INDEX in store.capabilities
        self._opened_index: Index | None = None
        self._recalled = False
        self._state = ""  # of the store, when it was looked at
        self._useless: set[str | int] = set()  # keys of rows of the index
        self._unkept: list[Checkpoint] = []
        #: keys of files that may be in the making
        self._young: set[str] = set()
        try:
            self._scan(names_only)
            if not ordered_later:
                self.rebuild()
        except BaseException:
            store.close()
            raise

    @property
    def _index(self) -> Index | None:
        """Opened when there is something to keep in it: it takes some imports."""
        if self._wants_index and self._known:
            self._wants_index = False
            self._opened_index = open_index()
        return self._opened_index

    @property
    def forest(self) -> Forest:
        """The checkpoints in order, runs and forks apart, as of the last `rebuild`."""
        if self._forest is None:
            self.rebuild()
        assert self._forest is not None
        return self._forest

    def refresh(self) -> bool:
        """Look at the store again; summaries of unchanged checkpoints are kept.

        Returns whether anything has changed. Raises `NotFound` or `Unreadable`.
        """
        if not self.is_complete:
            return self.complete()
        changed = self._scan()
        self.rebuild()
        return changed

    def complete(self) -> bool:
        """Look at what was opened with ``names_only``: sizes, stamps, files of other names.

        Sizes are set on the checkpoints that are there. Returns whether anything else has
        changed, the order included; if not, the forest stays the same one. Raises
        `NotFound` or `Unreadable`.
        """
        if self.is_complete:
            return False
        before, was = self.forest, (self.foreign, self.problems)
        changed = self._scan()
        self.rebuild()
        if not changed and self._same_order(before):
            self._forest = before
        return self.forest is not before or was != (self.foreign, self.problems)

    def _same_order(self, other: Forest) -> bool:
        return all(
            one.checkpoint is two.checkpoint
            for one, two in zip(self.forest.order, other.order, strict=True)
        )

    def _scan(self, names_only: bool = False) -> bool:
        """Take in the headers; whether other ones than before, or changed ones."""
        self.looked_at = time.time()
        if not self._can_look:
            self.fingerprint = self.store.fingerprint()
        with no_collecting():
            scan = self.store.scan(names_only)
            before = self._known
            known: dict[str | int, Checkpoint] = {}
            changed = False
            for header in scan.headers:
                old = before.get(header.key) if before else None
                if old is None or not _is_same(old, header, self.is_complete):
                    old = Checkpoint(header)
                    changed = True
                known[header.key] = old
            changed = self._keep_held(known) or changed or len(known) != len(before)
            self._known = known
        self._young = self._young_of(scan.headers)
        self.foreign = scan.foreign
        self.problems = scan.problems
        self.is_complete = scan.complete
        self._state = scan.state
        return changed

    @property
    def _can_look(self) -> bool:
        return Capability.LOOK in self.store.capabilities

    def look_at(self, paths: Collection[str]) -> bool:
        """Look at some paths of the store again, and read the summaries of what is there.

        ``paths`` are those that somebody says have changed, folders with all that is in
        them. Of a store whose parts cannot be looked at, and in doubt, it is `refresh`.
        """
        if not (self._can_look and self.is_complete):
            return self.refresh()
        try:
            headers = cast(LookingStore, self.store).look(paths)
        except OSError:
            return self.refresh()
        before = self._known
        covered = _covered_by(paths)
        known = {key: one for key, one in before.items() if not covered(str(key))}
        changed = False
        for header in headers:
            summary = self.store.summary(header, (header.size or 0) <= _BATCH_BYTES)
            if summary.damage is not None and summary.damage.rule == GONE:
                continue
            old = before.get(header.key)
            if old is None or not _says_the_same(old, header, summary):
                old = Checkpoint(header, summary)
                changed = True
            known[header.key] = old
        changed = self._keep_held(known) or changed or known.keys() != before.keys()
        self._young |= self._young_of(headers)
        if changed:
            self._known = known
            self.rebuild()
        return changed

    def _keep_held(self, known: dict[str | int, Checkpoint]) -> bool:
        """Keep what is held and not known any more as gone; whether that is news."""
        news = False
        for key in self.held:
            old = self._known.get(key)
            if old is not None and key not in known:
                news = news or not old.gone
                old.gone = True
                known[key] = old
        return news

    def _young_of(self, headers: Iterable[Header]) -> set[str]:
        if not self._can_look:
            return set()
        now = time.time_ns()
        return {str(one.key) for one in headers if abs(now - one.stamp) < _YOUNG_NS}

    @property
    def gone(self) -> list[Checkpoint]:
        """What is held and was deleted. Any thread."""
        known = self._known
        return [one for key in self.held if (one := known.get(key)) is not None and one.gone]

    def unsettled(self) -> list[str]:
        """The paths of files that were in the making when they were read. Any thread."""
        found = []
        young, known = self._young, self._known
        for key in list(young):
            one = known.get(key)
            if one is not None and one.being_written:
                found.append(key)
            elif one is None or one.summary is not None:
                young.discard(key)
        return found

    def rebuild(self, now: float | None = None) -> None:
        """Build the forest anew from what is known, and what follows from it."""
        self._forest = forest = build(self._known.values())
        _mark_lineage(forest)
        _mark_running(forest, self.clock() if now is None else now)

    @property
    def checkpoints(self) -> list[Checkpoint]:
        """All checkpoints, oldest first, in the one order."""
        return [node.checkpoint for node in self.forest.order]

    def unread(self) -> list[Checkpoint]:
        """The checkpoints whose summary has not been read, newest first."""
        return [one for one in reversed(self.checkpoints) if one.summary is None]

    def _missing(self) -> list[Checkpoint]:
        """The same in no order."""
        return [one for one in self._known.values() if one.summary is None]

    def read_summary(self, checkpoint: Checkpoint) -> Summary:
        """Read a summary without keeping it: safe in another thread."""
        return self._read([checkpoint])[0]

    def _read(self, checkpoints: list[Checkpoint]) -> list[Summary]:
        wanted = []
        for checkpoint in checkpoints:
            size = checkpoint.header.size
            whole = size is not None and size <= self._whole_bytes
            if size is not None and whole:
                self._whole_bytes -= size
            wanted.append((checkpoint.header, whole))
        summaries = self.store.summaries(wanted)
        if self._index is not None:
            self._unkept += checkpoints
        return summaries

    def recall(self) -> bool:
        """Set the summaries that the index has, once; whether there are any. The forest is
        then to be built anew."""
        if self._index is None or self._recalled or not self._known or not self.is_complete:
            return False
        self._recalled = True
        missing = self._missing()

        def measure() -> None:
            self.store.measure([one.header for one in missing])

        self._useless |= self._index.recall(self._place(), self._known, self._state, measure)
        return any(one.summary is not None for one in missing)

    def remember(self) -> None:
        """Keep in the index what was read since the last time."""
        if self._index is None:
            return
        read, self._unkept = self._unkept, []
        useless, self._useless = self._useless, set()
        self._index.remember(self._place(), read, useless)

    def _place(self) -> str:
        return os.path.realpath(self.store.location)

    def read_summaries(
        self, only: Iterable[Checkpoint] | None = None, progress: Callable[[], None] | None = None
    ) -> None:
        """Read the summaries that are missing, and build the forest anew.

        What was deleted since it was listed is left out.
        """
        if only is None:
            self.complete()
            with no_collecting():
                self.recall()
            # the order matters only if there is something to be read
            only = self.unread() if self._missing() else ()
        missing = [one for one in only if one.summary is None]
        self.store.measure([one.header for one in missing])
        with no_collecting():
            for some in _batches(missing):
                for checkpoint, summary in zip(some, self._read(some), strict=True):
                    checkpoint.summary = summary
                    if summary.damage is not None and summary.damage.rule == GONE:
                        self._known.pop(checkpoint.key, None)
                    if progress is not None:
                        progress()
        self.rebuild()

    def close(self) -> None:
        self.remember()
        self.store.close()

    def __enter__(self) -> Catalog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_catalog(
    location: str | None,
    names_only: bool = False,
    clock: Callable[[], float] = time.time,
    use_index: bool = True,
    ordered_later: bool = False,
) -> Catalog:
    """Open a store by its path, or the default one. Raises `NotFound` or `Unreadable`."""
    store = open_path(location if location is not None else default_location()).store
    return Catalog(store, names_only, clock, use_index, ordered_later)


def _is_same(old: Checkpoint, header: Header, was_complete: bool) -> bool:
    """Whether a header found now is that of a known checkpoint, unchanged; what was not
    known of it before is then."""
    had = old.header
    if had.id != header.id or had.mark != header.mark or old.gone or old.being_written:
        return False
    if not was_complete:
        had.stamp = header.stamp
        had.size = header.size if had.size is None else had.size
    # where the store does not tell sizes, a document that was read has one all the same
    return had.stamp == header.stamp and header.size in (None, had.size)


def _batches(checkpoints: list[Checkpoint]) -> Iterator[list[Checkpoint]]:
    """As many at a time as may be in memory together; what has no size by itself."""
    some: list[Checkpoint] = []
    held = 0
    for checkpoint in checkpoints:
        size = checkpoint.header.size
        size = _BATCH_BYTES if size is None else size
        if some and (held + size > _BATCH_BYTES or len(some) == _BATCH):
            yield some
            some, held = [], 0
        some.append(checkpoint)
        held += size
    if some:
        yield some


def _says_the_same(old: Checkpoint, header: Header, summary: Summary) -> bool:
    had = old.header
    if old.gone or (had.id, had.stamp, had.size) != (header.id, header.stamp, header.size):
        return False
    return old.summary is not None and old.summary.same_as(summary)


def _covered_by(paths: Collection[str]) -> Callable[[str], bool]:
    """Tells whether a path is among these or below one of them."""
    wanted = frozenset(paths)
    folders: dict[str, bool] = {}

    def covered(path: str) -> bool:
        if path in wanted:
            return True
        folder = path.rpartition("/")[0]
        found = folders.get(folder)
        if found is None:
            above = folder
            while above and above not in wanted:
                above = above.rpartition("/")[0]
            found = folders[folder] = above in wanted
        return found

    return covered


def run_status(segment: Segment) -> str | None:
    """The status of a run or fork: that of its newest checkpoint that can be read."""
    for node in reversed(segment.nodes):
        if node.checkpoint.status is not None:
            return node.checkpoint.status
    return None


def _mark_lineage(forest: Forest) -> None:
    """Say on each checkpoint what is odd about its place."""
    for node in forest.order:
        checkpoint = node.checkpoint
        checkpoint.lineage_damage = None
        checkpoint.running = False
        if node.cut:
            checkpoint.lineage_damage = Damage("cycle", "it is among its own ancestors")
        elif node.missing_parent is not None:
            checkpoint.lineage_damage = Damage(
                "parent-missing", f"its parent {node.missing_parent} is not in the store"
            )
    for twins in forest.twins.values():
        for node in twins:
            other = next(twin for twin in twins if twin is not node)
            node.checkpoint.lineage_damage = Damage(
                "duplicate-id", f"its id is also that of {other.checkpoint.header.location}"
            )


def _mark_running(forest: Forest, now: float) -> None:
    """The newest checkpoint of a branch that was written within the last minute runs."""
    since = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now - RUNNING_SECONDS))
    until = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now + RUNNING_SECONDS))
    young, old = time_of(since) or "", time_of(until) or ""
    for segment in forest.segments():
        newest = segment.newest.checkpoint
        created = newest.header.created_at
        if created is None or not young <= created <= old:
            continue
        # a fork is written before anything runs
        waits = newest.summary is not None and newest.summary.trigger == FORK_TRIGGER
        newest.running = not waits and newest.status in (None, STOPPED)
