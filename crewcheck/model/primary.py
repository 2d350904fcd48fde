"""Which entity of a document the user started.

A document lists more than that: CrewAI's executors (flows that run one agent once), its
internal flows, and the agents of a crew. A flow wins over the crews that its methods
ran; of several candidates, the one that the trigger's event belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.model.document import (
    INTERNAL_FLOWS,
    entities,
    event_order,
    is_executor,
    mapping,
    text,
)

Entity = Mapping[str, Any]
Event = Mapping[str, Any]


class NeedsRecord(Exception):
    """Several entities could be the primary one: only the whole event record tells."""


def _is_kind(value: object) -> bool:
    """Whether an entity's type is a word. It is shown as it is, so it must be harmless."""
    return isinstance(value, str) and value.isascii() and value.isidentifier() and len(value) <= 40


def candidates(document: Mapping[str, Any]) -> list[Entity]:
    """The entities that a user may have started: never executors nor a crew's agents."""
    listed = entities(document)
    crews = {text(entity.get("id")) for entity in listed if entity.get("entity_type") == "crew"}
    found = []
    for entity in listed:
        kind = entity.get("entity_type")
        if not _is_kind(kind) or is_executor(entity):
            continue
        if kind == "agent" and text(entity.get("crew")) in crews - {None}:
            continue
        if kind == "flow" and entity.get("suppress_flow_events") and not entity.get("checkpoint"):
            continue
        found.append(entity)
    return found


def primary(document: Mapping[str, Any], events: Iterable[Event] | None) -> Entity | None:
    """The entity that the user started, None if there is none.

    ``events`` are all events of the record, or None where they have not been read: then
    `NeedsRecord` is raised if they are needed to tell.
    """
    listed = entities(document)
    own = mapping(document.get("crewcheck")).get("primary")
    if isinstance(own, int) and not isinstance(own, bool) and 0 <= own < len(listed):
        return listed[own] if _is_kind(listed[own].get("entity_type")) else None
    found = candidates(document)
    flows = [entity for entity in found if entity.get("entity_type") == "flow"]
    pool = flows or found
    if len(pool) < 2:
        return pool[0] if pool else None
    if events is None:
        raise NeedsRecord
    return _of_trigger(pool, list(events), text(document.get("trigger"))) or pool[0]


def _of_trigger(pool: list[Entity], events: list[Event], trigger: str | None) -> Entity | None:
    """The candidate that the newest event of the trigger's type happened in."""
    path = path_to_root(events, trigger)
    outermost = enclosing_id(path)
    for event in [*([{"event_id": outermost}] if outermost else []), *reversed(path)]:
        for entity in pool:
            if _started_by(entity, event):
                return entity
    # events below the root may still name the state of a flow: of flows in flows the outer
    for event in reversed(path):
        flow_id = mapping(event.get("state")).get("id")
        for entity in pool:
            if flow_id is not None and mapping(entity.get("checkpoint_state")).get("id") == flow_id:
                return entity
    return None


def _started_by(entity: Entity, root: Event) -> bool:
    kind = entity.get("entity_type")
    kickoff_id = entity.get("checkpoint_kickoff_event_id")
    if kickoff_id is not None and (kickoff_id == root.get("event_id") or kind != "agent"):
        return bool(kickoff_id == root.get("event_id"))
    if kind == "agent" and root.get("type") == "lite_agent_execution_started":
        # an agent names its kickoff only when that has begun; before, an older one
        info = mapping(root.get("agent_info"))
        by = "id" if text(info.get("id")) and text(entity.get("id")) else "role"
        return text(entity.get(by)) is not None and entity[by] == info.get(by)
    return False


def enclosing_id(path: list[Event]) -> str | None:
    """The id of the event around all of a path to the root that is not in the record.

    CrewAI begins an agent's record anew when the agent's own work is done, so what comes
    after it names an opening that is gone.
    """
    if not path:
        return None
    last = path[-1]
    return text(last.get("parent_event_id")) or (
        text(last.get("started_event_id"))
        if last.get("started_event_id") != last.get("event_id")
        else None
    )


def path_to_root(events: list[Event], trigger: str | None) -> list[Event]:
    """The newest event of a type (or of all, without one) and its enclosing events."""
    by_id = {event.get("event_id"): event for event in events if text(event.get("event_id"))}
    newest = None
    for event in events:
        if trigger is not None and event.get("type") != trigger:
            continue
        if newest is None or event_order(event) >= event_order(newest):
            newest = event
    path: list[Event] = []
    seen: set[int] = set()
    while newest is not None and id(newest) not in seen:
        seen.add(id(newest))
        path.append(newest)
        # a closing event of a whole run has no enclosing scope, but names its opening one
        parent = newest.get("parent_event_id")
        if parent is None and newest.get("started_event_id") != newest.get("event_id"):
            parent = newest.get("started_event_id")
        newest = by_id.get(parent) if isinstance(parent, str) else None
    return path


def flow_name(entity: Entity, events: Iterable[Event], *, partly: bool = False) -> str | None:
    """The name of a flow: its own, else the class's, which only the events know.

    The first event of a flow that is not CrewAI's own names it; where several flows are
    in the record, the one whose state is this entity's. ``partly``: the events are only
    the first ones; then `NeedsRecord` is raised where they do not tell for certain.
    """
    own = text(entity.get("name"))
    if own:
        return own
    state_id = mapping(entity.get("checkpoint_state")).get("id")
    first = None
    for event in events:
        name = text(event.get("flow_name"))
        if not name or name in INTERNAL_FLOWS:
            continue
        first = first or name
        if state_id is not None and mapping(event.get("state")).get("id") == state_id:
            return name
    if partly:
        raise NeedsRecord
    return first
