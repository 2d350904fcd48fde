"""What the user's functions read and change of what outlives them: attributes and globals.

It is told from their text, in the order in which it runs, and followed through the functions
that they call. The state of a flow is left out, but for what no checkpoint has of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from crewcheck.crewai.flows.code import function_of
from crewcheck.crewai.flows.handing import part_of
from crewcheck.crewai.flows.uses_of_expressions import CHANGE, MADE, READ, Use, Walk


def uses(method: Any, owner: Any = None, hidden: frozenset[str] | None = frozenset()) -> list[Use]:
    """What a function of an object uses, in order. ``hidden`` are parts of its state that no
    checkpoint has; None if all of its state is to be told."""
    found: list[Use] = []
    _Statements(function_of(method), owner, hidden, found, set()).run()
    return found


class _Statements(Walk):
    """Goes through one function, and those that it calls."""

    def _store(self, target: ast.expr, value: ast.expr | None) -> None:
        """An assignment to a target."""
        match target:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                values: list[ast.expr | None] = [None] * len(parts)
                if isinstance(value, ast.Tuple) and len(value.elts) == len(parts):
                    values = list(value.elts)
                for part, one in zip(parts, values, strict=True):
                    self._store(part, one)
            case ast.Starred(value=inner):
                self._store(inner, None)
            case ast.Name(id=name) if name in self._places.locals:
                self._clean.discard(name)
                found = part_of(self._places, value)
                self._places.name_it(name, found)
                if found is None and value is not None and self._is_clean(value):
                    self._clean.add(name)
            case ast.Name(id=name):
                self._use(self._kind_of_store(name, value), name)
            case ast.Attribute() | ast.Subscript():
                self._index(target)
                place = self._places.find(target)
                whole = self._places.is_whole(target, place)
                kind = self._kind_of_store(place, value, target)
                self._use(kind if whole or kind == MADE else CHANGE, place)

    # statements

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._store(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._store(node.target, node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._store(node.target, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self._index(node.target)
        if isinstance(node.target, ast.Name) and node.target.id in self._places.locals:
            self._clean.discard(node.target.id)
            self._use(CHANGE, self._places.alias.get(node.target.id))
        elif isinstance(node.target, ast.Name):
            self._use(CHANGE, node.target.id)
        else:
            self._use(CHANGE, self._places.find(node.target))

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._use(CHANGE, self._places.find(target))

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        absent, present = self._places.missing(node.test)
        with self._missing(absent):
            self._block(node.body, sure=False)
        with self._missing(present):
            self._block(node.orelse, sure=False)
        if node.body and isinstance(node.body[-1], (ast.Return, ast.Raise)):
            self._absent = self._absent | present

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self._store(node.target, None)
        self._items(node.target, node.iter)
        self._block([*node.body, *node.orelse], sure=False)

    visit_AsyncFor = visit_For

    def _items(self, target: ast.expr, of: ast.expr) -> None:
        """The names of a loop stand for parts of what it goes through."""
        part = part_of(self._places, of)
        for one in ast.walk(target):
            if isinstance(one, ast.Name) and part is not None:
                self._places.name_it(one.id, (part[0], False))

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self._block([*node.body, *node.orelse], sure=False)

    def visit_Try(self, node: ast.Try) -> None:
        before = len(self._found)
        self._block(node.body, sure=False)
        tried = {one.place for one in self._found[before:] if one.kind == READ}
        for handler in node.handlers:
            with self._missing(tried):
                self._block(handler.body, sure=False)
        self._block(node.orelse, sure=False)
        self._block(node.finalbody)

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        for case in node.cases:
            self._block(case.body, sure=False)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._inner(node.args, node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._inner(node.args, node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inner(node.args, [node.body])

    def _inner(self, given: ast.arguments, body: Iterable[ast.AST]) -> None:
        """A function within: it may be called."""
        named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        known = self._places.locals
        stored = {
            one.id
            for part in body
            for one in ast.walk(part)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
        self._places.locals = self._places.locals | {one.arg for one in named} | stored
        self._block(body, sure=False)
        self._places.locals = known

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.visit(node.iter)
        for part in ast.walk(node.target):
            if isinstance(part, ast.Name):
                self._places.locals = self._places.locals | {part.id}
        self._items(node.target, node.iter)
        for test in node.ifs:
            self.visit(test)

    def _comprehended(self, node: Any) -> None:
        for part in node.generators:
            self.visit(part)
        for part in [getattr(node, name, None) for name in ("elt", "key", "value")]:
            if part is not None:
                self.visit(part)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehended
