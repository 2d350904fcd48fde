"""What a static look knows of a value in somebody's program.

Texts, lists and dicts stand for themselves; crews, tasks and agents are told apart by
identity, as at run time: two tasks with the same texts are two tasks. What cannot be
known without running the program is :data:`UNKNOWN`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
#: The context of a task that names none.
IMPLICIT = "IMPLICIT"
NOWHERE = ("", 0, 0)


@dataclass(eq=False, slots=True)
class AgentValue:
    """An agent; a text that is not known is None. ``place`` is where it is made."""

    role: str | None = None
    goal: str | None = None
    backstory: str | None = None
    place: tuple[str, int, int] = NOWHERE

    @property
    def texts(self) -> tuple[str | None, ...]:
        return (self.role, self.goal, self.backstory)


@dataclass(eq=False, slots=True)
class TaskValue:
    """A task. ``context`` is a list of values, `IMPLICIT` or `UNKNOWN`."""

    description: str | None = None
    expected_output: str | None = None
    name: str | None = None
    agent: Any = UNKNOWN
    context: Any = IMPLICIT


@dataclass(eq=False, slots=True)
class CrewValue:
    """A crew. ``tasks`` is a list of values or `UNKNOWN`; ``place`` is where it is made."""

    tasks: Any
    name: str | None
    place: tuple[str, int, int]


@dataclass(eq=False, slots=True)
class External:
    """Something of a library, by its full name: ``crewai.Crew``."""

    path: str

    def is_crewai(self, *names: str) -> bool:
        root, _, _ = self.path.partition(".")
        return root == "crewai" and self.path.rpartition(".")[2] in names


@dataclass(eq=False, slots=True)
class ModuleValue:
    """A module of the project."""

    names: Mapping[str, Any]


@dataclass(eq=False, slots=True)
class FunctionValue:
    """A function of the project, which can be called: statically, with what is known."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    call: Callable[[list[Any], dict[str, Any]], Any]

    @property
    def needs_arguments(self) -> bool:
        """Whether it cannot be called without."""
        return bool(required(self.node))

    @property
    def can_be_called(self) -> bool:
        """Whether a call without arguments gives what it returns."""
        return isinstance(self.node, ast.FunctionDef) and not self.needs_arguments

    @property
    def can_be_called_on_it(self) -> bool:
        """Whether it is a method that needs no more than its object."""
        marks = {one.id for one in self.node.decorator_list if isinstance(one, ast.Name)}
        return (
            isinstance(self.node, ast.FunctionDef)
            and len(required(self.node)) == 1
            and not marks & {"staticmethod", "classmethod", "property"}
        )


def required(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The arguments that a function cannot be called without."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    needed = positional[: len(positional) - len(arguments.defaults)]
    keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [one.arg for one in [*needed, *(key for key, value in keyword if value is None)]]


@dataclass(frozen=True, slots=True)
class Step:
    """A method of a flow. ``kind`` is ``start``, ``listen`` or ``router``.

    ``waits_for`` are the methods and labels that it listens to, None where that cannot be
    told; ``all_of`` whether it waits for each of them (``and_``). ``labels`` are what a
    router can return, or feedback can lead to, None where that cannot be told.
    """

    name: str
    kind: str
    waits_for: tuple[str, ...] | None = ()
    all_of: bool = False
    labels: tuple[str, ...] | None = None


@dataclass(eq=False, slots=True)
class ClassValue:
    """A class of the project: a crew's (`@CrewBase`), a flow's, or another.

    ``steps`` of a flow are a `Step` each, those of its bases included, and
    ``complete`` whether these are all: its bases are known. ``label`` is the name that it
    gives itself; ``needs_arguments`` whether none of it can be made without. ``place`` is
    where it is; ``make`` gives an instance of a crew's class. ``methods`` are the class's own.
    """

    name: str
    place: tuple[str, int, int]
    kind: str = ""
    steps: tuple[Step, ...] = ()
    complete: bool = True
    label: str | None = None
    needs_arguments: bool = False
    make: Callable[[], Any] | None = None
    methods: Mapping[str, FunctionValue] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class FlowValue:
    """A flow that has been made: of which class, where, and with which arguments."""

    flow: ClassValue
    place: tuple[str, int, int]
    arguments: tuple[str, ...] = ()


@dataclass(eq=False, slots=True)
class Later:
    """What a coroutine will give when it is awaited."""

    value: Any


@dataclass(eq=False, slots=True)
class Instance:
    """An object whose attributes are made when they are asked for."""

    attribute: Callable[[str], Any]


@dataclass(eq=False, slots=True)
class Bound:
    """A method that is ready to be called."""

    call: Callable[[list[Any], dict[str, Any]], Any]


@dataclass(eq=False, slots=True)
class ConfigEntry:
    """An entry of a YAML file, and how its names become tasks and agents."""

    values: Mapping[str, Any]
    lookup: Callable[[str], Any] = field(default=lambda _: UNKNOWN)


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def make_agent(given: Mapping[str, Any], place: tuple[str, int, int] = NOWHERE) -> AgentValue:
    """An agent from the arguments of its call."""
    config = given.get("config")
    values: Mapping[str, Any] = config.values if isinstance(config, ConfigEntry) else {}
    texts = {
        key: text_or_none(given[key] if key in given else values.get(key))
        for key in ("role", "goal", "backstory")
    }
    return AgentValue(**texts, place=place)


def make_task(given: Mapping[str, Any]) -> TaskValue:
    """A task from the arguments of its call; those win over an entry of a YAML file."""
    config = given.get("config")
    entry = config if isinstance(config, ConfigEntry) else ConfigEntry({})

    def value(key: str) -> Any:
        return given[key] if key in given else entry.values.get(key)

    context = given.get("context", IMPLICIT)
    if "context" not in given and isinstance(entry.values.get("context"), list):
        context = [entry.lookup(str(name)) for name in entry.values["context"]]
    elif context is UNKNOWN or "**" in given or (config is not None and not entry.values):
        context = UNKNOWN if "context" not in given else context
    agent = given.get("agent", UNKNOWN)
    named = entry.values.get("agent")
    if "agent" not in given and isinstance(named, str):
        agent = entry.lookup(named)
    return TaskValue(
        description=text_or_none(value("description")),
        expected_output=text_or_none(value("expected_output")),
        name=text_or_none(value("name")),
        agent=agent,
        context=list(context) if isinstance(context, list) else context,
    )
