"""Of several kickoffs of one crew object, what each has done.

A document has the object once, as the last of them left it, and CrewAI does not clear the
outputs of a kickoff when the next one begins: which are whose is told by the events.

Stdlib only and Python 3.10: the child uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crewcheck.model.document import mapping, objects, text
from crewcheck.model.event_tree import within

Entity = Mapping[str, Any]

_OPENING = "crew_kickoff_started"


def crews_in(
    crews: Sequence[Entity], events: Sequence[Entity]
) -> list[tuple[Entity, Sequence[Entity]]]:
    """The crews of a document as each kickoff among some events (in order) left them, with the
    events that are about it.

    An earlier kickoff of one and the same object is told only within the same call: what
    came before a call began anew has been taken over by it.
    """
    began = [event for event in events if event.get("type") == _OPENING]
    below = {id(event): within(events, [text(event.get("event_id")) or ""]) for event in began}
    by_kickoff = {text(crew.get("checkpoint_kickoff_event_id")): crew for crew in crews}
    found = []
    for event in began:
        own = by_kickoff.get(text(event.get("event_id")))
        others = [
            other
            for other in began
            if other is not event and other.get("parent_event_id") == event.get("parent_event_id")
        ]
        if own is not None:
            again = any(_worked_at(own, below[id(other)]) for other in others)
            found.append(_as_told(own, event, below[id(event)]) if again else (own, events))
            continue
        for other in others:
            crew = by_kickoff.get(text(other.get("event_id")))
            if crew is not None and _worked_at(crew, below[id(event)]):
                found.append(_as_told(crew, event, below[id(event)]))
                break
    return found


def _worked_at(crew: Entity, events: Sequence[Entity]) -> bool:
    """Whether some events are of a crew's tasks."""
    ids = {text(task.get("id")) for task in objects(crew.get("tasks"))}
    return any(
        event.get("type") == "task_started" and text(event.get("task_id")) in ids
        for event in events
    )


def _as_told(
    crew: Entity, started: Entity, events: Sequence[Entity]
) -> tuple[Entity, Sequence[Entity]]:
    """A crew with the inputs and outputs of one kickoff."""
    outputs = {
        text(event.get("task_id")): mapping(event.get("output"))
        for event in events
        if event.get("type") == "task_completed"
    }
    told = {
        **crew,
        "tasks": [
            {**task, "output": outputs.get(text(task.get("id"))) or None}
            for task in objects(crew.get("tasks"))
        ],
        "checkpoint_kickoff_event_id": started.get("event_id"),
        "checkpoint_inputs": started.get("inputs"),
    }
    return told, events
