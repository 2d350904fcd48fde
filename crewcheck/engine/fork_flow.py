"""A flow's part of a fork: its state, the results of its methods, and what they caused.

A flow is gone on with from its events: the results of its methods are in their ending
events, with the state right after each. So an edit is written there, and into the flow's
own record, which CrewAI reads.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence, Set
from typing import Any

from crewcheck.engine.fork_events import drop_events, drop_executors
from crewcheck.errors import Refused
from crewcheck.model.document import (
    entities,
    iter_events,
    mapping,
    objects,
    sequence,
    sorted_events,
    text,
)
from crewcheck.model.edits import Change, Edits, changed_inputs
from crewcheck.model.flow_calls import DONE, Call, calls, newest_state
from crewcheck.model.json_path import REMOVED, changed_at, holds, write_path
from crewcheck.model.primary import flow_name

_ENDINGS = ("flow_finished", "flow_failed", "flow_paused")


def fork_flow(
    made: dict[str, Any], flow: dict[str, Any], edits: Edits, running: Set[int]
) -> tuple[list[Change], list[str]]:
    """Change a document and its flow in place: ``(what was edited, calls dropped)``.

    Raises `Refused` or `NotFound` where an edit does not fit.
    """
    events = sorted_events(made)
    name = flow_name(flow, events)
    every = calls(flow, name, events)
    kept = [call for call in every if call.index not in running]
    dropped = [call for call in every if call.index in running and call.state == DONE]
    changes = _edit_inputs(made, every, edits)
    first = next((call for call in every if call.started_id), None)
    state = newest_state(flow, kept)
    if not any(call.state == DONE for call in kept) and (dropped or changes):
        state = _begun_with(made, first, state)
        state = {**mapping(state), **{change.key: change.new for change in changes}}
    # what is under way keeps its record, unless it would begin with something else
    anew = bool(dropped or edits.results or edits.state or changes)
    gone = [call for call in every if call.index in running and (anew or call.state == DONE)]
    _drop(made, {call.started_id for call in gone} - {None}, endings=bool(running) or anew)
    for index, value in sorted(edits.results.items()):
        call = every[index]
        changes.append(Change(f"methods.{call.label}.result", call.result, value))
        _set_result(made, call, value, state)
        call.state, call.result = DONE, value
    for path, value in edits.state.items():
        if value is REMOVED and not holds(state, path):
            continue  # what set it is dropped, or has not run at this moment
        state, old = changed_at(state, path, value, "the state")
        changes.append(Change(f"state.{write_path(path)}", old, value))
    done = [call for call in kept if call.state == DONE]
    if dropped or changes:
        # the flow's own record can be ahead of the events: what they tell as under way, too
        _record_methods(flow, done, [call for call in every if call.started_id or call.ended_id])
    if not (edits.state or dropped or changes):
        state = flow.get("checkpoint_state")
    if isinstance(state, dict) and "id" not in {path[0] for path in edits.state}:
        # what is persisted under the old id is the source's
        state = {**state, "id": str(uuid.uuid4())}
    if isinstance(state, dict):
        flow["checkpoint_state"] = state
        _set_state(made, done, state, whole=bool(edits.state or dropped or changes))
    return changes, [call.label for call in dropped]


def _edit_inputs(made: Mapping[str, Any], every: Sequence[Call], edits: Edits) -> list[Change]:
    """The changed inputs of the kickoff, written into the event that tells of it."""
    if not edits.inputs:
        return []
    for event in iter_events(made):
        if (
            isinstance(event, dict)
            and event.get("type") == "flow_started"
            and isinstance(event.get("inputs"), dict)
        ):
            before = event["inputs"]
            changed = changed_inputs(before, edits)
            event["inputs"] = {**before, **changed}
            return [Change(f"inputs.{k}", before.get(k), new) for k, new in changed.items()]
    if every:
        raise Refused(
            "this checkpoint does not say which inputs its flow began with",
            "change its state: --state PATH=JSON",
        )
    return [Change(f"inputs.{key}", None, new) for key, new in edits.inputs.items()]


def _begun_with(made: Mapping[str, Any], first: Call | None, state: Any) -> Any:
    """The state that the flow began with, as its first method was given it."""
    begun = mapping(_event(made, first.started_id) if first is not None else None).get("state")
    return begun if isinstance(begun, dict) else state


def _event(made: Mapping[str, Any], event_id: str | None) -> dict[str, Any] | None:
    """An event of the record, to be changed in place."""
    nodes = mapping(mapping(made.get("event_record")).get("nodes"))
    event = mapping(nodes.get(event_id or "")).get("event")
    return event if isinstance(event, dict) else None


def _drop(made: dict[str, Any], started: set[str | None], *, endings: bool) -> None:
    """Take calls out of the record, with the crews and agents that they ran."""
    ends = _ENDINGS if endings else ()
    gone = drop_events(
        made,
        lambda event: (
            event.get("type") in ends
            or text(event.get("event_id")) in started
            or text(event.get("started_event_id")) in started
        ),
    )
    lost = [
        one
        for one in entities(made)
        if one.get("entity_type") == "crew" and text(one.get("checkpoint_kickoff_event_id")) in gone
    ]
    for crew in lost:
        drop_executors(made, crew, objects(crew.get("tasks")))
    left = {id(one) for one in lost}
    made["entities"] = [one for one in sequence(made.get("entities")) if id(one) not in left]


def _set_result(made: dict[str, Any], call: Call, value: Any, state: Any) -> None:
    """Write a result into the event that ended a call; one that has not ended ends so."""
    event = _event(made, call.ended_id)
    if event is not None:
        event["result"] = value
        if call.state != DONE:
            event["type"] = "method_execution_finished"
            event["state"] = state
            event.pop("error", None)
        return
    began = _event(made, call.started_id)
    if began is None:
        return
    ended_id = str(uuid.uuid4())
    number = began.get("emission_sequence")
    ended = {
        **{key: item for key, item in began.items() if key not in ("params", "edges")},
        "type": "method_execution_finished",
        "event_id": ended_id,
        "started_event_id": call.started_id,
        "emission_sequence": number + 1 if isinstance(number, int) else number,
        "result": value,
        "state": state,
    }
    made["event_record"]["nodes"][ended_id] = {"event": ended, "edges": {}}
    call.ended_id = ended_id


def _record_methods(flow: dict[str, Any], done: Sequence[Call], told: Sequence[Call]) -> None:
    """Make the flow's own record of its methods agree with the calls that are kept."""
    by_end = sorted(done, key=lambda call: call.end if call.end is not None else len(told))
    methods = {call.method for call in told}
    # what the events do not tell of stays as it was
    other = [
        one
        for one in sequence(flow.get("checkpoint_completed_methods"))
        if text(one) not in methods
    ]
    flow["checkpoint_completed_methods"] = [*other, *dict.fromkeys(c.method for c in by_end)]
    outputs = sequence(flow.get("checkpoint_method_outputs"))
    if all(isinstance(one, dict) and "method" in one for one in outputs):
        flow["checkpoint_method_outputs"] = [
            *(one for one in outputs if text(one["method"]) not in methods),
            *({"method": call.method, "output": call.result} for call in by_end),
        ]
    else:
        # before CrewAI 1.15 without names
        flow["checkpoint_method_outputs"] = [call.result for call in by_end]
    counts = {
        key: count
        for key, count in mapping(flow.get("checkpoint_method_counts")).items()
        if key not in methods
    }
    for call in by_end:
        before = counts.get(call.method)
        counts[call.method] = before + 1 if isinstance(before, int) else 1
    flow["checkpoint_method_counts"] = counts


def _set_state(
    made: Mapping[str, Any], done: Sequence[Call], state: Mapping[str, Any], *, whole: bool
) -> None:
    """The state right after the last call that is kept is what the flow goes on with; not
    ``whole``: only its id is another one."""
    ended = [call for call in done if call.ended_id]
    if ended:
        last = max(ended, key=lambda call: call.end if call.end is not None else len(ended))
        event = _event(made, last.ended_id)
        if event is not None and (whole or isinstance(event.get("state"), dict)):
            event["state"] = dict(state) if whole else {**event["state"], "id": state.get("id")}
