"""What a tool keeps for itself from one call to the next, and what comes of it: a replay makes
no recorded call again.

Of a call only its text is recorded; a checkpoint has a tool's public fields as they were then.
Told is what can be seen in a tool's class: what it keeps elsewhere, in its module or in a file,
nobody can know. What is only made when it is first needed (a client, a memo) is not meant.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

_CHANGING = {
    *("append", "add", "update", "extend", "insert", "setdefault", "pop", "popleft"),
    *("appendleft", "popitem", "remove", "discard", "clear"),
}
#: Methods that only prepare a tool.
_PREPARING = {"__init__", "__new__", "model_post_init"}

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def state_of(tool: Any) -> list[str]:
    """The names of the attributes that a tool's own methods change, and look at."""
    kinds = [one for one in type(tool).__mro__ if not one.__module__.startswith(("crewai.", "pyd"))]
    named = {name for kind in kinds for name in _attributes(kind)}
    changed: set[str] = set()
    seen: set[str] = set()
    for kind in kinds:
        if kind is not object:
            theirs, looked_at = _of_class(kind)
            changed |= theirs
            seen |= looked_at
    return sorted(named & changed & seen)


def saved_state(tool: Any, names: list[str], saved: Mapping[str, Any]) -> dict[str, Any] | None:
    """What those attributes were when a tool was saved, None where that is not all there."""
    fields = getattr(type(tool), "model_fields", {})
    if any(name not in fields or name not in saved for name in names):
        return None
    from pydantic import TypeAdapter

    try:
        return {
            name: TypeAdapter(fields[name].annotation).validate_python(saved[name])
            for name in names
        }
    except Exception:  # it is of no class that JSON tells of
        return None


def _attributes(kind: type) -> Iterator[str]:
    yield from vars(kind).get("__private_attributes__", {})
    yield from vars(kind).get("__annotations__", {})


@functools.cache
def _of_class(kind: type) -> tuple[frozenset[str], frozenset[str]]:
    """The attributes that a class's own methods change, and those that they look at."""
    changed: set[str] = set()
    seen: set[str] = set()
    for name, value in vars(kind).items():
        function = getattr(value, "__func__", value)
        if not inspect.isfunction(function) or name in _PREPARING:
            continue
        method = _text_of(function)
        if method is not None and method.args.args:
            looked = _Method(method, method.args.args[0].arg, function, frozenset())
            changed |= looked.changed
            seen |= looked.seen
    return frozenset(changed), frozenset(seen)


def _text_of(function: Any) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return None  # made without a text
    return tree.body[0] if isinstance(tree.body[0], _Function) else None


class _Method:
    """What one method does to the attributes of its object, which is called ``own`` in it; or a
    function that is given the object. ``within`` are the functions that have called it."""

    def __init__(
        self,
        method: ast.FunctionDef | ast.AsyncFunctionDef,
        own: str,
        function: Any,
        within: frozenset[Any],
    ) -> None:
        self._self = own
        self._globals: Mapping[str, Any] = getattr(function, "__globals__", {})
        self._within = within | {function}
        #: local names of what is in an attribute
        self._held: dict[str, str] = {}
        self.changed: set[str] = set()
        self.seen: set[str] = set()
        for statement in method.body:
            self._look(statement, frozenset())

    def _name(self, node: ast.AST | None) -> str | None:
        """The attribute that an expression is, or is a part of."""
        whole = node
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name) and node is not whole:
            return self._held.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return node.attr if node.value.id == self._self else None
        return None

    def _look(self, node: ast.AST, first: frozenset[str]) -> None:
        """``first``: attributes that are known to be made here for the first time."""
        if isinstance(node, ast.If):
            tested = first | self._lacking(node.test)
            if not tested - first:
                self._look(node.test, first)
            for one in node.body:
                self._look(one, tested)
            for one in node.orelse:
                self._look(one, first)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                self._assigned(target, node.value, first)
                if isinstance(target, ast.Name) and (held := self._name(node.value)):
                    self._held[target.id] = held
            if node.value is not None:
                self._look(node.value, first)
        elif isinstance(node, ast.AugAssign):
            self._note(self.changed, self._name(node.target))
            self._look(node.value, first)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._note(self.changed, self._name(target))
        elif isinstance(node, ast.Expr) and self._changing(node.value):
            call: Any = node.value
            self._note(self.changed, self._holder(call.func.value))
            for one in [*call.args, *(word.value for word in call.keywords)]:
                self._look(one, first)
        else:
            if self._changing(node):
                call = node
                self._note(self.changed, self._holder(call.func.value))
            if isinstance(node, ast.Call):
                self._called(node)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                self._note(self.seen, self._name(node))
            for child in ast.iter_child_nodes(node):
                self._look(child, first)

    def _assigned(self, target: ast.expr, value: ast.expr | None, first: frozenset[str]) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._assigned(one, value, first)
            return
        name = self._name(target)
        keeps = isinstance(value, ast.BoolOp) and self._name(value.values[0]) == name
        if name is not None and name not in first and not keeps:
            self.changed.add(name)

    def _changing(self, node: ast.AST) -> bool:
        """Whether it is a call that changes a container of the object's."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _CHANGING
            and self._holder(node.func.value) is not None
        )

    def _holder(self, node: ast.expr) -> str | None:
        """The attribute that an expression is, by whatever name."""
        return self._held.get(node.id) if isinstance(node, ast.Name) else self._name(node)

    def _called(self, node: ast.Call) -> None:
        """What a function does to the object that it is given."""
        match node:
            case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), named, *_]):
                if name == self._self and isinstance(named, ast.Constant):
                    self.changed.add(str(named.value))
                return
            case ast.Call(func=ast.Name(id=called)):
                function = self._globals.get(called)
            case _:
                return
        if not inspect.isfunction(function) or function in self._within:
            return
        method = _text_of(function)
        for at, one in enumerate(node.args):
            is_own = isinstance(one, ast.Name) and one.id == self._self
            if is_own and method is not None and at < len(method.args.args):
                looked = _Method(method, method.args.args[at].arg, function, self._within)
                self.changed |= looked.changed
                self.seen |= looked.seen

    def _lacking(self, test: ast.expr) -> frozenset[str]:
        """The attributes that are not there, or lack a key, where a test holds."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = test.operand
            if isinstance(inner, ast.Call) and _is_named(inner.func, "hasattr"):
                named = inner.args[1] if len(inner.args) > 1 else None
                value = named.value if isinstance(named, ast.Constant) else None
                return frozenset({value} if isinstance(value, str) else ())
            name = self._name(inner) if isinstance(inner, ast.Attribute) else None
            return frozenset({name} if name else ())
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            name = None
            if isinstance(test.ops[0], ast.NotIn):
                name = self._holder(test.comparators[0])
            elif isinstance(test.ops[0], (ast.Is, ast.Eq)) and _is_none(test.comparators[0]):
                name = self._holder(test.left)
            return frozenset({name} if name else ())
        return frozenset()

    @staticmethod
    def _note(found: set[str], name: str | None) -> None:
        if name is not None:
            found.add(name)


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
