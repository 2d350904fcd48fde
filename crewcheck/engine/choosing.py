"""Choosing checkpoints of a catalog, reading as few documents as will do.

What headers can tell is asked first: a listing of the newest twenty of a hundred thousand
reads twenty documents. Where the header has no parent the document may have one, so a
question about the lineage reads these few first.

A checkpoint is looked for on the branch that it lies on, and dropped if its document says
that it belongs to another. Only where no checkpoint lies on a branch, and for files whose
names are not CrewAI's, the documents are asked which branch they are of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from crewcheck.engine.catalog import Catalog, run_status
from crewcheck.engine.selection import DAMAGED, Selection, exact_fields, shown_status
from crewcheck.lineage import Segment
from crewcheck.model.scan import Checkpoint

#: So many documents are read at once where it is not known how many will be needed.
_BATCH = 500

#: What a listing can be sorted by. Times, sizes and progress begin with the most.
SORTS = ("created", "id", "branch", "name", "done", "size", "status", "trigger")
_MOST_FIRST = frozenset({"created", "done", "size"})


def settle_lineage(catalog: Catalog) -> None:
    """Read the documents of those that may have a parent which their header does not name."""
    _read(catalog, [one for one in catalog.unread() if one.header.parent_id is None])


def choose(catalog: Catalog, selection: Selection, limit: int | None = None) -> list[Checkpoint]:
    """The wanted checkpoints, newest first; with ``limit`` so many of the newest.

    Their summaries have been read.
    """
    if not selection and limit is None:
        catalog.read_summaries()
        return list(reversed(catalog.checkpoints))
    if selection.asks_lineage:
        settle_lineage(catalog)
    _settle_branches(catalog, selection)
    found: list[Any] = []
    waiting = [node for node in reversed(catalog.forest.order) if selection.may_fit(node)]
    size = len(waiting) if limit is None else max(limit, _BATCH if selection.reads else 1)
    at = 0
    while at < len(waiting) and (limit is None or len(found) < limit):
        batch = [node.checkpoint for node in waiting[at : at + size]]
        at += size
        size *= 4
        _read(catalog, batch)
        nodes = (catalog.forest.by_key[one.key] for one in batch)
        found += [node.checkpoint for node in nodes if selection.fits(node)]
    chosen = {id(one) for one in (found if limit is None else found[:limit])}
    # reading may have changed the order
    return [one for one in reversed(catalog.checkpoints) if id(one) in chosen]


def choose_runs(catalog: Catalog, selection: Selection, limit: int | None = None) -> list[Segment]:
    """The runs of which a part fits, newest first: the run itself or one of its forks.

    A part has the status of its newest checkpoint; of everything else it is enough that
    one of its checkpoints fits. Reads all summaries.
    """
    catalog.read_summaries()
    runs = [
        run
        for run in reversed(catalog.forest.runs)
        if not selection or any(_part_fits(part, selection) for part in run.walk())
    ]
    return runs if limit is None else runs[:limit]


def _part_fits(part: Segment, selection: Selection) -> bool:
    statuses = selection.exact.get("status")
    if statuses is not None and run_status(part) not in statuses:
        broken = (shown_status(node.checkpoint) == DAMAGED for node in part.nodes)
        if DAMAGED not in statuses or not any(broken):
            return False
    return any(selection.without("status").fits(node) for node in part.nodes)


def _settle_branches(catalog: Catalog, selection: Selection) -> None:
    """Read what must be read to know who is on the wanted branches."""
    wanted = selection.exact.get("branch")
    if wanted is None:
        return
    known = {one.branch for one in catalog.checkpoints}
    unread = catalog.unread()
    if wanted <= known:
        # a copy lies wherever a person has put it
        unread = [one for one in unread if one.header.created_at is None]
    _read(catalog, unread)


def _read(catalog: Catalog, checkpoints: list[Checkpoint]) -> None:
    unread = [one for one in checkpoints if one.summary is None]
    if unread:
        catalog.read_summaries(unread)


def in_order(
    checkpoints: list[Checkpoint], sort: str | None = None, reverse: bool = False
) -> list[Checkpoint]:
    """Checkpoints that come newest first, sorted; ties stay as they come, unknown is last.

    Without ``sort`` the order itself is reversed.
    """
    if sort is None:
        return checkpoints[::-1] if reverse else checkpoints
    key = _KEYS[sort]
    known = [one for one in checkpoints if key(one) is not None]
    unknown = [one for one in checkpoints if key(one) is None]
    # a reversed sort keeps the order of equals, too
    known.sort(key=key, reverse=reverse != (sort in _MOST_FIRST))
    return known + unknown


def _done(checkpoint: Checkpoint) -> int | None:
    return checkpoint.summary.done if checkpoint.summary is not None else None


def _name(checkpoint: Checkpoint) -> str | None:
    name = checkpoint.summary.name if checkpoint.summary is not None else None
    return name.casefold() if name else None


_KEYS: dict[str, Callable[[Checkpoint], Any]] = {
    "created": lambda one: one.header.created_at,
    "id": lambda one: one.id,
    "branch": lambda one: one.branch.casefold(),
    "name": _name,
    "done": _done,
    "size": lambda one: one.header.size,
    "status": lambda one: shown_status(one) or None,
    "trigger": lambda one: exact_fields(one)["trigger"] or None,
}


def values_of(checkpoints: Iterable[Checkpoint], field: str) -> list[str]:
    """The values of an exact field that there are, the most frequent first."""
    from collections import Counter

    counts = Counter(exact_fields(one)[field] for one in checkpoints)
    return [value for value, _ in counts.most_common() if value]
