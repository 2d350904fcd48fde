"""Expressions in a static look: what one gives, as far as that can be known."""

from __future__ import annotations

import ast
from contextlib import suppress
from os.path import dirname
from typing import Any

from crewcheck.runtimes.static_declared import declared
from crewcheck.runtimes.static_paths import (
    joined_path,
    nearest_file,
    path_attribute,
    path_call,
    path_method,
)
from crewcheck.runtimes.static_values import (
    UNKNOWN,
    AgentValue,
    Bound,
    ClassValue,
    CrewValue,
    External,
    FlowValue,
    FunctionValue,
    Instance,
    Later,
    ModuleValue,
    make_agent,
    make_task,
    text_or_none,
)

_TEXT_METHODS = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "title"})
#: Loops over longer lists are not followed.
MOST_ROUNDS = 200
#: Texts and lists that grow beyond this are not followed further.
_LONGEST = 1 << 20


class Scope:
    """The names of a module, or of a call of a function; ``path`` is the module's file."""

    def __init__(self, path: str, outer: Scope | None = None) -> None:
        self.path = path
        self.names: dict[str, Any] = {}
        self.returned: list[Any] = []
        #: the crews, flows and agents that are made in the module, in order
        self.made: list[Any] = [] if outer is None else outer.made
        self._outer = outer

    def get(self, name: str) -> Any:
        """The value of a name, here or further out."""
        if name in self.names:
            return self.names[name]
        if self._outer is not None:
            return self._outer.get(name)
        return self.path if name == "__file__" else UNKNOWN


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
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return joined_path(evaluate(left, scope), evaluate(right, scope))
        case ast.BinOp(left=left, op=sign, right=right):
            return _reckoned(evaluate(left, scope), sign, evaluate(right, scope))
        case ast.JoinedStr(values=parts):
            return _joined(parts, scope)
        case ast.Dict(keys=keys, values=values) if all(isinstance(k, ast.Constant) for k in keys):
            return {
                key.value: evaluate(value, scope)
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant)
            }
        case (
            ast.ListComp(elt=part, generators=[one]) | ast.GeneratorExp(elt=part, generators=[one])
        ) if not one.ifs and not one.is_async:
            return _comprehension(part, one, scope)
        case ast.Attribute(value=owner, attr=name):
            return _attribute(evaluate(owner, scope), name)
        case ast.Subscript(value=owner, slice=key):
            return _item(evaluate(owner, scope), evaluate(key, scope))
        case ast.Await(value=value):
            later = evaluate(value, scope)
            return later.value if isinstance(later, Later) else UNKNOWN
        case ast.Call():
            return _call(node, scope)
        case _:
            return UNKNOWN


def _joined(parts: list[ast.expr], scope: Scope) -> Any:
    """An f-string, where all that it holds is known to be text or whole numbers."""
    texts = []
    for part in parts:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(part.value, scope)
            plain = part.conversion == -1 and part.format_spec is None
            if not plain or type(value) not in (str, int):
                return UNKNOWN
            texts.append(str(value))
        elif isinstance(part, ast.Constant):
            texts.append(str(part.value))
    text = "".join(texts)
    return text if len(text) <= _LONGEST else UNKNOWN


def _comprehension(part: ast.expr, over: ast.comprehension, scope: Scope) -> Any:
    """A list made from a known one, item by item."""
    values = evaluate(over.iter, scope)
    if not isinstance(values, list) or len(values) > MOST_ROUNDS:
        return UNKNOWN
    made = []
    for value in values:
        inner = Scope(scope.path, scope)
        if not bind(over.target, value, inner):
            return UNKNOWN
        made.append(evaluate(part, inner))
    return made


def bind(target: ast.expr, value: Any, scope: Scope) -> bool:
    """Give a loop's names their values; False where that cannot be told."""
    match target:
        case ast.Name(id=name):
            scope.names[name] = value
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            if not isinstance(value, list) or len(value) != len(parts):
                return False
            return all([bind(part, one, scope) for part, one in zip(parts, value, strict=True)])
        case _:
            return False


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
    given: dict[str, Any] = {}
    for one in node.keywords:
        value = evaluate(one.value, scope)
        if one.arg is None and isinstance(value, dict) and all(isinstance(k, str) for k in value):
            given.update(value)
        else:
            given[one.arg or "**"] = value
    args = _list(node.args, scope)
    place = (scope.path, node.lineno, node.col_offset)
    if isinstance(called, External) and called.is_crewai(*_LOADERS):
        made = _loaded(called, args, given, place)
        things = made if isinstance(made, list) else [made]
        scope.made += [one for one in things if one is not UNKNOWN]
        return made
    if isinstance(called, External):
        made = _library_call(called, args, given, place)
        if isinstance(made, (AgentValue, CrewValue)):
            scope.made.append(made)
        return made
    if isinstance(called, ClassValue) and called.kind == "flow":
        flow = FlowValue(called, place, (*("*" for _ in args), *given))
        scope.made.append(flow)
        return flow
    if isinstance(called, ClassValue):
        return called.make() if called.make is not None else UNKNOWN
    if isinstance(called, (FunctionValue, Bound)):
        result = called.call(args, given)
        node_of = called.node if isinstance(called, FunctionValue) else None
        return Later(result) if isinstance(node_of, ast.AsyncFunctionDef) else result
    if isinstance(node.func, ast.Attribute):
        return _method(evaluate(node.func.value, scope), node.func.attr, args, given)
    if isinstance(node.func, ast.Name) and called is UNKNOWN and not given:
        return _built_in(node.func.id, args)
    return UNKNOWN


