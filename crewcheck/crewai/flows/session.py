"""One run of a flow: finished calls of its methods answer from the recording, the rest is
real."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from crewcheck.crewai import lineage, telling, writes
from crewcheck.crewai.bus import flush
from crewcheck.crewai.channel import Channel
from crewcheck.crewai.crews.recording import same_inputs
from crewcheck.crewai.flows import (
    conversation,
    feedback,
    inner_asks,
    inner_flows,
    match,
    nested,
    plan,
    replay,
    shared_state,
    state_objects,
    stores,
    values,
)
from crewcheck.crewai.flows.adopt import adopt, name_of
from crewcheck.crewai.flows.objects import FlowKind
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.steps import Step, steps_of
from crewcheck.crewai.flows.telling import FlowTelling, inside
from crewcheck.crewai.saved import load_document
from crewcheck.crewai.session import Named, NotRun, Session
from crewcheck.model.document import sorted_events
from crewcheck.model.flow_calls import DONE, Call
from crewcheck.model.primary import primary
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message


class FlowSession(Session[SavedFlow]):
    """``order`` is what was agreed on, None before. A fork goes on from its own document:
    `saved` is that one's flow from then on."""

    kind = FlowKind()

    def __init__(self, channel: Channel, spec: RunSpec, saved: SavedFlow) -> None:
        super().__init__(channel, spec, saved)
        self.edits = plan.edits_of(spec, saved)
        self._edited = {saved.calls[index].ended_id for index in self.edits.results}
        writes.held.add("flow_created")  # of the object that is made anew: no part of the run
        self.order: plan.Order | None = None
        self._steps: list[Step] = []
        self._replay: replay.Replay | None = None
        self._nested: nested.Nested | None = None
        self._fresh = 0
        self._undone: list[shared_state.Undo] = []

    @property
    def edited(self) -> bool:
        return bool(self.edits)

    def say_loaded(self, target: Any, entry: str, ran_before: bool) -> None:
        self._steps = steps_of(target)
        self.channel.send(
            "loaded",
            entry=entry,
            kind="flow",
            name=name_of(target),
            tasks=[],
            methods=[
                {
                    "name": step.name,
                    "kind": step.kind,
                    "routes": step.routes,
                    "waits_for": None if step.waits_for is None else list(step.waits_for),
                    "all_of": step.all_of,
                    "labels": None if step.labels is None else list(step.labels),
                    "calls": [call.index for call in self.saved.calls if call.method == step.name],
                }
                for step in self._steps
            ],
            inputs=self.saved.inputs,
            tools=[],
            cwd=self.spec.cwd,
            model=None,
            endpoint=None,
            ran_before=ran_before,
        )

    def say_plan(self, target: Any, ran_before: str = "") -> None:
        self._steps = self._steps or steps_of(target)
        conversation.check(target, self.saved, by_program=bool(ran_before))
        made = plan.make(target, self._steps, self.saved, self.edits, self.spec.allow_changed)
        self._undone = made.undone
        self.send_plan(
            [item.as_dict() for item in made.items],
            ran_before=ran_before,
            changed=made.changed,
            warnings=made.warnings,
            losses=made.losses,
            nothing_to_run=False,
        )

    def take_order(self, message: Message, target: Any) -> None:
        own = message.get("document")
        if own:
            # what is not kept is not in it, and what was edited is
            document = load_document(own)
            events = sorted_events(document)
            flow: Any = primary(document, events)
            saved_id = str(message.get("checkpoint_id") or self.saved.checkpoint_id)
            self.saved = SavedFlow(document, saved_id, events, flow, self.saved.name)
            keep = [call.index for call in self.saved.calls if call.state == DONE]
            message = {**message, "keep": keep, "results": {}}
        self.order = plan.order(message, target, self.saved)
        plan.check_state(target, self.saved.state or {}, [])

    def arm(self, target: Any) -> None:
        order, saved = self._agreed(), self.saved
        adopt(target, saved)
        answering = self._answering(target, order)
        state = saved.state
        if answering is not None and answering.known:
            state = {**answering.state, **({"id": state["id"]} if state else {})}
        elif state is not None:
            state = shared_state.applied(state, self._undone)
        if state is not None:
            target._restore_state(state_objects.restored(target, state))
        kept = {}
        for index in sorted(order.keep):
            call = saved.calls[index]
            if index in order.results or call.ended_id in self._edited:
                result = order.results.get(index, call.result)
                kept[index] = inner_flows.value_of(target, saved, call, result)
            else:
                kept[index] = inner_flows.value_given(target, saved, call)
        inner_asks.remember(target, saved, kept)
        stores.arm(target, saved, self.spec)
        flush()
        writes.held.clear()
        target.checkpoint = lineage.config_for(target.checkpoint, saved.entity, self.spec)
        lineage.set_state([target], self.record, self.branch, self.parent_id)
        told = FlowTelling(self.channel, name_of(target))
        self.telling = told
        self._replay = replay.Replay(target, saved, kept)
        self._replay.returned = told.returned
        self._replay.answering = answering
        self._nested = nested.Nested(saved, order.fresh)
        self._replay.within = self._within
        replay.arm(self._replay)
        self._nested.arm(told, new_ids=self.spec.action == "fork")
        self.begin()
        telling.listen(told)

    def _answering(self, target: Any, order: plan.Order) -> feedback.Answering | None:
        """The call that waits for a person, if that is what the run goes on with."""
        pause = self.saved.pause
        if pause is None or pause.call.index in order.keep | order.fresh:
            return None
        if not feedback.outcomes_of(target, pause.call.method)[0]:
            return None  # it waits by its own doing: nothing would ask, and no answer be taken
        return feedback.Answering(target, pause, clears=self.spec.action == "resume")

    @contextmanager
    def _within(self, call: Call | None, method: str) -> Iterator[None]:
        """What a real call of a method runs in."""
        assert self._nested is not None
        index = call.index if call is not None else len(self.saved.calls) + self._fresh
        self._fresh += call is None
        token = inside.set((index, method))
        try:
            with self._nested.within(call, method):
                yield
        finally:
            inside.reset(token)

    def kickoff(self, target: Any) -> Any:
        streams, target.stream = target.stream, False  # nobody looks at the pieces
        inputs = self._inputs()
        try:
            return target.kickoff(inputs=inputs) if inputs else target.kickoff()
        finally:
            target.stream = streams

    def _inputs(self) -> dict[str, Any]:
        """The inputs of the kickoff. An ``id`` would make CrewAI load another state."""
        inputs = self._agreed().inputs or {}
        return {key: value for key, value in inputs.items() if key != "id"}

    def _agreed(self) -> plan.Order:
        if self.order is None:
            raise RuntimeError("there was no go")
        return self.order

    def disarm(self, target: Any) -> None:
        stores.disarm()
        if self._nested is not None:
            self._nested.disarm()
        if self._replay is not None:
            replay.disarm(self._replay)

    def account(self, target: Any, result: Any) -> None:
        assert self._replay is not None
        missing = [call.label for call in self._replay.not_told()]
        if missing:
            raise NotRun(
                f"the flow ended without coming to {', '.join(missing)}, which is done in the "
                "checkpoint: its class takes another way now"
            )
        if feedback.is_pending(result):
            self.paused = feedback.as_paused(result)
            self.result = ""
            return
        missing = [
            call.label
            for call in self._replay.not_asked()
            if call.state != DONE and call.method in target._methods
        ]
        if missing:
            raise NotRun(f"the flow ended without running {', '.join(missing)}")
        self.result = values.as_text(result)

    def differences(self, target: Any, named: Named) -> tuple[bool, list[str]]:
        saved = self.saved
        if getattr(target, "stream", False):
            return False, ["it streams: what it starts is looked at"]
        if name_of(target) != saved.name:
            return False, [f"flow: {saved.name} in the checkpoint, {name_of(target)} here"]
        found = match.compare(target, steps_of(target), saved)
        if any(one.done for one in found):
            return False, [one.line for one in found]
        given = named.get("inputs")
        if not same_inputs(given, saved.inputs):
            return False, match.inputs_differ(saved.inputs, given)
        return True, []

    def arguments(self, named: Named) -> Named:
        gone = ("from_checkpoint", "restore_from_state_id")
        rest = {key: value for key, value in named.items() if key not in gone}
        return {**rest, "inputs": self._inputs() or None}
