"""What the user's own crew tells that no document does: contexts, templates, models."""

from __future__ import annotations

from typing import Any

from crewcheck.engine.invalidation import TaskFacts
from crewcheck.model.crew import placeholders

#: An input that CrewAI puts into every task's text by itself.
_CHAT = "crew_chat_messages"
#: An input that CrewAI puts into the first task's text, and where a task asks for it.
_TRIGGER = "crewai_trigger_payload"


def template(task: Any, field: str = "description") -> str:
    """A task's text before the inputs were filled in."""
    return str(getattr(task, f"_original_{field}", None) or getattr(task, field, None) or "")


def agent_template(agent: Any, field: str) -> str:
    """An agent's role, goal or backstory before the inputs were filled in."""
    return template(agent, field)


def depends_on(crew: Any, index: int) -> frozenset[int]:
    """Positions of the tasks whose outputs the prompt of a task holds.

    Without a ``context`` of its own a task is given all outputs before it, and an
    asynchronous one the output of the synchronous task before it.
    """
    task = crew.tasks[index]
    if callable(getattr(task, "should_execute", None)) and index:
        return _context(crew, index) | {index - 1}  # its condition looks at what was before
    return _context(crew, index)


def _context(crew: Any, index: int) -> frozenset[int]:
    task = crew.tasks[index]
    if isinstance(task.context, list):
        order = {id(one): place for place, one in enumerate(crew.tasks)}
        return frozenset(order[id(one)] for one in task.context if id(one) in order)
    if not task.context:
        return frozenset()
    if task.async_execution:
        before = [place for place in range(index) if not crew.tasks[place].async_execution]
        return frozenset(before[-1:])
    return frozenset(range(index))


def names(crew: Any, index: int) -> frozenset[str]:
    """The inputs that a task's texts and its agent's name."""
    task = crew.tasks[index]
    texts = [template(task, "description"), template(task, "expected_output")]
    texts.append(template(task, "output_file"))
    agents = [task.agent] if any(task.agent is one for one in crew.agents) else []
    if getattr(task.agent, "allow_delegation", False):
        agents = list(crew.agents)  # its tools name the others
    for agent in agents:
        texts += [agent_template(agent, field) for field in ("role", "goal", "backstory")]
    found = {_CHAT, *placeholders(*texts)}
    allowed = getattr(task, "allow_crewai_trigger_context", None)
    if allowed or (index == 0 and allowed is None):
        found.add(_TRIGGER)
    return frozenset(found)


def task_facts(crew: Any, states: list[str]) -> list[TaskFacts]:
    """The facts that decide what is kept; a task that was not saved is pending."""
    return [
        TaskFacts(
            index,
            states[index] if index < len(states) else "pending",
            depends_on(crew, index),
            names(crew, index),
            str(task.name or ""),
        )
        for index, task in enumerate(crew.tasks)
    ]


def model_of(agent: Any) -> str | None:
    """The name of the model that an agent asks."""
    llm = getattr(agent, "llm", None)
    name = getattr(llm, "model", None) or (llm if isinstance(llm, str) else None)
    return str(name) if name else None


def endpoint_of(agent: Any) -> str | None:
    """The address that an agent's model is asked at, where it is not the usual one."""
    llm = getattr(agent, "llm", None)
    address = getattr(llm, "base_url", None) or getattr(llm, "api_base", None)
    return str(address) if address else None


def tool_names(task: Any) -> list[str]:
    """The tools that a task can use: its own, else its agent's."""
    tools = getattr(task, "tools", None) or getattr(task.agent, "tools", None) or []
    return [str(getattr(tool, "name", tool)) for tool in tools]


def output_class(task: Any) -> Any:
    """The class that a task's output is parsed into, None for plain text."""
    return task.output_pydantic or task.output_json


def as_loaded(crew: Any, facts: list[TaskFacts]) -> list[dict[str, Any]]:
    """The tasks of a ``loaded`` message."""
    return [
        {
            "index": fact.index,
            "name": task.name or None,
            "template": template(task),
            "agent": getattr(task.agent, "role", None),
            "state": fact.state,
            "depends_on": sorted(fact.depends_on or ()),
            "names": sorted((fact.names or frozenset()) - {_CHAT, _TRIGGER}),
            "asynchronous": bool(task.async_execution),
            "human_input": bool(getattr(task, "human_input", False)),
            "output_class": getattr(output_class(task), "__name__", None),
            "model": model_of(task.agent),
            "endpoint": endpoint_of(task.agent),
            "tools": tool_names(task),
        }
        for fact, task in zip(facts, crew.tasks, strict=True)
    ]
