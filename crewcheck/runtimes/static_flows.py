"""The steps of a flow's class in a static look: what each method waits for, and leads to."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from crewcheck.runtimes.static_expressions import Scope, evaluate
from crewcheck.runtimes.static_values import External, Step

STEPS = ("start", "listen", "router")


def steps_of(node: ast.ClassDef, scope: Scope) -> list[Step]:
    """The steps that a class itself has, in their order."""
    found = []
    for method in node.body:
        if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for decorator in method.decorator_list:
            kind = _kind(decorator, scope)
            if kind is not None:
                found.append(_step(method, kind, decorator, scope))
                break
    return found


def _kind(decorator: ast.expr, scope: Scope) -> str | None:
    return next((kind for kind in STEPS if _is(decorator, scope, kind)), None)


def _is(node: ast.expr, scope: Scope, name: str) -> bool:
    """Whether a decorator or a call is CrewAI's of that name."""
    value = evaluate(node.func if isinstance(node, ast.Call) else node, scope)
    return isinstance(value, External) and value.is_crewai(name)


def _step(
    method: ast.FunctionDef | ast.AsyncFunctionDef, kind: str, decorator: ast.expr, scope: Scope
) -> Step:
    waits_for: tuple[str, ...] | None = ()
    all_of = False
    given = (
        [*decorator.args, *(one.value for one in decorator.keywords)]
        if isinstance(decorator, ast.Call)
        else []
    )
    if len(given) == 1 or (given and kind == "router"):
        waits_for, all_of = _condition(given[0], scope)
    elif given:
        waits_for = None
    labels = _outcomes(method, scope) or (_labels(method) if kind == "router" else None)
    return Step(method.name, kind, waits_for, all_of, labels)


def _outcomes(
    method: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope
) -> tuple[str, ...] | None:
    """The outcomes that a person's feedback leads to: ``@human_feedback(emit=[...])``."""
    for decorator in method.decorator_list:
        if isinstance(decorator, ast.Call) and _is(decorator, scope, "human_feedback"):
            for given in decorator.keywords:
                outcomes = evaluate(given.value, scope) if given.arg == "emit" else None
                if isinstance(outcomes, list) and all(isinstance(o, str) for o in outcomes):
                    return tuple(outcomes) or None
    return None


def _condition(node: ast.expr, scope: Scope) -> tuple[tuple[str, ...] | None, bool]:
    """The names in a condition, and whether all of them are waited for."""
    match node:
        case ast.Constant(value=str(label)):
            return (label,), False
        case ast.Name(id=name) | ast.Attribute(attr=name):
            # a method of the class (or its base), unless the name stands for a text
            value = evaluate(node, scope)
            return ((value,) if isinstance(value, str) else (name,)), False
        case ast.Call(args=args) if args:
            joins = _is(node, scope, "and_")
            if not joins and not _is(node, scope, "or_"):
                return None, False
            parts = [_condition(one, scope) for one in args]
            names: dict[str, None] = {}
            for part, _ in parts:
                if part is None:
                    return None, False
                names.update(dict.fromkeys(part))
            # a mixture of both is taken as a join: more may depend, never less
            return tuple(names), joins or any(nested for _, nested in parts)
    return None, False


def _labels(method: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...] | None:
    """The texts that a router returns, None if one of them cannot be told."""
    labels: dict[str, None] = {}
    for statement in _own(method.body):
        if isinstance(statement, ast.Return):
            for value in _branches(statement.value):
                if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
                    return None
                labels[value.value] = None
    return tuple(labels) or None


def _branches(node: ast.expr | None) -> Iterable[ast.expr | None]:
    if isinstance(node, ast.IfExp):
        yield from _branches(node.body)
        yield from _branches(node.orelse)
    else:
        yield node


def _own(body: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """The statements of a function, not those of functions within it."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        yield node
        yield from _own(ast.iter_child_nodes(node))
