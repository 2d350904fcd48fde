"""An open store and what is known of it so far: the one object behind list, tree and app.

Opening reads headers only. Summaries are read when asked for, one checkpoint or all;
each time some have come in, the forest may be built again. A catalog is not for several
threads at once: a front end that reads summaries in the background hands them over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from crewcheck.lineage import Forest, Segment, build
from crewcheck.model.identifiers import time_of
from crewcheck.model.scan import FORK_TRIGGER, STOPPED, Checkpoint, Damage, Summary
from crewcheck.stores.base import Store
from crewcheck.stores.detect import default_location, open_path

#: A run whose newest checkpoint is younger than this is taken to be still running.
RUNNING_SECONDS = 60


class Catalog:
    """The checkpoints of one store. ``forest`` has them in order, runs and forks apart."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.foreign = 0
        self.problems: tuple[str, ...] = ()
        self.forest: Forest = build(())
        self._known: dict[tuple[Any, ...], Checkpoint] = {}
        try:
            self.refresh()
        except BaseException:
            store.close()
            raise

    def refresh(self) -> bool:
        """Look at the store again; summaries of unchanged checkpoints are kept.

        Returns whether anything has changed. Raises `NotFound` or `Unreadable`.
        """
        scan = self.store.scan()
        before = self._known
        known: dict[tuple[Any, ...], Checkpoint] = {}
        for header in scan.headers:
            identity = (header.key, header.id, header.stamp, header.size)
            old = before.get(identity)
            settled = old is not None and not (
                old.damage is not None and old.damage.rule == "being-written"
            )
            known[identity] = old if old is not None and settled else Checkpoint(header)
        changed = known.keys() != before.keys() or any(
            known[identity] is not before[identity] for identity in known
        )
        self._known = known
        self.foreign = scan.foreign
        self.problems = scan.problems
        self.rebuild()
        return changed

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
