"""What has happened in a store between two looks at it."""

from __future__ import annotations

from typing import Final, NamedTuple

from crewcheck.engine.catalog import Catalog
from crewcheck.model.scan import Checkpoint
from crewcheck.stores.base import Capability

ADDED: Final = "added"
CHANGED: Final = "changed"
REMOVED: Final = "removed"


class Change(NamedTuple):
    """Something that happened to a checkpoint; of a removed one what was known last."""

    type: str
    checkpoint: Checkpoint


class Ledger:
    """What is known of a store so far: each look at it is compared with that.

    A checkpoint is known by its location. It has changed where its size, the time of its
    file or its summary has; what follows from others (a parent that is gone, a status that
    time has changed) is no change of its own.
    """

    def __init__(self) -> None:
        self._known: dict[str, Checkpoint] = {}

    def take(self, catalog: Catalog) -> None:
        """Know what is there now."""
        self._known = {one.header.location: one for one in catalog.checkpoints}

    def unknown(self, catalog: Catalog) -> list[Checkpoint]:
        """Those that are not as they are known."""
        known = self._known
        return [one for one in catalog.checkpoints if known.get(one.header.location) is not one]

    def clear(self) -> list[Change]:
        """The store itself is gone, and all that was in it."""
        before, self._known = self._known, {}
        return [Change(REMOVED, one) for one in before.values()]

    def compare(self, catalog: Catalog) -> list[Change]:
        """What has happened since, in the order of the checkpoints; removed ones last."""
        # elsewhere a stamp is the number of a row: tidying up a database may change it
        timed = Capability.LOOK in catalog.store.capabilities
        before = self._known
        self.take(catalog)
        changes = []
        for location, one in self._known.items():
            old = before.get(location)
            if old is None:
                changes.append(Change(ADDED, one))
            elif old is not one and _differ(old, one, timed):
                changes.append(Change(CHANGED, one))
        changes += [
            Change(REMOVED, old) for location, old in before.items() if location not in self._known
        ]
        return changes


def _differ(old: Checkpoint, new: Checkpoint, timed: bool) -> bool:
    if old.being_written and new.being_written:
        return False
    one, other = old.header, new.header
    if (one.id, one.size, one.mark) != (other.id, other.size, other.mark):
        return True
    if timed and one.stamp != other.stamp:
        return True
    if old.summary is None or new.summary is None:
        return False
    return not new.summary.same_as(old.summary)
