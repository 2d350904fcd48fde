"""What the methods of the user's own class wait for and lead to.

From 1.14.5 on CrewAI has a definition of each class; before, marks on the class itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Step:
    """A method, as `engine.flow_plan` takes it. ``routes``: what it gives is a label.
    ``asks``: a person says what they think of what it gives."""

    name: str
    kind: str
    waits_for: tuple[str, ...] | None = ()
    all_of: bool = False
    labels: tuple[str, ...] | None = None
    routes: bool = False
    asks: bool = False


def steps_of(flow: Any) -> list[Step]:
    """The steps of a flow, in the order of its class."""
    definition = getattr(flow, "_definition", None)
    if definition is None:
        make = getattr(type(flow), "flow_definition", None)
        definition = make() if callable(make) else None
    methods = getattr(definition, "methods", None)
    if isinstance(methods, Mapping):
        return _defined(methods)
    return [_marked(flow, str(name)) for name in flow._methods]


def _defined(methods: Mapping[str, Any]) -> list[Step]:
    found = []
    for name, one in methods.items():
        is_start = bool(getattr(one, "start", None))
        condition = getattr(one, "listen", None)
        if condition is None and is_start and one.start is not True:
            condition = one.start
        waits_for, all_of = _condition(condition)
        feedback = getattr(one, "human_feedback", None)
        outcomes = getattr(feedback, "emit", None) or getattr(one, "emit", None)
        routes = bool(getattr(one, "router", False))
        kind = "start" if is_start else "router" if routes else "listen"
        labels = tuple(map(str, outcomes)) if outcomes else None
        found.append(Step(str(name), kind, waits_for, all_of, labels, routes, feedback is not None))
    return found


def _condition(condition: Any) -> tuple[tuple[str, ...] | None, bool]:
    """The names in a condition, and whether all of them are waited for.

    A mixture of both is taken as a join: more may depend, never less.
    """
    if condition is None:
        return (), False
    if isinstance(condition, str):
        return (condition,), False
    if not isinstance(condition, Mapping):
        return None, False
    return tuple(dict.fromkeys(_names(condition))), _joins(condition)


def _names(condition: Any) -> Iterator[str]:
    if isinstance(condition, str):
        yield condition
    elif isinstance(condition, Mapping):
        for branches in condition.values():
            for one in branches if isinstance(branches, (list, tuple)) else []:
                yield from _names(one)


def _joins(condition: Any) -> bool:
    if not isinstance(condition, Mapping):
        return False
    return any(
        operator == "and" or any(_joins(one) for one in branches)
        for operator, branches in condition.items()
    )


def _marked(flow: Any, name: str) -> Step:
    """A method of CrewAI before 1.14.5, by the marks of its decorators."""
    starts = {str(one) for one in getattr(flow, "_start_methods", [])}
    routers = {str(one) for one in getattr(flow, "_routers", [])}
    waiting = {str(key): value for key, value in getattr(flow, "_listeners", {}).items()}
    paths = {str(key): value for key, value in getattr(flow, "_router_paths", {}).items()}
    waits_for: tuple[str, ...] | None = ()
    all_of = False
    given = waiting.get(name)
    if isinstance(given, tuple) and len(given) == 2:
        waits_for, all_of = tuple(map(str, given[1])), given[0] == "AND"
    elif given is not None:
        waits_for = None
    kind = "start" if name in starts else "router" if name in routers else "listen"
    labels = tuple(map(str, paths[name])) if paths.get(name) else None
    asks = hasattr(flow._methods.get(name), "__human_feedback_config__")
    return Step(name, kind, waits_for, all_of, labels, name in routers, asks)
