"""Places that a function hands on: to a local name, and to another function that it calls.

What is done there to what was handed on is done to the place.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from crewcheck.crewai.flows.code import function_of
from crewcheck.crewai.flows.places import Places

#: Built-in functions and methods that give what they are given, or the parts of it.
_SAME_PARTS = frozenset(
    ("list", "tuple", "iter", "next", "reversed", "sorted", "enumerate", "zip", "filter", "min",
     "max", "vars")
)  # fmt: skip
_PARTS = frozenset(("items", "values", "copy"))
#: What changes its first argument.
_CHANGING = frozenset(
    ("setattr", "delattr", "random.shuffle", "heapq.heappush", "heapq.heappop", "heapq.heapify",
     "heapq.heapreplace", "heapq.heappushpop", "bisect.insort", "bisect.insort_left",
     "bisect.insort_right")
)  # fmt: skip


#: A place, and whether it is just that, and no part of it.
Part = tuple[str, bool]
#: The parameters of a function that are places of its caller.
Given = dict[str, Part]


@dataclass(frozen=True)
class Called:
    """A function that is called: ``given`` are its parameters that are places of the caller,
    ``owner`` is the object that its first parameter is, None if that is none."""

    function: Any
    owner: Any
    given: Given


def part_of(places: Places, node: ast.expr | None) -> Part | None:
    """The place that an expression is, or is a part of, also in a roundabout way."""
    match node:
        case None:
            return None
        case ast.BoolOp(values=values):
            return _inside(places, values)
        case ast.IfExp(body=body, orelse=other):
            return _inside(places, [body, other])
        case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.Await(value=value):
            return part_of(places, value)
        case ast.Call(func=ast.Name(id=name), args=args) if (
            name in _SAME_PARTS and places.known(name) is None
        ):
            return _inside(places, args)
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _PARTS:
            return _inside(places, [inner])
    return places.path(node)


def _inside(places: Places, nodes: list[ast.expr]) -> Part | None:
    """The first place of some expressions: what was asked for is in it."""
    found = next(filter(None, (part_of(places, one) for one in nodes)), None)
    return None if found is None else (found[0], False)


def called_by(places: Places, node: ast.Call) -> Called | None:
    """The user's function that a call calls, as far as its text tells."""
    function: Any = None
    bound = False
    match node.func:
        case ast.Name(id=name) if name not in places.locals:
            function = places.known(name)
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == places.own:
            found = inspect.getattr_static(type(places.owner), attr, None)
            bound = not isinstance(found, staticmethod)
            found = getattr(found, "__func__", found)
            function = None if hasattr(found, "fget") else function_of(found)
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name not in places.locals:
            holder = places.known(name)
            if isinstance(holder, ModuleType):
                function = vars(holder).get(attr)
    if not isinstance(function, FunctionType):
        return None
    first = node.args[0] if node.args else None
    has_owner = bound or (isinstance(first, ast.Name) and first.id == places.own)
    owner = places.owner if has_owner and places.own is not None else None
    return Called(function, owner, handed(places, node, function, bound=bound))


def handed(places: Places, node: ast.Call, function: Any, *, bound: bool) -> Given:
    """The parameters of a function that are given places. ``bound``: its first one is not."""
    code = function.__code__
    names = code.co_varnames[bound : code.co_argcount]
    known = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}
    pairs: list[tuple[str, ast.expr]] = []
    for name, value in zip(names, node.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        pairs.append((name, value))
    pairs += [(str(one.arg), one.value) for one in node.keywords if one.arg in known]
    found = {name: part_of(places, value) for name, value in pairs}
    return {name: place for name, place in found.items() if place is not None}


def changed_by(places: Places, node: ast.Call) -> str | None:
    """The place that a function of Python's own changes."""
    value: Any = None
    match node:
        case ast.Call(func=ast.Name(id=name), args=[first, *_]):
            value = places.known(name) or getattr(builtins, name, None)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=holder), attr=name), args=[first, *_]):
            value = getattr(places.known(holder), name, None)
            if not isinstance(places.known(holder), ModuleType):
                return None
        case _:
            return None
    module = str(getattr(value, "__module__", "")).lstrip("_")
    if getattr(value, "__self__", None) is not None and not inspect.ismodule(value.__self__):
        module = type(value.__self__).__module__  # a method of a hidden object: random.shuffle
    named = getattr(value, "__name__", "")
    full = named if module == "builtins" else f"{module}.{named}"
    found = part_of(places, first) if full in _CHANGING else None
    return found[0] if found is not None else None


def updated(node: ast.Call) -> list[str]:
    """The keys that a call of ``update`` sets; none if one is not known."""
    given = [(ast.Constant(one.arg), one.value) for one in node.keywords]
    for one in node.args:
        if not isinstance(one, ast.Dict):
            return []
        given += zip(one.keys, one.values, strict=True)  # type: ignore[arg-type]
    keys = [key.value for key, _ in given if isinstance(key, ast.Constant)]
    return [str(one) for one in keys if one is not None] if len(keys) == len(given) else []
