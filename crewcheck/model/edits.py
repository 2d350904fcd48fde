"""What a person changes at a fork, and how it is written on a command line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crewcheck.errors import NotFound, UsageProblem
from crewcheck.model.crew import Task
from crewcheck.model.harmless import name as shown
from crewcheck.model.json_path import REMOVED, Path, parse_path
from crewcheck.model.json_values import same_json

#: The key that each state of a flow has.
STATE_ID = "id"


@dataclass(slots=True)
class Edits:
    """Changes to one checkpoint. Items are the tasks of a crew, or the calls of a flow's
    methods, named by their position from 0.

    ``inputs`` holds only what was changed or added, with its JSON type. ``outputs`` are the
    texts of tasks, ``results`` the JSON values of calls, ``state`` what is changed in a
    flow's state, by its place (`json_path.REMOVED`: a key is taken away). ``rerun`` are items
    to run again although nothing else asks for it, ``keep`` items to keep although something
    they depend on has changed.
    """

    inputs: dict[str, Any] = field(default_factory=dict)
    outputs: dict[int, str] = field(default_factory=dict)
    results: dict[int, Any] = field(default_factory=dict)
    state: dict[Path, Any] = field(default_factory=dict)
    rerun: set[int] = field(default_factory=set)
    keep: set[int] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(
            self.inputs or self.outputs or self.results or self.state or self.rerun or self.keep
        )

    def copy(self) -> Edits:
        """The same edits, to be changed apart from these."""
        return Edits(
            dict(self.inputs), dict(self.outputs), dict(self.results), dict(self.state),
            set(self.rerun), set(self.keep),
        )  # fmt: skip


class Change(NamedTuple):
    """One thing that was edited: its place in the checkpoint, and both values."""

    path: str
    old: Any
    new: Any

    @property
    def key(self) -> str:
        """The last part of the path."""
        return self.path.partition(".")[2]


def parse_input(text: str) -> tuple[str, Any]:
    """``KEY=VALUE``: the value as JSON where it is JSON, else as the text it is.

    So ``n=3`` is a number, ``n="3"`` a text, ``on=true`` a truth value. Raises
    `UsageProblem`.
    """
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise UsageProblem(f'"{shown(text)}" is no input', "write --input KEY=VALUE")
    return key, json_or_text(value)


def parse_state(text: str) -> tuple[Path, Any]:
    """``PATH=JSON``: a place in a flow's state and its new value. Raises `UsageProblem`."""
    path, sign, value = text.partition("=")
    if not sign or not path:
        raise UsageProblem(f'"{shown(text)}" is no change of state', "write --state PATH=JSON")
    steps = parse_path(path)
    if not steps:
        raise UsageProblem("--state changes parts of a state", "name one: --state PATH=JSON")
    return steps, json_or_text(value)


def parse_unset(text: str) -> Path:
    """``PATH``: a key of a flow's state that is taken away. Raises `UsageProblem`."""
    steps = parse_path(text)
    if not steps:
        raise UsageProblem("--unset takes a key of a state away", "name one: --unset PATH")
    if steps == (STATE_ID,):
        raise UsageProblem(f'without its "{STATE_ID}" CrewAI takes no state')
    return steps


def state_changes(before: Any, after: Mapping[str, Any]) -> dict[Path, Any]:
    """What must be set in a flow's state to make another one of it, by place.

    A list that has grown or shrunk, and an object inside the state that has lost a key, are
    set as a whole; a key that the state itself has lost is `REMOVED`. Raises `UsageProblem` where
    that is its id.
    """
    old = before if isinstance(before, dict) else {}
    changes: dict[Path, Any] = {(key,): REMOVED for key in old if key not in after}
    if (STATE_ID,) in changes:
        raise UsageProblem(f'the key "{STATE_ID}" is gone, and without it CrewAI takes no state')
    old = {key: value for key, value in old.items() if key in after}
    stack: list[tuple[Path, Any, Any]] = [((), old, dict(after))]
    while stack:
        path, one, other = stack.pop()
        if isinstance(one, dict) and isinstance(other, dict) and one.keys() <= other.keys():
            new = [((*path, key), one.get(key, _Nothing), value) for key, value in other.items()]
            stack += reversed(new)
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            both = enumerate(zip(one, other, strict=True))
            stack += reversed([((*path, str(at)), was, value) for at, (was, value) in both])
        elif not same_json(one, other):
            changes[path] = other
    return changes


class _Nothing:
    """Equals nothing that JSON holds."""


def json_or_text(value: str) -> Any:
    try:
        return json.loads(value, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def parse_inputs_file(text: str, path: str) -> dict[str, Any]:
    """The inputs in a JSON file: one object. Raises `UsageProblem` with the place."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageProblem(
            f"{shown(path)} is no JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise UsageProblem(f"{shown(path)} is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageProblem(f"{shown(path)} must hold one JSON object with the inputs")
    return value


def find_task(tasks: Sequence[Task], wanted: str) -> int:
    """The position of a task that a person names: by number from 1, name, or id.

    Raises `NotFound` with the names there are, or where a name fits several.
    """
    by_name = [task.index for task in tasks if task.name == wanted or task.id == wanted]
    if len(by_name) == 1:
        return by_name[0]
    if len(by_name) > 1:
        numbers = ", ".join(str(index + 1) for index in by_name)
        raise NotFound(f'"{shown(wanted)}" names several tasks', f"use a number: {numbers}")
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(tasks):
        return int(wanted) - 1
    known = ", ".join(f"{task.index + 1} {shown(task.label[:40])}" for task in tasks)
    raise NotFound(f'no task "{shown(wanted)}"', f"there are: {known}")


def changed_inputs(before: Mapping[str, Any] | None, edits: Edits) -> dict[str, Any]:
    """The edited inputs that differ from what was: 3 and "3" differ, and so do 1 and true."""
    old = before or {}
    return {
        key: value
        for key, value in edits.inputs.items()
        if key not in old or not same_json(old[key], value)
    }
