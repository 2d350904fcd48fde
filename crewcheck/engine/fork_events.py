"""Taking work out of an event record, with all that happened within it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from crewcheck.model.document import mapping, objects, sequence, text

Event = Mapping[str, Any]


def drop_events(document: Mapping[str, Any], wanted: Callable[[Event], bool]) -> set[str]:
    """Take the events that are wanted, and all within them, out of the record: their ids."""
    nodes = mapping(document.get("event_record")).get("nodes")
    if not isinstance(nodes, dict):
        return set()
    inner: dict[str, list[str]] = {}
    stack: list[str] = []
    for key, node in nodes.items():
        event = mapping(mapping(node).get("event"))
        inner.setdefault(text(event.get("parent_event_id")) or "", []).append(key)
        if wanted(event):
            stack.append(key)
    gone: set[str] = set()
    while stack:
        key = stack.pop()
        if key not in gone:
            gone.add(key)
            stack += inner.get(key, [])
    for key in gone:
        del nodes[key]
    for node in nodes.values():
        _unlink(node, gone)
    return gone


def _unlink(node: Any, gone: set[str]) -> None:
    """Forget links to events that are gone."""
    edges = mapping(node).get("edges")
    if isinstance(edges, dict):
        for kind, targets in list(edges.items()):
            if isinstance(targets, list):
                kept = [one for one in targets if text(one) not in gone]
                if kept:
                    edges[kind] = kept
                else:
                    del edges[kind]
    event = mapping(node).get("event")
    if isinstance(event, dict):
        for link in ("previous_event_id", "triggered_by_event_id"):
            if text(event.get(link)) in gone:
                event[link] = None


def drop_executors(
    document: dict[str, Any], crew: Mapping[str, Any], tasks: Iterable[Mapping[str, Any]]
) -> None:
    """An invalidated task leaves no chat behind: its executors' messages go."""
    texts = [found for task in tasks if (found := text(task.get("description")))]
    if not texts:
        return

    def about(executor: Any) -> bool:
        state = mapping(mapping(executor).get("checkpoint_state"))
        # the key of old versions lies in the executor itself
        messages = state.get("messages") or mapping(executor).get("messages")
        told = json.dumps(messages, ensure_ascii=False, default=str)
        return any(json.dumps(one, ensure_ascii=False)[1:-1] in told for one in texts)

    document["entities"] = [
        one
        for one in sequence(document.get("entities"))
        if one is crew or not (mapping(one).get("executor_type") and about(one))
    ]
    agents = [
        *objects(crew.get("agents")),
        *(mapping(t.get("agent")) for t in objects(crew.get("tasks"))),
    ]
    for agent in agents:
        if isinstance(agent, dict) and about(agent.get("agent_executor")):
            agent["agent_executor"] = None
