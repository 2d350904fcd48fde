"""What CrewAI let go of in an agent's record, from the checkpoints before it.

When an agent's own work is done CrewAI begins its record anew: what comes after (its answer
is judged, and given back) is written without the question and without what the models had
said. The checkpoints before it in the store still have both, and name the same kickoff.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from crewcheck.engine.catalog import Catalog
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.agent import ANSWERED, ASKED, agent_run, within
from crewcheck.model.document import event_order, mapping, sorted_events, text
from crewcheck.model.primary import primary

#: So many checkpoints are looked at, the nearest before it first.
_MOST = 200
_BATCH = 20


def mended(catalog: Catalog, node: Node, document: dict[str, Any]) -> dict[str, Any]:
    """The document of an agent's checkpoint with the events of its kickoffs that it lacks.

    The same object where it lacks none, or nothing more is found.
    """
    events = sorted_events(document)
    entity = mapping(primary(document, events))
    present = {event.get("event_id") for event in events}
    wanted = {agent_run(document, entity, events).kickoff_id}
    wanted |= {text(one.get("started_event_id")) for one in events if one.get("type") == ANSWERED}
    wanted -= present | {None}
    if not wanted:
        return document
    made = copy.deepcopy(document)
    nodes = made.setdefault("event_record", {}).setdefault("nodes", {})
    newest = event_order(events[-1]) if events else ("", 0)
    found: dict[str, Any] = {}
    for before in _before(catalog, node, {*wanted, text(entity.get("id"))}):
        theirs = sorted_events(before)
        known = mapping(mapping(before.get("event_record")).get("nodes"))
        for kickoff_id in sorted(filter(None, wanted)):
            run = within(theirs, kickoff_id)
            # of one second, those that came after this one may be among them
            ids = [str(event.get("event_id")) for event in run if event_order(event) <= newest]
            found.update({key: known[key] for key in ids if key in known and key not in found})
            if any(event.get("type") == ASKED for event in run if event["event_id"] == kickoff_id):
                wanted.discard(kickoff_id)
        if not wanted - {None}:
            break
    new = {key: value for key, value in found.items() if key not in nodes}
    if not new:
        return document
    made["event_record"]["nodes"] = {**copy.deepcopy(new), **nodes}
    return made


def _before(catalog: Catalog, node: Node, keys: set[str | None]) -> Iterator[dict[str, Any]]:
    """Documents of runs with these keys that were written before, newest first."""
    node = catalog.forest.by_key[node.checkpoint.key]
    created = node.checkpoint.header.created_at
    earlier = [
        one.checkpoint
        for one in reversed(catalog.forest.order)
        # without a parent nothing orders those of one second
        if (one.number < node.number or one.checkpoint.header.created_at == created)
        and one is not node
        and one.checkpoint.branch == node.checkpoint.branch
    ][:_MOST]
    for start in range(0, len(earlier), _BATCH):
        batch = earlier[start : start + _BATCH]
        catalog.read_summaries([one for one in batch if one.summary is None])
        for checkpoint in batch:
            summary = checkpoint.summary
            if summary is None or summary.kind != "agent" or summary.run_key not in keys:
                continue
            try:
                yield catalog.store.document(checkpoint.header)
            except CrewcheckError:
                continue  # damaged: another one may have it
