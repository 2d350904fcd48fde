"""What a run would do, said before it does it; and what it was then told to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crewcheck.crewai.flows import (
    attributes,
    inner_flows,
    match,
    result_class,
    shared_state,
    state_objects,
    values,
)
from crewcheck.crewai.flows.adopt import persistence_of
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.steps import Step
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.flow_plan import FlowWishes, plan_flow
from crewcheck.engine.invalidation import RUN, Decision, to_keep
from crewcheck.errors import CrewcheckError
from crewcheck.model.edits import Edits, changed_inputs
from crewcheck.model.flow_calls import DONE
from crewcheck.model.json_path import REMOVED, Path, changed_at, write_path
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message


@dataclass
class Plan:
    """``items`` decide each call, then each method to come; ``changed`` are differences that
    were accepted, ``undone`` parts of the state that are as they were before."""

    items: list[Decision]
    changed: list[str]
    warnings: list[dict[str, str]] = field(default_factory=list)
    losses: list[dict[str, str]] = field(default_factory=list)
    undone: list[shared_state.Undo] = field(default_factory=list)


@dataclass
class Order:
    """What ``go`` said, checked: ``keep`` are positions of calls, ``results`` the edited ones,
    ``state`` the flow's state, None where the recorded one holds. ``fresh`` are calls whose
    model calls are asked again."""

    keep: frozenset[int]
    results: dict[int, Any]
    inputs: dict[str, Any] | None
    fresh: frozenset[int] = frozenset()


def edits_of(spec: RunSpec, saved: SavedFlow) -> Edits:
    """The edits that the run was started with. Raises `Refusal`."""

    def position(value: object) -> int:
        index = int(str(value)) if str(value).isdecimal() else -1
        if not 0 <= index < len(saved.calls):
            raise Refusal("no-such-call", f"this checkpoint has no call at position {value}")
        return index

    return Edits(
        inputs=dict(spec.inputs),
        results={position(key): value for key, value in spec.results.items()},
        state={
            tuple(map(str, path)): value[0] if value else REMOVED for path, *value in spec.state
        },
        rerun={position(value) for value in spec.rerun},
        keep={position(value) for value in spec.keep},
    )


def make(
    flow: Any, steps: Sequence[Step], saved: SavedFlow, edits: Edits, allow_changed: bool
) -> Plan:
    """Compare, decide, and name what is lost. Raises `Refusal`."""
    changed = match.accept(match.compare(flow, steps, saved), allow_changed)
    inputs = frozenset(changed_inputs(saved.inputs, edits))
    wishes = FlowWishes(edits.results, inputs, frozenset(edits.rerun), frozenset(edits.keep))
    items = plan_flow(saved.calls, steps, wishes, finished=saved.finished)
    attributes.check(flow, steps, saved.calls, items)
    for index, value in edits.results.items():
        call = saved.calls[index]
        values.parse_edited(flow._methods[call.method], value, call.label)
    state = saved.state or {}
    for path, value in edits.state.items():
        try:
            state, _ = changed_at(state, path, value, "the state")
        except CrewcheckError as error:
            raise Refusal("no-such-state", error.message, error.hint or "") from None
    check_state(flow, state, [write_path(path) for path in edits.state])
    running = [
        saved.calls[one.index].method if one.index < len(saved.calls) else one.label
        for one in items
        if one.action == RUN
    ]
    state_objects.check(flow, state, running)
    _check_results(flow, steps, saved, edits, items, running)
    undone = [
        one
        for one in shared_state.undo(flow, saved, items)
        if not any(_overlap(one.path, path) for path in edits.state)
    ]
    warnings = _warnings(flow, saved, edits) + [_undoes(one) for one in undone]
    return Plan(items, changed, warnings, _losses(flow, saved, edits, items), undone)


def _overlap(one: Path, other: Path) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))


def _undoes(one: shared_state.Undo) -> dict[str, str]:
    message = "what a method that starts anew had done to it is taken back: it does it again"
    return {"rule": "state-shared", "where": f"state.{write_path(one.path)}", "message": message}


def _check_results(
    flow: Any,
    steps: Sequence[Step],
    saved: SavedFlow,
    edits: Edits,
    items: Sequence[Decision],
    running: Sequence[str],
) -> None:
    """Raises `Refusal` where what runs is given a result that does not come back as it was."""
    newest = {saved.calls[index].method: saved.calls[index] for index in to_keep(items)}
    found = []
    for step in steps:
        waits_for = step.waits_for or ()
        call = newest.get(waits_for[0]) if len(waits_for) == 1 else None
        if call is None or step.name not in running or call.index in edits.results:
            continue
        result = inner_flows.value_of(flow, saved, call, call.result)
        found += [
            f"{step.name} reads .{attr} of what {call.label} had returned"
            for attr in result_class.read_by(flow, step.name)
            if state_objects.lacks(result, call.result, attr)
        ]
    if found:
        raise Refusal(
            "result-objects",
            "what is not done needs an object, and the checkpoint has only JSON of it",
            "say with an annotation what the method returns, or fork it with --rerun",
            found,
        )


def _class_name(kind: type) -> str:
    """The name of a state's class: of the user's own, where CrewAI has put an id to it."""
    own = kind.__bases__[-1] if kind.__name__ == "StateWithId" else kind
    return own.__name__


def check_state(flow: Any, state: Mapping[str, Any], edited: Sequence[str]) -> None:
    """Raises `Refusal` where a state does not fit the flow's own class."""
    validate = getattr(type(flow._state), "model_validate", None)
    if not state or not callable(validate):
        return
    try:
        validate(dict(state))
    except Exception as error:
        what = f"the edited state ({', '.join(edited)})" if edited else "the recorded state"
        raise Refusal(
            "state-class",
            f"{what} does not fit {_class_name(type(flow._state))}",
            "give it a value that the state's class takes: --state PATH=JSON",
            values.problems(error),
        ) from None


