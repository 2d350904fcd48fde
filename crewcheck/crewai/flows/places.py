"""Which places that outlive a function an expression in its text names.

A place is as the user writes it: ``self.notes``, ``FOUND``, ``settings.MODEL``. What is in it
(``self.notes[0].text``) is a part of it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from crewcheck.crewai.flows.code import function_of


class Places:
    """Of one function of an object (None: of a plain one). ``locals`` grows with what is seen,
    ``alias`` are local names for places, ``parts`` those of them that are only in one.

    ``hidden`` are parts of the object's state that are places, too; the rest of the state is
    none. If it is None, all parts of the state are."""

    def __init__(self, function: Any, owner: Any, hidden: frozenset[str] | None) -> None:
        code = function.__code__
        self.function, self.owner, self.hidden = function, owner, hidden
        self.own = code.co_varnames[0] if owner is not None and code.co_argcount else None
        self.locals = {*code.co_varnames, *code.co_cellvars}
        self.alias: dict[str, str] = {}
        self.parts: set[str] = set()
        self._closed = dict(zip(code.co_freevars, _cells(function), strict=False))

    def find(self, node: ast.expr | None) -> str | None:
        """The place that an expression is, or is a part of; None if it is none."""
        if self.hidden is None and node is not None and (path := self._in_state(node)):
            return path[0]
        match node:
            case ast.Name(id=name):
                return self.named(name)
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                if name == self.own:
                    return None if attr == "state" or self.code_of(attr) else f"self.{attr}"
                if name not in self.locals and isinstance(self.known(name), (type, ModuleType)):
                    # what a class has its objects have
                    own = self.known(name) in type(self.owner).__mro__
                    return f"self.{attr}" if own else f"{name}.{attr}"
                return self.named(name)
            case ast.Attribute(
                value=ast.Call(func=ast.Name(id="type"), args=[ast.Name(id=name)])
                | ast.Attribute(value=ast.Name(id=name), attr="__class__"),
                attr=attr,
            ) if name == self.own:
                return f"self.{attr}"
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="state")) if (
                name == self.own
            ):
                return f"self.state.{node.attr}" if node.attr in (self.hidden or ()) else None
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                return self.find(inner)
            case ast.Call(func=ast.Attribute(value=inner, attr="setdefault" | "get")):
                return self.find(inner)
            case ast.Call() if asked := self.asked(node, "getattr"):
                return f"self.{asked}"
        return None

    def name_it(self, name: str, part: tuple[str, bool] | None) -> None:
        """A local name is a place, or in one, from now on; or none any more."""
        self.alias.pop(name, None)
        self.parts.discard(name)
        if part is not None:
            self.alias[name] = part[0]
            if not part[1]:
                self.parts.add(name)

    def path(self, node: ast.expr) -> tuple[str, bool] | None:
        """The place that an expression is in, and whether it is known to be just that."""
        if self.hidden is None and (path := self._in_state(node)):
            return path
        place = self.find(node)
        return None if place is None else (place, False)

    def _in_state(self, node: ast.expr) -> tuple[str, bool] | None:
        """The part of the state that an expression is in (``self.state.key.part``), and
        whether it is just that; None if it is in none."""
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="state") if name == self.own:
                return "self.state", True
            case ast.Name(id=name) if self.alias.get(name, "").startswith("self.state"):
                return self.alias[name], name not in self.parts
            case ast.Call(
                func=ast.Attribute(value=inner, attr="get" | "setdefault"),
                args=[ast.Constant(value=str(key)), *_],
            ):
                found = self._in_state(inner)
            case ast.Subscript(value=inner, slice=ast.Constant(value=str(key))):
                found = self._in_state(inner)
            case ast.Attribute(value=inner, attr=key):
                found = self._in_state(inner)
            case ast.Subscript(value=inner):
                found = self._in_state(inner)
                return (found[0], False) if found else None
            case _:
                return None
        if found is None:
            return None
        place, exact = found
        return (f"{place}.{key}", True) if exact else found

    def asked(self, node: ast.Call, *names: str) -> str | None:
        """The attribute that is asked for by a call like ``getattr(self, "attribute")``."""
        match node:
            case ast.Call(
                func=ast.Name(id=function),
                args=[ast.Name(id=name), ast.Constant(value=str(attr)), *_],
            ) if function in names and name == self.own:
                return attr
        return None

    def named(self, name: str) -> str | None:
        """The place of a name: a global that is no code, or what a local name stands for."""
        if name in self.alias:
            return self.alias[name]
        if name == self.own or name in self.locals or hasattr(builtins, name):
            return None
        value = self.known(name)
        is_code = isinstance(value, (type, ModuleType)) or inspect.isroutine(value)
        return None if is_code else name

    def known(self, name: str) -> Any:
        """What a global, or a name of the function around it, is now."""
        return self._closed.get(name, self.function.__globals__.get(name))

    def code_of(self, attr: str) -> Any:
        """The function behind an attribute of the object (a method, a property), if it is one."""
        if self.owner is None:
            return None
        found = inspect.getattr_static(type(self.owner), attr, None)
        if isinstance(found, (classmethod, staticmethod)):
            found = found.__func__
        found = getattr(found, "fget", None) or getattr(found, "func", None) or found
        function = function_of(found)
        return function if inspect.isfunction(function) else None

    def is_whole(self, node: ast.expr, place: str | None) -> bool:
        """Whether an expression is a place itself, and no part of it."""
        if self.hidden is None and (path := self._in_state(node)):
            return path == (place, True)
        text = ast.unparse(node)
        if self.own and text.startswith(f"{self.own}."):
            text = "self." + text[len(self.own) + 1 :]
        return text == place

    def value_in(self, node: ast.expr) -> Any:
        """What is in a place now, without running anything."""
        match node:
            case ast.Name(id=name):
                return self.known(name)
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                holder = self.owner if name == self.own else self.known(name)
                private = getattr(holder, "__pydantic_private__", None) or {}
                return private.get(attr, inspect.getattr_static(holder, attr, None))
        return None

    def missing(self, test: ast.expr) -> tuple[set[str], set[str]]:
        """The places that are missing where a test is true, and where it is false."""
        none = ast.Constant(value=None)
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                absent, present = self.missing(inner)
                return present, absent
            case ast.Compare(left=left, ops=[ast.Is() | ast.Eq()], comparators=[other]) if ast.dump(
                other
            ) == ast.dump(none):
                return self._one(left), set()
            case ast.Compare(left=left, ops=[ast.IsNot() | ast.NotEq()], comparators=[other]) if (
                ast.dump(other) == ast.dump(none)
            ):
                return set(), self._one(left)
            case ast.Compare(ops=[ast.NotIn()], comparators=[inner]):
                return self._one(inner), set()
            case ast.Compare(ops=[ast.In()], comparators=[inner]):
                return set(), self._one(inner)
            case ast.Call() if attr := self.asked(test, "hasattr"):
                return set(), {f"self.{attr}"}
        return set(), self._one(test)

    def _one(self, node: ast.expr) -> set[str]:
        place = self.find(node)
        return {place} if place is not None else set()


def _cells(function: Any) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # an empty cell
            yield None
