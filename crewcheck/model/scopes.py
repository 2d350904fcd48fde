"""What encloses an event: its task, its method, and what opened it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crewcheck.model.document import INTERNAL_FLOWS, text
from crewcheck.model.events import seconds_between

Event = Mapping[str, Any]


class Scopes:
    """The events of a record by their ids. Cycles of scopes end where they begin."""

    def __init__(self, events: list[Event]) -> None:
        self._by_id = {one: event for event in events if (one := text(event.get("event_id")))}

    def opening(self, event: Event) -> Event | None:
        """The event that an event closes. Of another kind it is none: CrewAI reports failed
        calls twice, and the second time names what encloses the call."""
        opening = self._by_id.get(text(event.get("started_event_id")) or "")
        if opening is None or _stem(opening) != _stem(event) or opening is event:
            return None
        return opening

    def seconds(self, event: Event) -> float | None:
        """What it took from its opening on; None for what closes nothing."""
        opening = self.opening(event)
        if opening is None:
            return None
        return seconds_between(opening.get("timestamp"), event.get("timestamp"))

    def enclosing(self, event: Event) -> Iterator[Event]:
        """The event's scopes, innermost first, without itself."""
        seen: set[str] = set()
        at: Event | None = event
        while at is not None:
            parent = text(at.get("parent_event_id"))
            if parent is None or parent in seen:
                return
            seen.add(parent)
            at = self._by_id.get(parent)
            if at is not None:
                yield at

    def method(self, event: Event) -> str | None:
        """The method of a person's flow that an event happened in."""
        for scope in self.enclosing(event):
            name = text(scope.get("method_name"))
            begins = scope.get("type") == "method_execution_started"
            if name and begins and not self.is_internal(scope):
                return name
        return None

    @staticmethod
    def is_internal(event: Event) -> bool:
        """Whether it is of a flow that CrewAI itself runs."""
        return text(event.get("flow_name")) in INTERNAL_FLOWS

    def task(self, event: Event, known: Mapping[str, Any]) -> str | None:
        """The id of the known task that an event is of, or happened in."""
        own = text(event.get("task_id"))
        if own in known:
            return own
        for scope in self.enclosing(event):
            outer = text(scope.get("task_id"))
            if outer in known:
                return outer
        return None


def _stem(event: Event) -> str:
    return (text(event.get("type")) or "").rpartition("_")[0]
