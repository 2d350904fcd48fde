"""Classes in a static look: CrewAI's ``@CrewBase`` classes with their YAML files, and flows."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from typing import Any

from crewcheck.runtimes.static_expressions import Scope, evaluate
from crewcheck.runtimes.static_flows import steps_of
from crewcheck.runtimes.static_values import (
    UNKNOWN,
    Bound,
    ClassValue,
    ConfigEntry,
    CrewValue,
    External,
    FunctionValue,
    Instance,
)
from crewcheck.runtimes.yaml_subset import read_yaml

#: The attribute of an instance of a `@CrewBase` class under which its crew is found.
THE_CREW = "<crew>"
_LARGEST_CONFIG = 1 << 20


def read_class(
    node: ast.ClassDef, scope: Scope, function: Callable[[ast.FunctionDef, Scope], FunctionValue]
) -> ClassValue:
    """What a class statement makes. ``function`` makes a method callable."""
    place = (scope.path, node.lineno, node.col_offset)
    if any(_is(one, scope, "CrewBase") for one in node.decorator_list):
        members = _Members(node, scope, function)
        return ClassValue(node.name, place, "crew", make=lambda: _crew_base(members))
    bases = [_base(one, scope) for one in node.bases]
    inherited = [one for one in bases if isinstance(one, ClassValue)]
    is_flow = any(isinstance(one, External) and one.is_crewai("Flow") for one in bases)
    if is_flow or any(one.kind == "flow" for one in inherited):
        steps = {step.name: step for one in inherited for step in one.steps}
        steps.update((step.name, step) for step in steps_of(node, scope))
        return ClassValue(node.name, place, "flow", tuple(steps.values()))
    return ClassValue(node.name, place)


def _is(decorator: ast.expr, scope: Scope, *names: str) -> bool:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    value = evaluate(node, scope)
    return isinstance(value, External) and value.is_crewai(*names)


def _base(node: ast.expr, scope: Scope) -> Any:
    """A base class; ``Flow[State]`` is a Flow."""
    return evaluate(node.value if isinstance(node, ast.Subscript) else node, scope)


class _Members:
    """The methods and settings of a ``@CrewBase`` class."""

    def __init__(
        self,
        node: ast.ClassDef,
        scope: Scope,
        function: Callable[[ast.FunctionDef, Scope], FunctionValue],
    ) -> None:
        self.node = node
        self.scope = scope
        self.methods = {
            one.name: function(one, scope) for one in node.body if isinstance(one, ast.FunctionDef)
        }

    def marked(self, mark: str) -> list[str]:
        """The methods with a decorator, in their order."""
        return [
            name
            for name, method in self.methods.items()
            if any(_is(one, self.scope, mark) for one in method.node.decorator_list)
        ]

    def config(self, name: str) -> Any:
        """``agents_config`` or ``tasks_config``: the YAML file's mapping, or what is known."""
        value: Any = f"config/{name.removesuffix('_config')}.yaml"
        for statement in self.node.body:
            targets: list[ast.expr] = []
            if isinstance(statement, ast.Assign):
                targets = statement.targets
            elif isinstance(statement, ast.AnnAssign):
                targets = [statement.target]
            if any(isinstance(one, ast.Name) and one.id == name for one in targets):
                node = statement.value  # type: ignore[attr-defined]
                if node is not None:
                    value = evaluate(node, self.scope)
        if not isinstance(value, str):
            return UNKNOWN
        path = os.path.join(os.path.dirname(self.scope.path), value)
        try:
            if os.path.getsize(path) > _LARGEST_CONFIG:
                return UNKNOWN
            with open(path, encoding="utf-8") as file:
                return read_yaml(file.read())
        except (OSError, ValueError):
            return UNKNOWN


def _crew_base(members: _Members) -> Instance:
    """An instance: each task and agent is made once, as CrewAI does."""
    made: dict[str, Any] = {}
    configs: dict[str, Any] = {}
    tasks, agents, crews = (members.marked(mark) for mark in ("task", "agent", "crew"))

    def call(name: str) -> Any:
        if name not in made:
            made[name] = UNKNOWN  # one that asks for itself
            method = members.methods[name]
            value = method.call([this], {})
            if value is UNKNOWN and name in crews:
                value = CrewValue(
                    [call(one) for one in tasks],
                    None,
                    (members.scope.path, method.node.lineno, method.node.col_offset),
                )
            made[name] = value
        return made[name]

    def lookup(name: str) -> Any:
        return call(name) if name in tasks or name in agents else UNKNOWN

    def attribute(name: str) -> Any:
        if name in ("agents_config", "tasks_config"):
            if name not in configs:
                config = members.config(name)
                if isinstance(config, dict):
                    config = {
                        key: ConfigEntry(value if isinstance(value, dict) else {}, lookup)
                        for key, value in config.items()
                    }
                configs[name] = config
            return configs[name]
        if name == THE_CREW:
            return call(crews[0]) if crews else UNKNOWN
        if name in ("tasks", "agents"):
            return [call(one) for one in (tasks if name == "tasks" else agents)]
        if name in members.methods:
            return Bound(lambda *_: call(name))
        return UNKNOWN

    this = Instance(attribute)
    return this


def crew_of(class_value: ClassValue) -> Any:
    """The crew that a ``@CrewBase`` class makes, `UNKNOWN` if that cannot be told."""
    instance = class_value.make() if class_value.make is not None else None
    return instance.attribute(THE_CREW) if isinstance(instance, Instance) else UNKNOWN
