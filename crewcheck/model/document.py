"""The parts of a checkpoint document, read with tolerance.

A document is the JSON object that CrewAI writes: ``entities`` (the objects that were
alive) and ``event_record`` (what happened so far), plus ``crewai_version``,
``parent_id``, ``branch`` and ``trigger``. Everything in it may be missing or of an odd
type; the functions here answer with what is there and never raise for what is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

#: CrewAI's internal flows that may show up among a document's events.
INTERNAL_FLOWS = frozenset({"AgentExecutor", "EncodingFlow", "RecallFlow", "ConsolidationFlow"})

_EXECUTOR_STATE = frozenset({"iterations", "use_native_tools", "is_finished"})


class LeanDocument(dict[str, Any]):
    """A document of which only what is shown has been read: `stores.json_lean`."""


def text(value: object) -> str | None:
    """The value if it is a string, else None."""
    return value if isinstance(value, str) else None


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def objects(value: object) -> list[Mapping[str, Any]]:
    """The objects in an array; anything else in it is passed over."""
    return [item for item in sequence(value) if isinstance(item, dict)]


def entities(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return objects(document.get("entities"))


def is_document(value: object) -> bool:
    """Whether a JSON value has the shape of a checkpoint."""
    return isinstance(value, dict) and isinstance(value.get("entities"), list)


def is_executor(entity: Mapping[str, Any]) -> bool:
    """CrewAI's own flow that runs one agent; from 1.14.5 on it is listed as an entity."""
    if entity.get("entity_type") != "flow":
        return False
    state = mapping(entity.get("checkpoint_state"))
    return "executor_type" in entity or _EXECUTOR_STATE.issubset(state)


def iter_events(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The events of the record, in the order in which the document has them."""
    nodes = mapping(document.get("event_record")).get("nodes")
    for node in mapping(nodes).values():
        event = mapping(node).get("event")
        if isinstance(event, dict):
            yield event


def kickoff_inputs(
    entity: Mapping[str, Any], events: Iterable[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """The inputs of a kickoff: the entity's own, else what its starting event says.

    A checkpoint at the very start has them in the event only. Of several kickoffs in one
    record the entity's own is meant; where the entity names none, the first with inputs.
    """
    saved = entity.get("checkpoint_inputs")
    if isinstance(saved, dict):
        return dict(saved)
    kind = text(entity.get("entity_type")) or ""
    opening = {"crew": "crew_kickoff_started", "flow": "flow_started"}.get(kind)
    own = text(entity.get("checkpoint_kickoff_event_id"))
    for event in events:
        given = event.get("inputs")
        is_own = event.get("type") == opening and own in (None, event.get("event_id"))
        if is_own and isinstance(given, dict):
            return dict(given)
    return None


def event_order(event: Mapping[str, Any]) -> tuple[str, int]:
    """Sorts events by time, then by emission (which may start again in a second run)."""
    number = event.get("emission_sequence")
    return text(event.get("timestamp")) or "", number if isinstance(number, int) else 0


def sorted_events(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return sorted(iter_events(document), key=event_order)
