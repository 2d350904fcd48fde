"""Of which type what a function makes is, as far as its text tells for certain.

A checkpoint keeps JSON: a set is a list there, a date a text, an object a dict.
"""

from __future__ import annotations

import ast
import builtins
import datetime
import inspect
import textwrap
import typing
from collections.abc import Iterator
from enum import Enum
from typing import Any

from crewcheck.crewai.flows.code import function_of
from crewcheck.crewai.flows.places import Places

_LITERALS: dict[type, type] = {
    ast.Set: set,
    ast.SetComp: set,
    ast.Tuple: tuple,
    ast.Dict: dict,
    ast.DictComp: dict,
    ast.JoinedStr: str,
}
_DATES = (datetime.date, datetime.time)
#: Class methods that give an object of their class.
_MAKERS = frozenset(
    ("now", "utcnow", "today", "fromisoformat", "fromtimestamp", "strptime", "combine",
     "model_validate", "model_validate_json", "model_construct", "parse_obj", "parse_raw")
)  # fmt: skip

#: Methods of whatever it is that give something of a known type.
_PLAIN_MAKERS: dict[str, type] = {
    "encode": bytes,
    "model_dump": dict,
    "dict": dict,
    "to_dict": dict,
    "model_dump_json": str,
    "json": str,
}


