"""An open store and what is known of it so far: the one object behind list, tree and app.

Opening reads headers only. Summaries are read when asked for, one checkpoint or all;
each time some have come in, the forest may be built again. A catalog is not for several
threads at once: a front end that reads summaries in the background hands them over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from types import TracebackType
from typing import Any, cast

from crewcheck.lineage import Forest, Segment, build
from crewcheck.model.identifiers import time_of
from crewcheck.model.scan import FORK_TRIGGER, GONE, STOPPED, Checkpoint, Damage, Header, Summary
from crewcheck.stores.base import Capability, LookingStore, Store
from crewcheck.stores.detect import default_location, open_path

#: A run whose newest checkpoint is younger than this is taken to be still running.
RUNNING_SECONDS = 60
#: A file that was touched so long ago (in nanoseconds) is not in the making any more.
_YOUNG_NS = 10_000_000_000


class Catalog:
    """The checkpoints of one store. ``forest`` has them in order, runs and forks apart."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.foreign = 0
        self.problems: tuple[str, ...] = ()
        self.forest: Forest = build(())
        #: keys of checkpoints that stay in sight, as gone, when they are deleted
        self.held: Collection[str | int] = ()
        self._known: dict[tuple[Any, ...], Checkpoint] = {}
        #: when the whole store was looked at last; the fingerprint it had, where that is cheap
        self.looked_at = 0.0
        self.fingerprint: object = None
        #: keys of files that may be in the making
        self._young: set[str] = set()
        self.refresh()

    def refresh(self) -> bool:
        """Look at the store again; summaries of unchanged checkpoints are kept.

        Returns whether anything has changed. Raises `NotFound` or `Unreadable`.
        """
        self.looked_at = time.time()
        if Capability.LOOK not in self.store.capabilities:
            self.fingerprint = self.store.fingerprint()
        scan = self.store.scan()
        before = self._known
        known: dict[tuple[Any, ...], Checkpoint] = {}
        for header in scan.headers:
            identity = header.identity
            old = before.get(identity)
            settled = old is not None and not old.gone and not old.being_written
            known[identity] = old if old is not None and settled else Checkpoint(header)
        self._keep_held(known)
        changed = known.keys() != before.keys() or any(
            known[identity] is not before[identity] for identity in known
        )
        self._known = known
        self._young = self._young_of(scan.headers)
        self.foreign = scan.foreign
        self.problems = scan.problems
        self.rebuild()
        return changed

    def look_at(self, paths: Collection[str]) -> bool:
        """Look at some paths of the store again, and read the summaries of what is there.

        ``paths`` are those that somebody says have changed, folders with all that is in
        them. Of a store whose parts cannot be looked at, and in doubt, it is `refresh`.
        """
        if Capability.LOOK not in self.store.capabilities:
            return self.refresh()
        try:
            headers = cast(LookingStore, self.store).look(paths)
        except OSError:
            return self.refresh()
        before = self._known
        covered = _covered_by(paths)
        known = {one: checkpoint for one, checkpoint in before.items()
                 if not covered(str(checkpoint.key))}  # fmt: skip
        changed = False
        for header in headers:
            summary = self.store.summary(header)
            if summary.damage is not None and summary.damage.rule == GONE:
                continue
            old = before.get(header.identity)
            if old is None or old.gone or old.summary is None or not summary.same_as(old.summary):
                old = Checkpoint(header, summary)
                changed = True
            known[header.identity] = old
        self._keep_held(known)
        self._young |= self._young_of(headers)
        if changed or known.keys() != before.keys():
            self._known = known
            self.rebuild()
            return True
        return False

    def _keep_held(self, known: dict[tuple[Any, ...], Checkpoint]) -> None:
        """Keep what is held and not known any more, and say that it is gone."""
        wanted = set(self.held) - {identity[0] for identity in known} if self.held else ()
        if not wanted:
            return
        for identity, old in self._known.items():
            if old.key in wanted:
                ghost = old if old.gone else Checkpoint(old.header, old.summary or Summary())
                ghost.gone = True
                known[identity] = ghost

    def _young_of(self, headers: Iterable[Header]) -> set[str]:
        if Capability.LOOK not in self.store.capabilities:
            return set()
        now = time.time_ns()
        return {str(one.key) for one in headers if abs(now - one.stamp) < _YOUNG_NS}

    def unsettled(self) -> list[str]:
        """The paths of files that were in the making when they were read. Any thread."""
        found = []
        young, by_key = self._young, self.forest.by_key
        for key in list(young):
            node = by_key.get(key)
            if node is not None and node.checkpoint.being_written:
                found.append(key)
            elif node is None or node.checkpoint.summary is not None:
                young.discard(key)
        return found

    def rebuild(self, now: float | None = None) -> None:
        """Build the forest anew from what is known, and what follows from it."""
        self.forest = build(self._known.values())
        _mark_lineage(self.forest)
        _mark_running(self.forest, time.time() if now is None else now)

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
        """Read the summaries that are missing, and build the forest anew.

        What was deleted since it was listed is left out.
        """
        for checkpoint in self.unread() if only is None else only:
            if checkpoint.summary is None:
                checkpoint.summary = summary = self.read_summary(checkpoint)
                if summary.damage is not None and summary.damage.rule == GONE:
                    self._known.pop(checkpoint.header.identity, None)
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


def open_catalog(location: str | None) -> Catalog:
    """Open a store by its path, or the default one. Raises `NotFound` or `Unreadable`."""
    return Catalog(open_path(location if location is not None else default_location()).store)


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
        twins = forest.by_id[checkpoint.id]
        if len(twins) > 1:
            other = next(twin for twin in twins if twin is not node)
            checkpoint.lineage_damage = Damage(
                "duplicate-id", f"its id is also that of {other.checkpoint.header.location}"
            )
        elif node.cut:
            checkpoint.lineage_damage = Damage("cycle", "it is among its own ancestors")
        elif node.missing_parent is not None:
            checkpoint.lineage_damage = Damage(
                "parent-missing", f"its parent {node.missing_parent} is not in the store"
            )


def _mark_running(forest: Forest, now: float) -> None:
    """The newest checkpoint of a branch that was written within the last minute runs."""
    since = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now - RUNNING_SECONDS))
    until = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now + RUNNING_SECONDS))
    young, old = time_of(since) or "", time_of(until) or ""
    for segment in forest.segments():
        for node in segment.nodes:
            node.checkpoint.running = False
        newest = segment.newest.checkpoint
        created = newest.header.created_at or ""
        # a fork is written before anything runs
        waits = newest.summary is not None and newest.summary.trigger == FORK_TRIGGER
        newest.running = young <= created <= old and not waits and newest.status in (None, STOPPED)
