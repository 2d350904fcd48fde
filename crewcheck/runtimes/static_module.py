"""The values of a module's names, found by reading its text: nothing of it is run.

Statements are followed in order, functions of the project are followed into, names from
other modules of the project are looked up there. What depends on a branch or a loop is
not known, unless it comes out the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from crewcheck.runtimes.static_classes import read_class
from crewcheck.runtimes.static_expressions import MOST_ROUNDS, Scope, added, bind, evaluate
from crewcheck.runtimes.static_values import (
    UNKNOWN,
    ClassValue,
    External,
    FunctionValue,
    ModuleValue,
    TaskValue,
    text_or_none,
)

_DEEPEST = 12
_MOST_CALLS = 5000


class ModuleReader:
    """Reads one module. ``imported`` are the names that it has from elsewhere."""

    def __init__(
        self,
        path: str,
        tree: ast.Module,
        find_module: Callable[[str | None, int, str], Mapping[str, Any] | None],
    ) -> None:
        self.path = path
        self.tree = tree
        self.scope = Scope(path)
        self.imported: set[str] = set()
        self._find = find_module
        self._depth = 0
        self._calls = 0

    def read(self) -> None:
        self.run(self.tree.body, self.scope)

    # Statements.

    def run(self, body: list[ast.stmt], scope: Scope) -> None:
        """Follow statements; what they do to names stays in the scope."""
        for statement in body:
            self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                found = evaluate(value, scope)
                for target in targets:
                    self._assign(target, found, scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, evaluate(value, scope), scope)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                scope.names[name] = added(scope.get(name), evaluate(value, scope))
            case ast.AugAssign(target=target):
                self._assign(target, UNKNOWN, scope)
            case ast.Expr(value=ast.Call() as call):
                self._effect(call, scope)
            case ast.Return(value=value):
                scope.returned.append(None if value is None else evaluate(value, scope))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                scope.names[node.name] = self.function(node, scope)
            case ast.ClassDef():
                scope.names[node.name] = read_class(node, scope, self.function)
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope)
            case ast.If():
                self._branches(node, scope)
            case ast.With(body=body) | ast.AsyncWith(body=body):
                self.run(body, scope)
            case ast.Try(body=body, orelse=orelse, finalbody=final):
                self.run([*body, *orelse, *final], scope)
            case ast.For() if self._followed(node, scope):
                pass
            case ast.For() | ast.AsyncFor() | ast.While() | ast.Match():
                self._forget(node, scope)
            case _:
                pass

    def _assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        match target:
            case ast.Name(id=name):
                scope.names[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                known = isinstance(value, list) and len(value) == len(parts)
                for place, part in enumerate(parts):
                    self._assign(part, value[place] if known else UNKNOWN, scope)
            case ast.Attribute(value=owner, attr="context" | "description" as name):
                task = evaluate(owner, scope)
                if isinstance(task, TaskValue):
                    known_text = value if name == "context" else text_or_none(value)
                    setattr(task, name, known_text)
            case _:
                pass

    def _effect(self, call: ast.Call, scope: Scope) -> None:
        """A call for its effect: a list that grows."""
        if isinstance(call.func, ast.Attribute):
            owner = evaluate(call.func.value, scope)
            if isinstance(owner, list):
                values = [evaluate(one, scope) for one in call.args]
                if call.func.attr == "append" and len(values) == 1:
                    owner.append(values[0])
                elif call.func.attr == "extend" and len(values) == 1:
                    owner.extend(values[0] if isinstance(values[0], list) else [UNKNOWN])
                else:
                    owner.append(UNKNOWN)  # sorted, cleared, ...: not known any more

    def _branches(self, node: ast.If, scope: Scope) -> None:
        """Both ways of a condition; names that differ after them are not known."""
        if is_main_guard(node.test):
            self.run(node.orelse, scope)
            return
        if isinstance(node.test, (ast.Name, ast.Attribute)) and "TYPE_CHECKING" in ast.dump(
            node.test
        ):
            self.run([*node.orelse, *node.body], scope)
            return
        before = dict(scope.names)
        lists = {name: list(one) for name, one in before.items() if isinstance(one, list)}
        self.run(node.body, scope)
        first, scope.names = scope.names, before
        self.run(node.orelse, scope)
        for name, value in first.items():
            if name not in scope.names:
                scope.names[name] = value
            elif scope.names[name] is not value and scope.names[name] != value:
                scope.names[name] = UNKNOWN
        for name, old in lists.items():
            if isinstance(scope.names.get(name), list) and scope.names[name] != old:
                scope.names[name] = UNKNOWN

    def _followed(self, node: ast.For, scope: Scope) -> bool:
        """Go through a loop over a known list; False where it cannot be followed."""
        values = evaluate(node.iter, scope)
        if not isinstance(values, list) or len(values) > MOST_ROUNDS or UNKNOWN in values:
            return False
        leaves = (ast.Break, ast.Continue, ast.Return)
        if any(isinstance(one, leaves) for one in ast.walk(node)):
            return False
        for value in list(values):
            if not bind(node.target, value, scope):
                return False
            self.run(node.body, scope)
        self.run(node.orelse, scope)
        return True

    def _forget(self, node: ast.stmt, scope: Scope) -> None:
        """Names that a loop changes in a way that is not followed."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                scope.names[inner.id] = UNKNOWN
            elif isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
                if isinstance(scope.get(inner.value.id), list):
                    scope.names[inner.value.id] = UNKNOWN
            elif isinstance(inner, ast.Return):
                scope.returned.append(UNKNOWN)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            # a round on a sheet of its own: what it makes is noted
            self.run(node.body, Scope(self.path, scope))

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                name = alias.asname or alias.name.partition(".")[0]
                wanted = alias.name if alias.asname else name
                names = self._find(wanted, 0, self.path)
                scope.names[name] = External(wanted) if names is None else ModuleValue(names)
            else:
                name = alias.asname or alias.name
                names = self._find(node.module, node.level, self.path)
                full = f"{node.module}.{alias.name}" if node.module else alias.name
                if names is not None and alias.name in names:
                    scope.names[name] = names[alias.name]
                else:
                    inner = self._find(full, node.level, self.path)
                    scope.names[name] = (
                        ModuleValue(inner)
                        if inner is not None
                        else UNKNOWN
                        if node.level or names is not None
                        else External(full)
                    )
            if scope is self.scope:
                self.imported.add(name)

    # What is made where no name of the module leads to.

    def run_the_rest(self) -> None:
        """Go through what an import does not run: the main guard, functions and methods.

        What they make is noted in ``scope.made``; to be called last, for it may change
        what the module's names stand for.
        """
        for statement in self.tree.body:
            if isinstance(statement, ast.If) and is_main_guard(statement.test):
                self.run(statement.body, Scope(self.path, self.scope))
        for name, value in list(self.scope.names.items()):
            if name in self.imported:
                continue
            if isinstance(value, FunctionValue):
                value.call([], {})
            elif isinstance(value, ClassValue) and value.kind != "crew":
                for method in value.methods.values():
                    method.call([], {})

    # Functions.

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> FunctionValue:
        return FunctionValue(node, lambda args, given: self.call(node, scope, args, given))

    def call(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        scope: Scope,
        args: list[Any],
        given: Mapping[str, Any],
    ) -> Any:
        """What a function returns (a coroutine, once it is awaited): the one value that all
        its ways return."""
        if self._depth >= _DEEPEST or self._calls >= _MOST_CALLS:
            return UNKNOWN
        self._calls += 1
        inner = Scope(self.path, scope)
        positional = [one.arg for one in [*node.args.posonlyargs, *node.args.args]]
        keyword = [one.arg for one in node.args.kwonlyargs]
        values: dict[str, Any] = dict.fromkeys([*positional, *keyword], UNKNOWN)
        defaults = [evaluate(one, scope) for one in node.args.defaults]
        values.update(zip(reversed(positional), reversed(defaults), strict=False))
        for name, default in zip(keyword, node.args.kw_defaults, strict=True):
            values[name] = UNKNOWN if default is None else evaluate(default, scope)
        values.update(zip(positional, args, strict=False))
        values.update((name, value) for name, value in given.items() if name in values)
        inner.names.update(values)
        self._depth += 1
        try:
            self.run(node.body, inner)
        finally:
            self._depth -= 1
        first, *others = inner.returned or [UNKNOWN]
        return first if all(one is first for one in others) else UNKNOWN


def is_main_guard(test: ast.expr) -> bool:
    """``__name__ == "__main__"``"""
    return isinstance(test, ast.Compare) and "'__name__'" in ast.dump(test)
