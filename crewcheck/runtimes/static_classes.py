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
    required,
)
from crewcheck.runtimes.yaml_subset import read_yaml

Make = Callable[[ast.FunctionDef | ast.AsyncFunctionDef, Scope], FunctionValue]
#: The attribute of an instance of a `@CrewBase` class under which its crew is found.
THE_CREW = "<crew>"
_LARGEST_CONFIG = 1 << 20


def read_class(node: ast.ClassDef, scope: Scope, function: Make) -> ClassValue:
    """What a class statement makes. ``function`` makes a method callable."""
    place = (scope.path, node.lineno, node.col_offset)
    if any(_is(one, scope, "CrewBase") for one in node.decorator_list):
        members = _Members(node, scope, function)
        return ClassValue(
            node.name,
            place,
            "crew",
            make=lambda: _crew_base(members),
            needs_arguments=bool(_init_needs_arguments(node)),
            methods=members.methods,
        )
    bases = [_base(one, scope) for one in node.bases]
    inherited = [one for one in bases if isinstance(one, ClassValue)]
    own = steps_of(node, scope)
    complete = all(
        one.complete if isinstance(one, ClassValue) else _adds_no_steps(one) for one in bases
    )
    is_flow = any(isinstance(one, External) and one.is_crewai("Flow") for one in bases)
    is_flow = is_flow or any(one.kind == "flow" for one in inherited)
    methods = _methods(node, scope, function)
    # the first base wins, as in Python
    steps = {step.name: step for one in reversed(inherited) for step in one.steps}
    steps.update((step.name, step) for step in own)
    for plain in set(methods) - {step.name for step in own}:
        steps.pop(plain, None)  # one without a mark of its own is no step any more
    own_init = "__init__" in methods
    return ClassValue(
        node.name,
        place,
        # steps alone may be for others to inherit; a base of which nothing is known may be a flow
        "flow" if is_flow or (steps and not complete) else "",
        tuple(steps.values()),
        complete=complete,
        label=_label(node, scope) or next((one.label for one in inherited if one.label), None),
        needs_arguments=_needs_arguments(node)
        or (not own_init and any(one.needs_arguments for one in inherited)),
        methods=methods,
    )


def _adds_no_steps(base: Any) -> bool:
    """Whether a base class of a library is known to have no steps of its own."""
    if not isinstance(base, External):
        return False
    root = base.path.partition(".")[0]
    return base.is_crewai("Flow") or root in ("typing", "typing_extensions", "abc", "builtins")


def _label(node: ast.ClassDef, scope: Scope) -> str | None:
    """The name that a class gives its flows: ``name = "..."``."""
    for statement in node.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id="name")], value=value)
                | ast.AnnAssign(target=ast.Name(id="name"), value=ast.expr() as value)
            ):
                found = evaluate(value, scope)
                return found if isinstance(found, str) else None
    return None


def _needs_arguments(node: ast.ClassDef) -> bool:
    """Whether none of a class can be made without arguments: its ``__init__`` has some, or,
    as a flow is a pydantic model, one of its fields has no value."""
    by_init = _init_needs_arguments(node)
    if by_init is not None:
        return by_init
    return any(
        isinstance(one, ast.AnnAssign)
        and one.value is None
        and isinstance(one.target, ast.Name)
        and not one.target.id.startswith("_")
        and one.target.id != "state"
        and "ClassVar" not in ast.dump(one.annotation)
        for one in node.body
    )


def _init_needs_arguments(node: ast.ClassDef) -> bool | None:
    """The same of a class's own ``__init__``, None where it has none."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            return len(required(statement)) > 1
    return None


def _is(decorator: ast.expr, scope: Scope, *names: str) -> bool:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    value = evaluate(node, scope)
    return isinstance(value, External) and value.is_crewai(*names)


def _base(node: ast.expr, scope: Scope) -> Any:
    """A base class; ``Flow[State]`` is a Flow."""
    return evaluate(node.value if isinstance(node, ast.Subscript) else node, scope)


def _methods(node: ast.ClassDef, scope: Scope, function: Make) -> dict[str, FunctionValue]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {one.name: function(one, scope) for one in node.body if isinstance(one, kinds)}


class _Members:
    """The methods and settings of a ``@CrewBase`` class."""

    def __init__(self, node: ast.ClassDef, scope: Scope, function: Make) -> None:
        self.node = node
        self.scope = scope
        self.methods = _methods(node, scope, function)

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
