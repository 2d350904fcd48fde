"""A flow that a call kicks off again takes over what its saved twin had done."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from crewcheck.crewai.crews.recording import same_inputs
from crewcheck.crewai.flows import (
    attributes,
    feedback,
    match,
    model_objects,
    replay,
    result_class,
    shared_state,
    state_objects,
    values,
)
from crewcheck.crewai.flows.adopt import name_of
from crewcheck.crewai.flows.objects import is_internal
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.scope import Scope, current, entered, with_inputs
from crewcheck.crewai.flows.steps import steps_of
from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.wrapping import held
from crewcheck.engine.flow_plan import plan_flow
from crewcheck.engine.invalidation import RUN
from crewcheck.model.flow_calls import DONE, Call

_patched: list[type] = []
#: Whether flows within get new ids: those of a fork.
_new_ids: list[bool] = [False]


def arm(new_ids: bool) -> None:
    """Look at all flows' kickoffs; others come down to this one."""
    _new_ids[:] = [new_ids]
    if _patched:
        return
    from crewai.flow.flow import Flow

    _patched.append(Flow)
    kind: Any = Flow
    kind.kickoff_async = held(kind.kickoff_async, _armed, awaited=True)


@contextmanager
def _armed(flow: Any, args: Any, named: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """While a flow runs: its finished calls answer from the recording."""
    given = named.get("inputs", args[0] if args else None)
    saved = _twin(flow, given)
    if saved is None:
        yield args, named
        return
    if saved.state is not None:
        state = state_objects.restored(flow, saved.state)
        if _new_ids[0]:
            state["id"] = str(uuid.uuid4())
        flow._restore_state(state)
    told = replay.Replay(flow, saved, kept_of(flow, saved))
    told.within = lambda call, method: within(saved, call, method)
    replay.arm(told)
    inputs = {key: value for key, value in dict(given or {}).items() if key != "id"}
    try:
        yield with_inputs(args, named, inputs or None)
    finally:
        replay.disarm(told)


def kept_of(flow: Any, saved: SavedFlow) -> dict[int, Any]:
    """The finished calls of a flow whose state is restored, each with its result as it was."""
    kept = {}
    for call in saved.calls:
        if call.state == DONE:
            kept[call.index] = value_given(flow, saved, call)
    return kept


def value_given(flow: Any, saved: SavedFlow, call: Call) -> Any:
    """What a kept call gives: a part of the flow's state, where it was that."""
    made = state_objects.shared(flow, saved.state or {}, call, saved.calls)
    return made if made is not None else value_of(flow, saved, call, call.result)


def value_of(flow: Any, saved: SavedFlow, call: Call, result: Any) -> Any:
    """A recorded result as what the method had returned."""
    said = feedback.result_of(flow, saved, call, result)
    if said is not result:
        return said
    made = values.typed(result_class.told(flow, call.method, result), result)
    model_objects.restore(made, result, [flow._methods[call.method]])
    return made


@contextmanager
def within(saved: SavedFlow, call: Call | None, method: str) -> Iterator[None]:
    """What a real call of a flow runs in: what the record has of it."""
    with entered(scope_of(saved, call, method)):
        yield


def scope_of(saved: SavedFlow, call: Call | None, method: str) -> Scope | None:
    """What the record has of a call that starts anew."""
    from crewai.events.event_context import get_triggering_event_id

    if call is not None and call.state == DONE:
        return None
    events = saved.events_within(call) if call is not None else []
    return Scope(saved, events, saved.later_within(method, get_triggering_event_id()))


def _comes_back(flow: Any, saved: SavedFlow) -> bool:
    """Whether all that the rest of a flow needs is in the record; else it is run from its start,
    and what it had asked is answered from the record."""
    steps = steps_of(flow)
    items = plan_flow(saved.calls, steps, finished=saved.finished)
    running = [
        saved.calls[one.index].method if one.index < len(saved.calls) else one.label
        for one in items
        if one.action == RUN
    ]
    try:
        attributes.check(flow, steps, saved.calls, items)
        state_objects.check(flow, saved.state or {}, running)
        return not shared_state.undo(flow, saved, items)
    except Refusal:
        return False


def _twin(flow: Any, inputs: Mapping[str, Any] | None) -> SavedFlow | None:
    """The saved flow that this one is, taken out of the record."""
    scope: Scope | None = current.get()
    if not scope or is_internal(flow) or replay.find(flow) is not None:
        return None

    def is_twin(saved: SavedFlow) -> bool:
        if name_of(flow) != saved.name or not same_inputs(inputs, saved.inputs):
            return False
        return not match.compare(flow, steps_of(flow), saved) and _comes_back(flow, saved)

    saved = scope.take(scope.flows, is_twin)
    if saved is not None:
        scope.forget(saved.events)  # it has them for its own calls
    return saved