def order(message: Message, flow: Any, saved: SavedFlow) -> Order:
    """What ``go`` says, checked against what can be done. Raises `Refusal`."""
    given = dict(message.get("results") or {})
    results = {int(key): value for key, value in given.items()}
    keep = {int(value) for value in message.get("keep") or []} | set(results)
    for index in sorted(keep):
        if index >= len(saved.calls):
            raise Refusal("no-such-call", f"this checkpoint has no call at position {index}")
        if index not in results and saved.calls[index].state != DONE:
            raise Refusal("nothing-to-keep", f"{saved.label(index)} has no result to keep")
    for index, value in results.items():
        call = saved.calls[index]
        values.parse_edited(flow._methods[call.method], value, call.label)
    changed = message.get("inputs") or {}
    inputs = {**(saved.inputs or {}), **changed} if changed or saved.inputs is not None else None
    fresh = frozenset(int(value) for value in message.get("fresh") or [])
    return Order(frozenset(keep), results, inputs, fresh)


def _warnings(flow: Any, saved: SavedFlow, edits: Edits) -> list[dict[str, str]]:
    found = []
    if not saved.begun and not edits.inputs:
        message = "the checkpoint was written before the kickoff: its inputs are not in it"
        found.append({"rule": "inputs-unknown", "where": "", "message": message})
    path = persistence_of(flow, saved)
    if path is not None:
        message = f"it keeps its state in {path}, for that is what it had been given"
        found.append({"rule": "persistence", "where": "", "message": message})
    return found


def _losses(
    flow: Any, saved: SavedFlow, edits: Edits, items: Sequence[Decision]
) -> list[dict[str, str]]:
    """What the replay cannot bring back."""
    found: list[dict[str, str]] = []

    def lose(rule: str, where: str, message: str) -> None:
        found.append({"rule": rule, "where": where, "message": message})

    told: set[str] = set()
    for index in to_keep(items):
        call = saved.calls[index]
        method = flow._methods.get(call.method)
        if call.method in told:
            continue
        told.add(call.method)
        if index not in edits.results and not values.is_plain(
            method, result_class.told(flow, call.method, call.result), call.result
        ):
            lose(
                "result-class",
                call.label,
                "its result comes back as plain JSON: say what it returns with an annotation, "
                "if that is an object",
            )
        names = attributes.sets(flow, call.method)
        if names:
            listed = ", ".join(names)
            lose("attributes", call.label, f"it had set {listed}, beside the state: it is not set")
    return found
