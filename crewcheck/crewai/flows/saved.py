"""The flow of a checkpoint: which calls of its methods are done, and with which result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crewcheck.crewai.saved import Entity, Saved
from crewcheck.model.document import kickoff_inputs, mapping, objects, text
from crewcheck.model.event_tree import within
from crewcheck.model.flow_calls import DONE, PAUSED, Call, calls
from crewcheck.model.flow_result import result_text
from crewcheck.model.primary import flow_name

_OPENING = "flow_started"
_ENDINGS = ("flow_finished", "flow_failed", "flow_paused")


@dataclass(frozen=True)
class Pause:
    """A call that waits for a person: what is asked, and of which flow (the state's id)."""

    call: Call
    message: str
    outcomes: tuple[str, ...]
    flow_id: str
    state: Mapping[str, Any] = field(default_factory=dict)


class SavedFlow(Saved):
    """A flow of a document. ``calls`` are in the order in which they began.

    ``flow_started`` is its opening event, if the record has one. ``feedback`` is what
    people said, in order.
    """

    kind = "flow"

    def __init__(
        self,
        document: Mapping[str, Any],
        checkpoint_id: str,
        events: list[Entity],
        flow: Entity,
        name: str | None = None,
    ) -> None:
        super().__init__(document, checkpoint_id, events, flow)
        self.name = name or flow_name(flow, events)
        self.calls = calls(flow, self.name, events)
        self.inputs = kickoff_inputs(flow, [one for one in events if self._is_of_it(one)])
        self.by_id = {one: event for event in events if (one := text(event.get("event_id")))}
        self.flow_started = next(
            (one for one in events if one.get("type") == _OPENING and self._is_of_it(one)), None
        )
        self.feedback = objects(flow.get("human_feedback_history"))

    def _is_of_it(self, event: Entity) -> bool:
        return self.name is None or text(event.get("flow_name")) == self.name

    @property
    def begun(self) -> bool:
        """Whether it had been kicked off: CrewAI can write a checkpoint before that."""
        return self.flow_started is not None or bool(self.calls)

    @property
    def done(self) -> list[Call]:
        """The finished calls in the order in which they ended."""
        ended = [call for call in self.calls if call.state == DONE]
        last = len(self.calls)
        return sorted(ended, key=lambda call: call.end if call.end is not None else last)

    @property
    def ending(self) -> Entity | None:
        """The event that ended the flow, None where it was under way."""
        newest = None
        for event in self.events:
            if self._is_of_it(event):
                kind = text(event.get("type")) or ""
                if kind in _ENDINGS:
                    newest = event
                elif kind.startswith("method_execution_"):
                    newest = None
        return newest

    @property
    def finished(self) -> bool:
        ending = self.ending
        return ending is not None and ending.get("type") == "flow_finished"

    @property
    def result(self) -> str:
        return result_text(mapping(self.ending).get("result"))

    @property
    def state(self) -> dict[str, Any] | None:
        """The state right after the last finished call; else the one that it began with.

        CrewAI copies the flow's own a moment later, when the next call may have changed it.
        Its id is the one of the entity: a fork has a new one.
        """
        own = mapping(self.entity.get("checkpoint_state"))
        told = [call.flow_state for call in self.done if isinstance(call.flow_state, dict)]
        state = told[-1] if told else self._begun_with() or own
        if not state:
            return None
        return {**state, **({"id": own["id"]} if own.get("id") else {})}

    def _begun_with(self) -> Mapping[str, Any]:
        """What the first call that is known of was given."""
        for event in self.events:
            if event.get("type") == "method_execution_started" and self._is_of_it(event):
                return mapping(event.get("state"))
        return {}

    @property
    def pause(self) -> Pause | None:
        """The call that waits for a person, the newest of several."""
        for call in reversed(self.calls):
            event = self.by_id.get(call.ended_id or "")
            if call.state == PAUSED and event is not None:
                outcomes = event.get("emit")
                return Pause(
                    call,
                    text(event.get("message")) or "",
                    tuple(map(str, outcomes)) if isinstance(outcomes, list) else (),
                    text(event.get("flow_id")) or "",
                    mapping(event.get("state")),
                )
        return None

    def trigger_of(self, call: Call) -> str | None:
        """The id of the event that set a call off."""
        return text(mapping(self.by_id.get(call.started_id or "")).get("triggered_by_event_id"))

    def events_within(self, call: Call) -> list[Entity]:
        """What happened in a call, and in those in its place that did not finish."""
        roots = [*call.attempts, *([call.started_id] if call.started_id else [])]
        return within([*self.events, *self.later], roots)

    def later_within(self, method: str, trigger: str | None) -> list[Entity]:
        """What an earlier run of ours has told of calls of a method that the same event set
        off. Of events behind the checkpoint nobody knows: each run has its own."""

        def known(event_id: str | None) -> str | None:
            return event_id if event_id is None or event_id in self.by_id else ""

        began = [
            text(event.get("event_id")) or ""
            for event in self.later
            if event.get("type") == "method_execution_started"
            and self._is_of_it(event)
            and event.get("method_name") == method
            and known(text(event.get("triggered_by_event_id"))) == known(trigger)
        ]
        return within(self.later, began)

    def feedback_of(self, call: Call) -> Mapping[str, Any]:
        """What a person said to what a finished call gave, an empty one if nobody did."""
        said = [one for one in self.feedback if text(one.get("method_name")) == call.method]
        before = [one for one in self.done if one.method == call.method and one.index < call.index]
        return said[len(before)] if len(before) < len(said) else {}

    def outputs_of(self, call: Call) -> Mapping[str, Any]:
        """The flow's own record of a finished call: ``output`` differs from the result where
        feedback made the result a label."""
        own = [
            one
            for one in objects(self.entity.get("checkpoint_method_outputs"))
            if text(one.get("method")) == call.method
        ]
        before = [one for one in self.done if one.method == call.method and one.index < call.index]
        return own[len(before)] if len(before) < len(own) else {}

    def label(self, index: int) -> str:
        """What a person calls an item: a call, or a method to come."""
        return self.calls[index].label if index < len(self.calls) else f"step {index + 1}"

    def view(self) -> dict[str, Any]:
        """``methods``: each call (``index``, ``name``, ``number``, ``state``, ``result``);
        ``state``: the flow's state; ``tasks`` is empty."""
        return {
            "tasks": [],
            "state": self.state,
            "methods": [
                {
                    "index": call.index,
                    "name": call.method,
                    "number": call.number,
                    "state": call.state,
                    "result": call.result,
                }
                for call in self.calls
            ],
        }


def events_of_flow(events: Sequence[Entity], started: Entity) -> list[Entity]:
    """A flow's own events, by its opening one: it, what is below it, and what closed it."""
    own = text(started.get("event_id")) or ""
    below = {id(event) for event in within(events, [own])}
    return [
        event
        for event in events
        if id(event) in below or own in (event.get("event_id"), event.get("started_event_id"))
    ]
