"""Expressions in a static look: what one gives, as far as that can be known."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from crewcheck.runtimes.static_values import (
    UNKNOWN,
    Bound,
    ClassValue,
    CrewValue,
    External,
    FunctionValue,
    Instance,
    ModuleValue,
    make_agent,
    make_task,
    text_or_none,
)

_TEXT_METHODS = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "title"})
#: Texts and lists that grow beyond this are not followed further.
_LONGEST = 1 << 20


class Scope:
    """The names of a module, or of a call of a function; ``path`` is the module's file."""

    def __init__(self, path: str, outer: Scope | None = None) -> None:
        self.path = path
        self.names: dict[str, Any] = {}
        self.returned: list[Any] = []
        self._outer = outer

    def get(self, name: str) -> Any:
        """The value of a name, here or further out."""
        if name in self.names:
            return self.names[name]
        return self._outer.get(name) if self._outer is not None else UNKNOWN


def evaluate(node: ast.expr, scope: Scope) -> Any:
    """What an expression gives, as far as that is known."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return scope.get(name)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return _list(parts, scope)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return added(evaluate(left, scope), evaluate(right, scope))
        case ast.JoinedStr(values=parts) if all(isinstance(one, ast.Constant) for one in parts):
            return "".join(str(one.value) for one in parts if isinstance(one, ast.Constant))
        case ast.Attribute(value=owner, attr=name):
            return _attribute(evaluate(owner, scope), name)
        case ast.Subscript(value=owner, slice=ast.Constant(value=key)):
            return _item(evaluate(owner, scope), key)
        case ast.Call():
            return _call(node, scope)
        case _:
            return UNKNOWN


def _item(owner: Any, key: Any) -> Any:
    if isinstance(owner, (dict, list)):
        with suppress(LookupError, TypeError):
            return owner[key]
    return UNKNOWN


def _list(parts: list[ast.expr], scope: Scope) -> list[Any]:
    values: list[Any] = []
    for part in parts:
        if isinstance(part, ast.Starred):
            inner = evaluate(part.value, scope)
            values.extend(inner if isinstance(inner, list) else [UNKNOWN])
        else:
            values.append(evaluate(part, scope))
    return values


def _call(node: ast.Call, scope: Scope) -> Any:
    called = evaluate(node.func, scope)
    given = {one.arg or "**": evaluate(one.value, scope) for one in node.keywords}
    args = _list(node.args, scope)
    if isinstance(called, External):
        return _library_call(called, args, given, (scope.path, node.lineno, node.col_offset))
    if isinstance(called, ClassValue):
        return called.make() if called.make is not None else UNKNOWN
    if isinstance(called, (FunctionValue, Bound)):
        return called.call(args, given)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _TEXT_METHODS and not args:
        owner = evaluate(node.func.value, scope)
        return getattr(owner, node.func.attr)() if isinstance(owner, str) else UNKNOWN
    return UNKNOWN


def _library_call(
    called: External, args: list[Any], given: dict[str, Any], place: tuple[str, int, int]
) -> Any:
    if called.is_crewai("Task", "ConditionalTask"):
        return make_task(given)
    if called.is_crewai("Agent"):
        return make_agent(given)
    if called.is_crewai("Crew"):
        tasks = given.get("tasks", UNKNOWN)
        return CrewValue(
            list(tasks) if isinstance(tasks, list) else UNKNOWN,
            text_or_none(given.get("name")),
            place,
        )
    if called.path == "textwrap.dedent" and args and isinstance(args[0], str):
        import textwrap

        return textwrap.dedent(args[0])
    if called.path == "inspect.cleandoc" and args and isinstance(args[0], str):
        import inspect

        return inspect.cleandoc(args[0])
    return UNKNOWN


def _attribute(owner: Any, name: str) -> Any:
    if isinstance(owner, External):
        return External(f"{owner.path}.{name}")
    if isinstance(owner, ModuleValue):
        return owner.names.get(name, UNKNOWN)
    if isinstance(owner, Instance):
        return owner.attribute(name)
    if isinstance(owner, CrewValue) and name == "tasks":
        return owner.tasks
    return UNKNOWN


def added(left: Any, right: Any) -> Any:
    """What ``left + right`` gives."""
    if isinstance(left, str) and isinstance(right, str):
        return left + right if len(left) + len(right) <= _LONGEST else UNKNOWN
    if isinstance(left, list) and isinstance(right, list):
        return left + right if len(left) + len(right) <= _LONGEST else UNKNOWN
    return UNKNOWN
