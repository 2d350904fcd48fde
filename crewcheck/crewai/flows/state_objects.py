"""Objects in a flow's state, where the state's own class does not say what they are.

A dict takes anything, and so does a field that is a plain `dict`, `list` or `Any`. A checkpoint
has JSON of it. What it was is told by the code that puts it there.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crewcheck.crewai.flows import model_objects, values
from crewcheck.crewai.flows.code import function_of, names
from crewcheck.crewai.flows.kinds import Kinds
from crewcheck.crewai.flows.uses_of_expressions import is_own
from crewcheck.crewai.refusal import Refusal
from crewcheck.model.document import mapping
from crewcheck.model.flow_calls import Call

_OPEN = (Any, object, dict, list)
_ASKS = {"hasattr", "getattr", "isinstance", "type", "callable"}


def restored(flow: Any, state: Mapping[str, Any]) -> dict[str, Any]:
    """A recorded state with the objects that were in it, as far as that can be told."""
    put = list(_put(flow))
    made = dict(state)
    for key in _open_keys(flow, state):
        kinds = [(how, kind) for one, how, kind in put if one == key]
        wanted = _wanted([kind for how, kind in kinds if how == "="],
                         [kind for how, kind in kinds if how == "append"], state[key])  # fmt: skip
        if wanted in (dict, str):
            continue  # it was JSON before
        made[key] = values.typed(None if wanted is list else wanted, state[key])
        model_objects.restore(made[key], state[key], _functions(flow))
    return made


def shared(flow: Any, state: Mapping[str, Any], call: Call, calls: Sequence[Call] = ()) -> Any:
    """The part of a flow's state that a kept call had returned, None if it had not: what is
    changed of the one is changed of the other. ``state`` is the recorded one."""
    key = _part(flow, call, calls)
    own = mapping(call.flow_state)
    if key is None or not own:
        return None
    if not key:
        return flow._state if {**own, "id": 0} == {**state, "id": 0} else None
    if key not in own or key not in state or own[key] != state[key]:
        return None
    is_dict = isinstance(flow._state, dict)
    return flow._state.get(key) if is_dict else getattr(flow._state, key, None)


def _part(flow: Any, call: Call, calls: Sequence[Call]) -> str | None:
    """The key of the state whose value a call had returned; it may have been given it."""
    for _ in range(len(calls) + 1):
        told = Kinds(flow._methods[call.method], flow)
        if not told.returns_given() or call.cause is None or call.cause >= len(calls):
            return told.returned_part()
        call = calls[call.cause]
        if call.method not in flow._methods:
            return None
    return None


def check(flow: Any, state: Mapping[str, Any], running: Iterable[str]) -> None:
    """Raises `Refusal` where what runs needs an object in the state that does not come back."""
    methods = [name for name in dict.fromkeys(running) if name in flow._methods]
    told = {name: Kinds(flow._methods[name], flow) for name in methods}
    anew = {key for one in told.values() for key, _, _ in one.stored()}
    made = restored(flow, state)
    may_be_any = {*_open_keys(flow, state)} - anew
    found = [
        f"{name} reads .{attr} of {key} in the state, which is {_said(made[key])} in the checkpoint"
        for name, one in told.items()
        if not _ASKS & names(function_of(flow._methods[name]))
        for key, attr in dict.fromkeys(one.read())
        if key in may_be_any and lacks(made[key], state[key], attr)
    ]
    if found:
        raise Refusal(
            "state-objects",
            "what is not done needs objects in the flow's state, and the checkpoint has only JSON "
            "of them",
            "give the state a class that says what they are, or fork what puts them there "
            "with --rerun",
            found,
        )


def lacks(made: Any, recorded: Any, attr: str) -> bool:
    """Whether a value that came back has not the attribute that it must have had."""
    if made is None:
        return False
    if isinstance(made, (*values.PLAIN, list, dict)):
        return not hasattr(made, attr)
    return attr == "pydantic" and model_objects.is_lost(made, recorded)


def _said(value: Any) -> str:
    return {"dict": "a dict", "list": "a list", "str": "a text"}.get(
        type(value).__name__, f"of {type(value).__name__}"
    )


def _open_keys(flow: Any, state: Mapping[str, Any]) -> list[str]:
    """The keys of a state whose values may be anything."""
    fields = getattr(type(flow._state), "model_fields", None)
    found = []
    for key, value in state.items():
        known = fields.get(key) if fields is not None else None
        if key == "id" or value is None or isinstance(value, (bool, int, float)):
            continue
        if known is None or known.annotation in _OPEN:
            found.append(key)
    return found


def _functions(flow: Any) -> list[Any]:
    """The functions of the user's own classes."""
    return [
        function
        for kind in type(flow).__mro__
        for value in vars(kind).values()
        if inspect.isfunction(function := function_of(value)) and is_own(function)
    ]


def _put(flow: Any) -> Iterable[tuple[str, str, Any]]:
    for function in _functions(flow):
        yield from Kinds(function, flow).stored()


def _wanted(assigned: list[Any], appended: list[Any], value: Any) -> Any:
    """The type that all say, None where they do not."""
    if appended and isinstance(value, list):
        kind = appended[0]
        if kind is None or any(one != kind for one in appended) or values.is_json(kind):
            return None
        wanted = list[kind]  # type: ignore[valid-type]
        return None if any(one not in (list, wanted) for one in assigned) else wanted
    if not assigned or any(one != assigned[0] for one in assigned):
        return None
    return assigned[0]
