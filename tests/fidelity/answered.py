"""Which model requests a checkpoint's document holds the answers of.

Told from the document alone: by the pairs of ``llm_call_started`` and ``llm_call_completed``
in its event record; of models that tell CrewAI nothing, by when the work around them was
going on. What a task with an output had asked is answered, whatever the record says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.fake_model import Request
from tests.fake_replies import text_of

_WORK = {
    "task_started": ("task_completed", "task_failed"),
    "method_execution_started": ("method_execution_finished", "method_execution_failed"),
    "lite_agent_execution_started": ("lite_agent_execution_completed",),
}
_ENDS = {"task_completed", "method_execution_finished", "lite_agent_execution_completed"}

Event = Mapping[str, Any]


@dataclass
class Owner:
    """Whose a request was: the event that ends it, the one that ends the work around it,
    and the task that it was made for."""

    ending: str | None = None
    work_ending: str | None = None
    task_id: str | None = None


def events_of(document: Mapping[str, Any]) -> list[Event]:
    """The events of a document, in their order."""
    nodes = (document.get("event_record") or {}).get("nodes") or {}
    events = [node["event"] for node in nodes.values()]
    return sorted(events, key=_when)


def _when(event: Event) -> tuple[str, int]:
    return event.get("timestamp") or "", event.get("emission_sequence") or 0


def owners(requests: Sequence[Request], documents: Iterable[Mapping[str, Any]]) -> list[Owner]:
    """Whose each request of a run was, by all documents that the run has written."""
    every = {one["event_id"]: one for document in documents for one in events_of(document)}
    events = sorted(every.values(), key=_when)
    found = [Owner() for _ in requests]
    free = [place for place, one in enumerate(requests) if one.status == 200]
    asked = {one["call_id"]: one for one in events if one["type"] == "llm_call_started"}
    for event in events:
        if event["type"] != "llm_call_completed" or event["call_id"] not in asked:
            continue
        messages = asked[event["call_id"]].get("messages")
        fits = [place for place in free if _sent(requests[place].messages, messages)]
        # a list that was changed after the call begins with what later calls sent, too
        place = min(fits, key=lambda one: len(requests[one].messages), default=None)
        if place is not None:
            free.remove(place)
            found[place] = Owner(
                event["event_id"], _work_ending(event, every, events), event.get("task_id")
            )
    for place in free:
        found[place] = _by_time(requests[place].at, events)
    return found


def _sent(sent: Sequence[Mapping[str, Any]], recorded: Any) -> bool:
    """Whether a recorded list of messages begins with what was sent."""
    if isinstance(recorded, str):
        recorded = [{"role": "user", "content": recorded}]
    plain = [(one.get("role"), text_of(one).strip()) for one in recorded or []]
    return plain[: len(sent)] == [(one.get("role"), text_of(one).strip()) for one in sent]


def _work_ending(event: Event, by_id: Mapping[str, Event], events: Sequence[Event]) -> str | None:
    """The event that ended well the work that an event is within."""
    at: Event | None = event
    while at is not None and at["type"] not in _WORK:
        at = by_id.get(at.get("parent_event_id") or "")
    if at is None:
        return None
    closing = [one for one in events if one.get("started_event_id") == at["event_id"]]
    return next((one["event_id"] for one in closing if one["type"] in _ENDS), None)


def _by_time(at: float, events: Iterable[Event]) -> Owner:
    """The innermost work that was going on at a time."""
    best: tuple[float, Owner] | None = None
    by_id = {one.get("started_event_id"): one for one in events if one["type"] in _closing()}
    for event in events:
        closing = by_id.get(event["event_id"]) if event["type"] in _WORK else None
        if closing is None:
            continue
        began, ended = seconds_of(event), seconds_of(closing)
        if began <= at <= ended and (best is None or ended - began < best[0]):
            ending = closing["event_id"] if closing["type"] in _ENDS else None
            best = ended - began, Owner(None, ending, event.get("task_id"))
    return best[1] if best else Owner()


def _closing() -> set[str]:
    return {name for names in _WORK.values() for name in names}


def seconds_of(event: Event) -> float:
    """When an event was, in seconds of the clock."""
    return datetime.fromisoformat(event["timestamp"]).timestamp()


def answered(
    requests: Sequence[Request], owned: Sequence[Owner], document: Mapping[str, Any]
) -> list[str]:
    """The keys of the requests whose answers a document holds."""
    recorded = {one["event_id"] for one in events_of(document)}
    done = {
        task.get("id")
        for entity in document.get("entities") or []
        for task in entity.get("tasks") or []
        if task.get("output") is not None
    }
    return [
        request.key
        for request, owner in zip(requests, owned, strict=True)
        if request.status == 200
        and ({owner.ending, owner.work_ending} & recorded or owner.task_id in done)
    ]


def answered_since_last_end(events: Sequence[Event]) -> bool:
    """Whether the model has answered since the last task, method or agent has ended."""
    for event in reversed(events):
        if event["type"] in _ENDS:
            return False
        if event["type"] == "llm_call_completed":
            return True
    return False
