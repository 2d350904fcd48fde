"""What a static look knows of a crew, flow or agent that is written down as data.

That is `crew.jsonc` with `agents/NAME.jsonc` beside it, and `flow.yaml`: no code is needed to
read them, so all of their texts are known.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from crewcheck.runtimes.jsonc import read_jsonc
from crewcheck.runtimes.static_values import (
    IMPLICIT,
    UNKNOWN,
    AgentValue,
    ClassValue,
    CrewValue,
    Step,
    TaskValue,
    text_or_none,
)
from crewcheck.runtimes.yaml_subset import read_yaml

_LARGEST = 1 << 20
_JSON = (".jsonc", ".json")

Declared = CrewValue | AgentValue | ClassValue


def declared(path: str) -> Declared | None:
    """The crew, flow (as its class) or agent that a file declares; None if it is none."""
    values = _read(path)
    if values is None:
        return None
    if isinstance(values.get("tasks"), list) and "agents" in values:
        return _crew(path, values)
    if isinstance(values.get("methods"), dict) and _is_flow(values):
        return _flow(path, values)
    if {"role", "goal", "backstory"} <= set(values):
        return _agent(path, values)
    return None


def _read(path: str) -> dict[str, Any] | None:
    """The mapping in a file, None where there is none that can be read."""
    try:
        if os.path.getsize(path) > _LARGEST:
            return None
        with open(path, encoding="utf-8") as file:
            text = file.read()
        values = read_jsonc(text) if path.lower().endswith(_JSON) else read_yaml(text)
    except (OSError, ValueError):
        return None
    return values if isinstance(values, dict) else None


def _crew(path: str, values: Mapping[str, Any]) -> CrewValue:
    agents: dict[str, AgentValue] = {}
    made: list[Any] = []
    named: dict[str, TaskValue] = {}
    for given in values["tasks"]:
        if not isinstance(given, dict):
            return CrewValue(UNKNOWN, text_or_none(values.get("name")), (path, 1, 0))
        context = given.get("context", IMPLICIT)
        if isinstance(context, list):
            context = [named.get(str(one), UNKNOWN) for one in context]
        agent: Any = given.get("agent")
        if isinstance(agent, str):
            if agent not in agents:
                agents[agent] = _agent_named(path, values["agents"], agent)
            agent = agents[agent]
        task = TaskValue(
            description=text_or_none(given.get("description")),
            expected_output=text_or_none(given.get("expected_output")),
            name=text_or_none(given.get("name")),
            agent=agent,
            context=context,
        )
        made.append(task)
        if task.name:
            named[task.name] = task
    return CrewValue(made, text_or_none(values.get("name")), (path, 1, 0))


def _agent_named(crew: str, listed: Any, name: str) -> AgentValue:
    """An agent of a crew: declared in it, or in a file of its own in the folder beside it."""
    if isinstance(listed, dict) and isinstance(listed.get(name), dict):
        return _agent(crew, listed[name])
    for suffix in _JSON:
        path = os.path.join(os.path.dirname(crew), "agents", f"{name}{suffix}")
        if os.path.isfile(path):
            return _agent(path, _read(path) or {})
    return AgentValue()


def _agent(path: str, values: Mapping[str, Any]) -> AgentValue:
    settings = values.get("settings")
    given = {**values, **(settings if isinstance(settings, dict) else {})}
    role, goal, backstory = (text_or_none(given.get(key)) for key in AGENT_TEXTS)
    return AgentValue(role, goal, backstory, (path, 1, 0))


AGENT_TEXTS = ("role", "goal", "backstory")


def _is_flow(values: Mapping[str, Any]) -> bool:
    methods = values["methods"].values()
    return all(isinstance(one, dict) and "do" in one for one in methods)


def _flow(path: str, values: Mapping[str, Any]) -> ClassValue:
    methods = values["methods"]
    always = any(_is_true(one.get("start")) for one in methods.values())
    return ClassValue(
        str(values.get("name")),
        (path, 1, 0),
        "flow",
        tuple(_step(str(name), one, always) for name, one in methods.items()),
    )


def _step(name: str, given: Mapping[str, Any], always: bool) -> Step:
    """A method. ``always``: one of the flow starts without a condition."""
    starts = given.get("start")
    is_start = bool(starts) and starts != "false"
    waits_for = given.get("listen")
    if waits_for is None and is_start and not _is_true(starts) and always:
        waits_for = starts
    feedback = given.get("human_feedback")
    outcomes = feedback.get("emit") if isinstance(feedback, dict) else None
    routes = _is_true(given.get("router")) or bool(outcomes)
    labels = outcomes or given.get("emit")
    return Step(
        name,
        "start" if is_start else "router" if routes else "listen",
        tuple(dict.fromkeys(_names(waits_for))),
        _joins(waits_for),
        tuple(map(str, labels)) if isinstance(labels, list) and labels else None,
    )


def _is_true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.lower() in ("true", "yes", "on"))


def _names(condition: Any) -> Iterator[str]:
    if isinstance(condition, str):
        yield condition
    elif isinstance(condition, dict):
        for branches in condition.values():
            for one in branches if isinstance(branches, list) else ():
                yield from _names(one)


def _joins(condition: Any) -> bool:
    """Whether all names are waited for; a mixture is taken as a join: more may depend."""
    return isinstance(condition, dict) and any(
        sign == "and" or any(_joins(one) for one in branches if isinstance(branches, list))
        for sign, branches in condition.items()
    )
