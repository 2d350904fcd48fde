"""The runs that were under way at the same time as a checkpoint's: kickoffs in threads, or
gathered. CrewAI records each on its own, so no checkpoint of the one tells of the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.source import Source
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.document import iter_events, sorted_events, text
from crewcheck.model.primary import primary
from crewcheck.model.scan import Checkpoint

#: So many runs are looked at, of so many checkpoints.
_MOST_RUNS = 20
_MOST_CHECKPOINTS = 500


class _Span(NamedTuple):
    """From when to when a run is told of, as its events have it."""

    name: str
    began: str
    told: str


def runs_beside(source: Source) -> list[str]:
    """The names of what had begun before a checkpoint was written, and had not ended before its
    own run began."""
    own = _span(source.document, source.entity)
    found = []
    for checkpoint in _at_the_time(source.catalog, source.node):
        try:
            document = source.catalog.store.document(checkpoint.header)
        except CrewcheckError:
            continue
        entity = primary(document, list(iter_events(document)))
        other = _span(document, entity) if entity is not None else None
        if own and other and other.began < own.told and other.told > own.began:
            found.append(other.name)
    return found


def _span(document: Mapping[str, Any], entity: Mapping[str, Any]) -> _Span | None:
    events = sorted_events(document)
    kickoff = entity.get("checkpoint_kickoff_event_id")
    opening = next((one for one in events if one.get("event_id") == kickoff), {})
    began, told = text(opening.get("timestamp")), events and text(events[-1].get("timestamp"))
    if not began or not told:
        return None
    name = text(entity.get("name")) or text(entity.get("role"))
    return _Span(name or f"a {text(entity.get('entity_type')) or 'run'}", began, told)


def _at_the_time(catalog: Catalog, node: Node) -> list[Checkpoint]:
    """The newest checkpoint of each run on the branch that may have been under way then: the
    listing knows whole seconds."""
    own = catalog.forest.by_key[node.checkpoint.key]
    root = own
    while root.parent is not None and root.parent.checkpoint.branch == own.checkpoint.branch:
        root = root.parent
    since, until = (one.checkpoint.header.created_at or "" for one in (root, own))
    near = [
        one.checkpoint
        for one in catalog.forest.order
        if one.checkpoint.branch == own.checkpoint.branch
        and (one.checkpoint.header.created_at or "") >= since
    ][:_MOST_CHECKPOINTS]
    catalog.read_summaries([one for one in near if one.summary is None])
    mine = _run_of(own.checkpoint)
    began: set[str] = set()
    newest: dict[str, Checkpoint] = {}
    for checkpoint in near:
        key = _run_of(checkpoint)
        if key is None or key == mine:
            continue
        if (checkpoint.header.created_at or "") <= until:
            began.add(key)
        newest[key] = checkpoint
    return [newest[key] for key in newest if key in began][:_MOST_RUNS]


def _run_of(checkpoint: Checkpoint) -> str | None:
    return text(checkpoint.summary.run_key) if checkpoint.summary is not None else None