class Kinds:
    """Of one function, which is a method of ``owner``."""

    def __init__(self, method: Any, owner: Any) -> None:
        self._function = function_of(method)
        self._places = Places(self._function, owner, frozenset())
        self._owner = owner
        self._body: list[ast.stmt] = []
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(self._function)))
        except (OSError, TypeError, SyntaxError):
            return
        if isinstance(tree.body[0], (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._body = tree.body[0].body

    def returned(self) -> Any:
        """The type of all that it returns, None if that is not one or not known."""
        given = [one.value for one in self._own() if isinstance(one, ast.Return)]
        return self._same([one for one in given if one is not None])

    def returned_part(self) -> str | None:
        """The key or field of the state whose value it returns, ``""`` for the state itself;
        None if it returns something else."""
        given = [one.value for one in self._own() if isinstance(one, ast.Return)]
        parts = {
            "" if one is not None and self._is_state(one) else self.key(one) if one else None
            for one in given
        }
        return parts.pop() if len(parts) == 1 else None

    def returns_given(self) -> bool:
        """Whether it returns what it was given."""
        code = self._function.__code__
        name = code.co_varnames[1] if code.co_argcount > 1 else ""
        given = [one.value for one in self._own() if isinstance(one, ast.Return)]
        stored = any(
            isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
            for one in self._own()
        )
        named = [isinstance(one, ast.Name) and one.id == name for one in given]
        return bool(named) and all(named) and not stored

    def stored(self) -> Iterator[tuple[str, str, Any]]:
        """What it puts into the state: the key or field, ``=`` or ``append``, and the type
        (None: not known)."""
        for node in self._own():
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        if key := self.key(target):
                            yield key, "=", self.of(value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    if key := self.key(target):
                        yield key, "=", self.of(value)
                case ast.Call(func=ast.Attribute(value=inner, attr="append"), args=[value]):
                    if isinstance(inner, ast.Call):  # setdefault(key, []).append(value)
                        match inner:
                            case ast.Call(
                                func=ast.Attribute(value=holder, attr="setdefault"),
                                args=[ast.Constant(value=str(key)), *_],
                            ) if self._is_state(holder):
                                yield key, "append", self.of(value)
                    elif key := self.key(inner):
                        yield key, "append", self.of(value)

    def read(self) -> Iterator[tuple[str, str]]:
        """Attributes that are read of what is in the state: its key or field, the attribute."""
        alias: dict[str, str] = {}
        for node in self._own():
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if key := self.key(value):
                    alias[name] = key
        for node in self._own():
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                key = self.key(node.value)
                if key is None and isinstance(node.value, ast.Name):
                    key = alias.get(node.value.id)
                if key is not None:
                    yield key, node.attr

    def key(self, node: ast.expr) -> str | None:
        """The key or field of the state that an expression is."""
        match node:
            case ast.Subscript(value=holder, slice=ast.Constant(value=str(key))):
                return key if self._is_state(holder) else None
            case ast.Attribute(value=holder, attr=attr):
                return attr if self._is_state(holder) and not hasattr(dict, attr) else None
            case ast.Call(
                func=ast.Attribute(value=holder, attr="get"),
                args=[ast.Constant(value=str(key)), *_],
            ):
                return key if self._is_state(holder) else None
        return None

    def _is_state(self, node: ast.expr) -> bool:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="state"):
                return name == self._places.own
        return False

    def _own(self) -> Iterator[ast.AST]:
        """All that is in it, but for functions and classes within."""
        waiting: list[ast.AST] = list(self._body)
        while waiting:
            node = waiting.pop(0)
            yield node
            if not isinstance(
                node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
            ):
                waiting += ast.iter_child_nodes(node)

    def _same(self, values: list[ast.expr]) -> Any:
        kinds = [self.of(one) for one in values]
        return kinds[0] if kinds and all(one == kinds[0] for one in kinds) else None

    def of(self, node: ast.expr, depth: int = 5) -> Any:
        """The type of an expression, None where it is not known."""
        if depth < 0:
            return None
        match node:
            case ast.Constant(value=value):
                return None if value is None else type(value)
            case ast.Await(value=inner):
                return self.of(inner, depth - 1)
            case ast.IfExp(body=body, orelse=other):
                return self._same([body, other])
            case ast.List(elts=parts):
                item = self._same(parts)
                return list if item is None else list[item]  # type: ignore[valid-type]
            case ast.ListComp(elt=item):
                kind = self.of(item, depth - 1)
                return list if kind is None else list[kind]  # type: ignore[valid-type]
            case ast.Name(id=name):
                return self._of_name(name, depth)
            case ast.Attribute(value=ast.Name() as holder):
                kind = (
                    self._places.value_in(holder) if holder.id not in self._places.locals else None
                )
                return kind if inspect.isclass(kind) and issubclass(kind, Enum) else None
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                kind = self.of(left, depth - 1)
                if inspect.isclass(kind) and issubclass(kind, _DATES):
                    other = self.of(right, depth - 1)
                    return kind if other is datetime.timedelta else None
                return None
            case ast.Call():
                return self._of_call(node, depth)
        return _LITERALS.get(type(node))

    def _of_name(self, name: str, depth: int) -> Any:
        """A local name: what it is given, if it is given something just once."""
        given: list[ast.expr] = []
        for node in self._own():
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        named = [one for one in ast.walk(target) if isinstance(one, ast.Name)]
                        if any(one.id == name and isinstance(one.ctx, ast.Store) for one in named):
                            given.append(value if isinstance(target, ast.Name) else ast.Name("?"))
                case ast.AnnAssign(target=ast.Name(id=one), value=ast.expr() as value):
                    given += [value] if one == name else []
                case (
                    ast.AugAssign(target=ast.Name(id=one))
                    | ast.For(target=ast.Name(id=one))
                    | ast.NamedExpr(target=ast.Name(id=one))
                ):
                    given += [ast.Name("?")] if one == name else []
        return self.of(given[0], depth - 1) if len(given) == 1 else None

    def _of_call(self, node: ast.Call, depth: int) -> Any:
        match node.func:
            case ast.Attribute(attr=attr) if attr in _PLAIN_MAKERS:
                return _PLAIN_MAKERS[attr]
            case ast.Attribute(value=inner, attr="model_copy"):
                return self.of(inner, depth - 1)
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == self._places.own:
                return _says(self._places.code_of(attr))
        made = self._called(node.func)
        if inspect.isclass(made):
            return made
        match node.func:
            case ast.Attribute(value=holder, attr=attr) if attr in _MAKERS:
                kind = self._called(holder)
                return kind if inspect.isclass(kind) else None
        return _says(made)

    def _called(self, node: ast.expr) -> Any:
        """The class or function that a name stands for."""
        match node:
            case ast.Name(id=name) if name not in self._places.locals:
                return self._places.known(name) or getattr(builtins, name, None)
            case ast.Attribute(value=holder, attr=attr):
                found = self._called(holder)
                if inspect.ismodule(found) or inspect.isclass(found):
                    return inspect.getattr_static(found, attr, None)
        return None


def _says(function: Any) -> Any:
    """What a function says that it returns."""
    try:
        said = typing.get_type_hints(function).get("return")
    except Exception:
        return None
    return said if inspect.isclass(said) and said is not type(None) else None
