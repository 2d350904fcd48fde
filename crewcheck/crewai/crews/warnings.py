"""What is worth knowing before the tasks run that will: where they are not as they were."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.crews import facts
from crewcheck.crewai.crews.pairing import Pairing
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.model.crew import Agent
from crewcheck.model.crew import agent as saved_agent
from crewcheck.model.document import mapping, objects, text

# the form of a placeholder, not capturing its name
_PLACEHOLDER = re.compile(r"\{[A-Za-z_][A-Za-z0-9_\-]*\}")


class Warnings:
    """Collects them; ``found`` are {rule, where, message}, ``where`` names all tasks that a
    warning is about."""

    def __init__(self) -> None:
        self.found: list[dict[str, str]] = []

    def add(self, rule: str, where: str, message: str) -> None:
        for one in self.found:
            if (one["rule"], one["message"]) == (rule, message):
                one["where"] += f", {where}"
                return
        self.found.append({"rule": rule, "where": where, "message": message})


def of(crew: Any, saved: SavedCrew, pairing: Pairing, run: list[int]) -> list[dict[str, str]]:
    """The warnings about the tasks that will run, and about the crew's memory."""
    warnings = Warnings()
    for index in run:
        old = pairing.task(saved, index)
        if not old:
            continue
        where = facts.label(crew, index)
        before = _asked_then(crew, saved, old)
        for now, was in _agents(crew, saved, index, old):
            for field in facts.AGENT_TEXTS if was.role else ():
                value, template = getattr(was, field), facts.agent_template(now, field)
                if not is_filling(value, template):
                    warnings.add("agent-changed", where, f"its agent's {field} is another one now")
        _model(warnings, where, before, facts.asked_first(crew, crew.tasks[index]))
        if _tools_then(crew, saved, old) != set(_tools_now(crew, index)):
            warnings.add("tools-changed", where, "its tools are not those of the checkpoint")
    if run and _remembers(crew):
        warnings.add(
            "memory-ahead",
            ", ".join(facts.label(crew, index) for index in run),
            "the memory may hold what was done after this checkpoint; it is not set back",
        )
    return warnings.found


def _remembers(crew: Any) -> bool:
    return bool(crew.memory) or any(
        getattr(agent, "memory", None) for task in crew.tasks for agent in facts.workers(crew, task)
    )


def _asked_then(crew: Any, saved: SavedCrew, old: Mapping[str, Any]) -> Agent:
    """The agent whose model a task asked: the manager, where there is one."""
    if not facts.is_hierarchical(crew):
        return saved_agent(mapping(old.get("agent")))
    manager = mapping(saved.entity.get("manager_agent"))
    return saved_agent(manager or {"llm": saved.entity.get("manager_llm")})


def _agents(
    crew: Any, saved: SavedCrew, index: int, old: Mapping[str, Any]
) -> list[tuple[Any, Agent]]:
    """The agents of a task now and then, as far as they can be told."""
    task = crew.tasks[index]
    if not facts.is_hierarchical(crew):
        return [(task.agent, saved_agent(mapping(old.get("agent"))))]
    both: list[tuple[Any, Agent]] = []
    manager = mapping(saved.entity.get("manager_agent"))
    if crew.manager_agent is not None and manager:
        both.append((crew.manager_agent, saved_agent(manager)))
    then = objects(saved.entity.get("agents"))
    if len(then) == len(crew.agents):
        place = {id(agent): at for at, agent in enumerate(crew.agents)}
        both += [
            (agent, saved_agent(then[place[id(agent)]]))
            for agent in facts.workers(crew, task)
            if id(agent) in place
        ]
    return both


def _model(warnings: Warnings, where: str, before: Agent, llm: Any) -> None:
    model, endpoint = facts.model_name(llm), facts.model_endpoint(llm)
    if before.model and model and _plain(before.model) != _plain(model):
        warnings.add(
            "model-changed", where, f"it asks {model}; the checkpoint was made with {before.model}"
        )
    if before.model and before.endpoint != endpoint:
        warnings.add(
            "endpoint-changed",
            where,
            f"it asks at {endpoint or 'the usual address'}; the checkpoint was made with "
            f"{before.endpoint or 'the usual address'}",
        )


def _plain(model: str) -> str:
    """A model's name without its provider: CrewAI writes it both ways."""
    return model.rsplit("/", 1)[-1]


def _tools_then(crew: Any, saved: SavedCrew, old: Mapping[str, Any]) -> set[str | None]:
    own = {text(tool.get("name")) for tool in objects(old.get("tools"))}
    if own or facts.is_hierarchical(crew):  # the manager's are made by CrewAI
        return own
    return {text(tool.get("name")) for tool in objects(mapping(old.get("agent")).get("tools"))}


def _tools_now(crew: Any, index: int) -> list[str]:
    task = crew.tasks[index]
    tools = task.tools or []
    if not tools and not facts.is_hierarchical(crew):
        tools = getattr(task.agent, "tools", None) or []
    return [str(getattr(tool, "name", tool)) for tool in tools]


def is_filling(value: str, template: str) -> bool:
    """Whether a text can be a template with some inputs in it, whichever they were.

    A fork with another input keeps the old text of an agent, so the values do not tell.
    """
    first, *rest = _PLACEHOLDER.split(template)
    if not rest:
        return value == template
    if not value.startswith(first):
        return False
    at = len(first)
    for piece in rest[:-1]:
        at = value.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return len(value) - at >= len(rest[-1]) and value.endswith(rest[-1])
