"""What a call that was under way had begun, as the record tells it.

A call starts anew, and what was finished within it is not done again: each crew, flow, agent
run and model call of the record answers once, to the first that is the same. What runs
within a call is known by a context variable, which threads and tasks of CrewAI inherit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeVar

from crewcheck.crewai.calls import finished_calls
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.flows.said import said_to
from crewcheck.crewai.flows.saved import SavedFlow, events_of_flow
from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.saved import Entity
from crewcheck.model.document import INTERNAL_FLOWS, entities, mapping, text
from crewcheck.model.event_tree import within
from crewcheck.model.kickoffs import crews_in

T = TypeVar("T")

#: What the record has of the call that runs here, None where it begins with nothing.
current: ContextVar[Scope | None] = ContextVar("what a call had begun", default=None)


class Scope:
    """One call's part of the record. ``events`` are those within it, in order; ``later`` are
    those that an earlier run of ours has told of, behind the checkpoint."""

    def __init__(
        self, saved: SavedFlow, events: Sequence[Entity], later: Sequence[Entity] = ()
    ) -> None:
        self.saved = saved
        self.events = list(events)
        self.later = list(later)
        self._lock = threading.Lock()
        self.crews = self._crews()
        self.flows = self._flows()
        self.agents = _pairs(
            self.events, "lite_agent_execution_started", "lite_agent_execution_completed"
        )
        self.models = finished_calls([*self.events, *self.later])
        self.said = list(said_to(self.events))

    def __bool__(self) -> bool:
        return bool(self.events or self.later)

    def take(self, of: list[T], fits: Callable[[T], bool]) -> T | None:
        """The first of some that fits, which is gone then."""
        with self._lock:
            for place, one in enumerate(of):
                if fits(one):
                    return of.pop(place)
        return None

    def forget(self, events: Sequence[Entity]) -> None:
        """What is told as a whole does not answer model calls as well: a loop may make them
        again."""
        spent = finished_calls(events)
        with self._lock:
            for call in spent:
                if call in self.models:
                    self.models.remove(call)

    def _crews(self) -> list[SavedCrew]:
        """The crews that were kicked off in it and are in the document, in that order."""
        saved = self.saved
        own = [one for one in entities(saved.document) if one.get("entity_type") == "crew"]
        found = []
        for one, events in crews_in(own, self.events):
            with suppress(Refusal):
                found.append(
                    SavedCrew(saved.document, saved.checkpoint_id, [*events], one, primary=False)
                )
        return found

    def _flows(self) -> list[SavedFlow]:
        """The flows that were kicked off in it, each with its own events."""
        found = []
        roots = [
            event
            for event in self.events
            if event.get("type") == "flow_started"
            and text(event.get("flow_name")) not in INTERNAL_FLOWS
        ]
        inner: set[int] = set()
        for started in roots:
            if id(started) in inner:
                continue  # of a flow within: found with that one
            below = within(self.events, [text(started.get("event_id")) or ""])
            inner |= {id(event) for event in below}
            own = events_of_flow(self.events, started)
            found.append(self._flow(started, own))
        return found

    def _flow(self, started: Entity, events: list[Entity]) -> SavedFlow:
        saved = self.saved
        ids = {mapping(event.get("state")).get("id") for event in events} - {None}
        entity = next(
            (
                one
                for one in entities(saved.document)
                if one.get("entity_type") == "flow"
                and mapping(one.get("checkpoint_state")).get("id") in ids
            ),
            {},
        )
        name = text(started.get("flow_name"))
        flow = SavedFlow(saved.document, saved.checkpoint_id, events, entity, name)
        flow.take_later(self.later)
        return flow


def _pairs(events: Sequence[Entity], opening: str, closing: str) -> list[tuple[Entity, Entity]]:
    """What was begun and has ended, in the order in which it ended."""
    begun = {text(one.get("event_id")): one for one in events if one.get("type") == opening}
    found = []
    for event in events:
        started = begun.get(text(event.get("started_event_id")))
        if event.get("type") == closing and started is not None:
            found.append((started, event))
    return found


@contextmanager
def entered(scope: Scope | None) -> Iterator[None]:
    """While this holds, what runs here is answered from a scope."""
    token = current.set(scope)
    try:
        yield
    finally:
        current.reset(token)


def with_inputs(
    args: tuple[Any, ...], named: dict[str, Any], inputs: Any
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a kickoff with other inputs: they are the first, if given by place."""
    if args:
        return (inputs, *args[1:]), named
    return args, {**named, "inputs": inputs}
