"""An open store and what is known of it so far: the one object behind list, tree and app.

Opening reads headers only; with ``names_only`` just what names or columns say of them, and
`Catalog.complete` the rest. Summaries are read when asked for, one checkpoint or all;
each time some have come in, the forest may be built again. A catalog is not for several
threads at once: a front end that reads summaries in the background hands them over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from types import TracebackType

from crewcheck.lineage import Forest, Segment, build
from crewcheck.model.collecting import no_collecting
from crewcheck.model.identifiers import time_of
from crewcheck.model.scan import FORK_TRIGGER, STOPPED, Checkpoint, Damage, Header, Summary
from crewcheck.stores.base import Store
from crewcheck.stores.detect import default_location, open_path

#: A run whose newest checkpoint is younger than this is taken to be still running.
RUNNING_SECONDS = 60


class Catalog:
    """The checkpoints of one store. ``forest`` has them in order, runs and forks apart.

    ``clock`` tells the time (seconds since 1970) by which a run is taken to be going on.
    """

    def __init__(
        self, store: Store, names_only: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        self.store = store
        self.clock = clock
        self.foreign = 0
        self.problems: tuple[str, ...] = ()
        self.forest: Forest = build(())
        #: whether sizes and stamps are known, and the order is final; see `complete`
        self.is_complete = False
        self._known: dict[str | int, Checkpoint] = {}
        self._scan(names_only)
        self.rebuild()

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
            self.forest = before
        return self.forest is not before or was != (self.foreign, self.problems)

    def _same_order(self, other: Forest) -> bool:
        return all(
            one.checkpoint is two.checkpoint
            for one, two in zip(self.forest.order, other.order, strict=True)
        )

    def _scan(self, names_only: bool = False) -> bool:
        """Take in the headers; whether other ones than before, or changed ones."""
        with no_collecting():
            scan = self.store.scan(names_only)
            before = self._known
            known = {}
            changed = len(scan.headers) != len(before)
            for header in scan.headers:
                old = before.get(header.key) if before else None
                if old is None or not _is_same(old, header, self.is_complete):
                    old = Checkpoint(header)
                    changed = True
                known[header.key] = old
            self._known = known
        self.foreign = scan.foreign
        self.problems = scan.problems
        self.is_complete = scan.complete
        return changed

    def rebuild(self, now: float | None = None) -> None:
        """Build the forest anew from what is known, and what follows from it."""
        self.forest = build(self._known.values())
        _mark_lineage(self.forest)
        _mark_running(self.forest, self.clock() if now is None else now)

    @property
    def checkpoints(self) -> list[Checkpoint]:
        """All checkpoints, oldest first, in the one order."""
        return [node.checkpoint for node in self.forest.order]

    def unread(self) -> list[Checkpoint]:
        """The checkpoints whose summary has not been read, newest first."""
        return [one for one in reversed(self.checkpoints) if one.summary is None]

    def read_summary(self, checkpoint: Checkpoint) -> Summary:
        """Read a summary without keeping it: safe in another thread."""
        return self.store.summary(checkpoint.header)

    def read_summaries(
        self, only: Iterable[Checkpoint] | None = None, progress: Callable[[], None] | None = None
    ) -> None:
        """Read the summaries that are missing, and build the forest anew."""
        for checkpoint in self.unread() if only is None else only:
            if checkpoint.summary is None:
                checkpoint.summary = self.read_summary(checkpoint)
                if progress is not None:
                    progress()
        self.rebuild()

    def close(self) -> None:
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
    location: str | None, names_only: bool = False, clock: Callable[[], float] = time.time
) -> Catalog:
    """Open a store by its path, or the default one. Raises `NotFound` or `Unreadable`."""
    store = open_path(location if location is not None else default_location()).store
    return Catalog(store, names_only, clock)


def _is_same(old: Checkpoint, header: Header, was_complete: bool) -> bool:
    """Whether a header found now is that of a known checkpoint, unchanged; what was not
    known of it before is then."""
    had = old.header
    if had.id != header.id or (old.damage is not None and old.damage.rule == "being-written"):
        return False
    if not was_complete:
        had.stamp = header.stamp
        had.size = header.size if had.size is None else had.size
    # where the store does not tell sizes, a document that was read has one all the same
    return had.stamp == header.stamp and header.size in (None, had.size)


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
        created = newest.header.created_at or ""
        # a fork is written before anything runs
        waits = newest.summary is not None and newest.summary.trigger == FORK_TRIGGER
        newest.running = young <= created <= old and not waits and newest.status in (None, STOPPED)