#: What CrewAI loads declared crews, flows and agents with.
_LOADERS = ("load_crew", "load_agent", "from_declaration")


def _loaded(
    called: External, args: list[Any], given: dict[str, Any], place: tuple[str, int, int]
) -> Any:
    """What is made of a file that declares it: of a crew with its inputs, as CrewAI does."""
    named = given.get("path", given.get("source", args[0] if args else UNKNOWN))
    path = nearest_file(named, dirname(place[0])) if isinstance(named, str) else None
    made = declared(path) if path is not None else None
    if called.is_crewai("load_crew"):
        return [made if isinstance(made, CrewValue) else CrewValue(UNKNOWN, None, place), UNKNOWN]
    if called.is_crewai("load_agent"):
        return made if isinstance(made, AgentValue) else AgentValue(place=place)
    return FlowValue(made, place) if isinstance(made, ClassValue) else UNKNOWN


def _built_in(name: str, args: list[Any]) -> Any:
    """What functions of Python give that lists are gone through with."""
    if name == "range" and args and all(type(one) is int for one in args):
        with suppress(ValueError, TypeError):
            numbers = range(*args)
            return list(numbers) if len(numbers) <= MOST_ROUNDS else UNKNOWN
    if name == "enumerate" and args and isinstance(args[0], list):
        first = args[1] if len(args) > 1 else 0
        return (
            [[first + at, one] for at, one in enumerate(args[0])] if type(first) is int else UNKNOWN
        )
    if name == "zip" and all(isinstance(one, list) for one in args):
        return [list(pair) for pair in zip(*args, strict=False)]
    if name in ("list", "tuple") and len(args) == 1 and isinstance(args[0], list):
        return list(args[0])
    if name == "str" and len(args) == 1 and type(args[0]) in (str, int):
        return str(args[0])
    return UNKNOWN


def _method(owner: Any, name: str, args: list[Any], given: dict[str, Any]) -> Any:
    """What a method of a text or of a dict gives."""
    known = not given and all(isinstance(one, str) for one in args)
    if isinstance(owner, str) and name in _TEXT_METHODS and not args:
        return getattr(owner, name)()
    if isinstance(owner, str) and name == "replace" and known and len(args) == 2:
        text = owner.replace(*args)
        return text if len(text) <= _LONGEST else UNKNOWN
    if isinstance(owner, str) and name == "join" and len(args) == 1 and isinstance(args[0], list):
        parts = args[0]
        return owner.join(parts) if all(isinstance(one, str) for one in parts) else UNKNOWN
    if isinstance(owner, dict) and not args and not given and name in ("items", "keys", "values"):
        pairs = [[key, value] for key, value in owner.items()]
        return {"items": pairs, "keys": list(owner), "values": list(owner.values())}[name]
    if isinstance(owner, dict) and name == "get" and known and args:
        return owner.get(args[0], args[1] if len(args) > 1 else None)
    return path_method(owner, name, args) if isinstance(owner, str) else UNKNOWN


def _library_call(
    called: External, args: list[Any], given: dict[str, Any], place: tuple[str, int, int]
) -> Any:
    if called.is_crewai("Task", "ConditionalTask"):
        return make_task(given)
    if called.is_crewai("Agent"):
        return make_agent(given, place)
    if called.is_crewai("Crew"):
        tasks = given.get("tasks", UNKNOWN)
        return CrewValue(
            list(tasks) if isinstance(tasks, list) else UNKNOWN,
            text_or_none(given.get("name")),
            place,
        )
    if called.path == "asyncio.run" and args and isinstance(args[0], Later):
        return args[0].value
    if called.path == "textwrap.dedent" and args and isinstance(args[0], str):
        import textwrap

        return textwrap.dedent(args[0])
    if called.path == "inspect.cleandoc" and args and isinstance(args[0], str):
        import inspect

        return inspect.cleandoc(args[0])
    return path_call(called.path, args)


def _attribute(owner: Any, name: str) -> Any:
    if isinstance(owner, External):
        return External(f"{owner.path}.{name}")
    if isinstance(owner, ModuleValue):
        return owner.names.get(name, UNKNOWN)
    if isinstance(owner, Instance):
        return owner.attribute(name)
    if isinstance(owner, CrewValue) and name == "tasks":
        return owner.tasks
    return path_attribute(owner, name) if isinstance(owner, str) else UNKNOWN


def _reckoned(left: Any, sign: ast.operator, right: Any) -> Any:
    """What small whole numbers give, as counters of loops are used."""
    if type(left) is not int or type(right) is not int:
        return UNKNOWN
    match sign:
        case ast.Sub():
            return left - right
        case ast.Mult() if abs(left) + abs(right) <= _LONGEST:
            return left * right
        case ast.Mod() if right:
            return left % right
        case ast.FloorDiv() if right:
            return left // right
        case _:
            return UNKNOWN


def added(left: Any, right: Any) -> Any:
    """What ``left + right`` gives."""
    if type(left) is int and type(right) is int:
        return left + right
    if isinstance(left, str) and isinstance(right, str):
        return left + right if len(left) + len(right) <= _LONGEST else UNKNOWN
    if isinstance(left, list) and isinstance(right, list):
        return left + right if len(left) + len(right) <= _LONGEST else UNKNOWN
    return UNKNOWN
