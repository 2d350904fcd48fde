"""Which class a method's result was of, where the method itself does not say.

It is told by what its code makes, by what its listeners say that they take, by the field of the
state that it returns, or by a class that its code names, if the recorded fields are just that
class's own.
"""

from __future__ import annotations

import dataclasses
import dis
import inspect
import typing
from collections.abc import Iterator
from typing import Any

from crewcheck.crewai.flows import values
from crewcheck.crewai.flows.code import attributes, codes, function_of, names
from crewcheck.crewai.flows.kinds import Kinds
from crewcheck.crewai.flows.steps import steps_of
from crewcheck.crewai.flows.values import PLAIN, annotation, fits

#: In code that names one of these a class may only be what a dict was made of.
_DUMPS = {"model_dump", "model_dump_json", "dict", "json", "asdict", "vars", "__dict__", "dumps"}
_MAKES_DICTS = ("BUILD_MAP", "BUILD_CONST_KEY_MAP", "MAP_ADD", "DICT_MERGE", "DICT_UPDATE")


def told(flow: Any, method: str, value: Any) -> Any:
    """The class or type of a recorded result, None where nothing tells it for certain."""
    function = function_of(flow._methods[method])
    if "return" in getattr(function, "__annotations__", {}):
        return annotation(flow._methods[method])
    kind = Kinds(function, flow).returned()
    if kind is not None and value is not None and (kind is dict or not values.is_json(kind)):
        return kind if kind is not dict and values.fits(kind, value) else None
    if not isinstance(value, (dict, list)) or not value:
        return None
    listeners = _listeners(flow, method)
    ways = [[_taken(one) for one in listeners], list(_of_state(flow, function))]
    for types in ways:
        found = [one for one in types if one is not None and fits(one, value)]
        if found:
            return found[0]
    return _made(function, listeners, value)


def _listeners(flow: Any, method: str) -> list[Any]:
    """The functions that are given what a method returns."""
    names = [step.name for step in steps_of(flow) if method in (step.waits_for or ())]
    return [function_of(flow._methods[name]) for name in names if name in flow._methods]


def _parameter(function: Any) -> str | None:
    """The parameter of a listener that is given the result."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_argcount < 2:
        return None
    return str(code.co_varnames[1])


def _taken(function: Any) -> Any:
    name = _parameter(function)
    try:
        said = typing.get_type_hints(function, include_extras=True).get(name or "")
    except Exception:
        return None
    return None if said in (Any, *PLAIN, dict, list, object) else said


def _of_state(flow: Any, function: Any) -> Iterator[Any]:
    """The types of the fields of a typed state that a method's code names."""
    fields = getattr(type(flow._state), "model_fields", {})
    named = names(function)
    if "state" not in named or _DUMPS & named:
        return
    for name in sorted(named):
        if name in fields and _holds_class(fields[name].annotation):
            yield fields[name].annotation


def _holds_class(said: Any) -> bool:
    """Whether there is a class with fields in a type."""
    return _is_class(said) or any(_holds_class(one) for one in typing.get_args(said))


def _is_class(value: Any) -> bool:
    return inspect.isclass(value) and bool(_fields(value))


def _fields(kind: Any) -> set[str]:
    if dataclasses.is_dataclass(kind):
        return {one.name for one in dataclasses.fields(kind)}
    return set(getattr(kind, "model_fields", None) or ())


def _made(function: Any, listeners: list[Any], value: Any) -> Any:
    """A class that a method's code names, whose fields the result has."""
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) for one in items):
        return None
    found = []
    for kind in _named(function):
        wanted = list[kind] if isinstance(value, list) else kind  # type: ignore[valid-type]
        if all(set(one) == _fields(kind) for one in items) and fits(wanted, value):
            found.append((kind, wanted))
    if len(found) != 1:
        return None
    kind, wanted = found[0]
    read = any(_reads(listener, _fields(kind)) for listener in listeners)
    return wanted if _makes_no_dict(function) or (wanted is kind and read) else None


def _named(function: Any) -> Iterator[Any]:
    """The classes that a function's code can reach by the names in it."""
    code = getattr(function, "__code__", None)
    if code is None:
        return
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=False))
    seen: list[Any] = []
    for name in sorted({*names(function), *cells}):
        try:
            value = cells[name].cell_contents if name in cells else function.__globals__.get(name)
        except ValueError:  # an empty cell
            continue
        if _is_class(value) and value not in seen:
            seen.append(value)
            yield value


def _makes_no_dict(function: Any) -> bool:
    if _DUMPS & names(function):
        return False
    return not any(
        one.opname in _MAKES_DICTS for code in codes(function) for one in dis.get_instructions(code)
    )


def read_by(flow: Any, method: str) -> list[str]:
    """The attributes that a listener reads of what it is given, if it does not ask for them
    before."""
    function = function_of(flow._methods[method])
    asks = {"hasattr", "getattr", "isinstance", "type", "callable"} & names(function)
    return [] if asks else attributes(function, 1)


def _reads(function: Any, fields: set[str]) -> bool:
    """Whether a listener reads one of the fields as an attribute of what it is given."""
    return bool(set(attributes(function, 1)) & (fields - set(dir(dict))))
