"""What the user's own crew tells that no document does: contexts, templates, models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crewcheck.engine.invalidation import TaskFacts
from crewcheck.model.crew import placeholders

#: An input that CrewAI puts into every task's text by itself.
_CHAT = "crew_chat_messages"
#: An input that CrewAI puts into the first task's text, and where a task asks for it.
_TRIGGER = "crewai_trigger_payload"

AGENT_TEXTS = ("role", "goal", "backstory")
TASK_TEXTS = ("description", "expected_output", "output_file")


def template(task: Any, field: str = "description") -> str:
    """A task's text before the inputs were filled in."""
    return str(getattr(task, f"_original_{field}", None) or getattr(task, field, None) or "")


def agent_template(agent: Any, field: str) -> str:
    """An agent's role, goal or backstory before the inputs were filled in."""
    return template(agent, field)


def label(crew: Any, index: int) -> str:
    """What a person calls a task of the project."""
    return str(crew.tasks[index].name or "") or f"task {index + 1}"


def is_hierarchical(crew: Any) -> bool:
    """Whether a manager does the tasks."""
    return bool(getattr(crew.process, "value", crew.process) == "hierarchical")


def workers(crew: Any, task: Any) -> list[Any]:
    """The agents that a task's work can come to: its own, and those that it can be given to.

    Of a manager's task that is the agent that it was meant for, else any of the crew's. The
    manager itself is not among them: CrewAI may not have made it yet.
    """
    manager = getattr(crew, "manager_agent", None)
    own = task.agent if task.agent is not manager else None
    if is_hierarchical(crew):
        return [own] if own is not None else list(crew.agents)
    others = list(crew.agents) if getattr(own, "allow_delegation", False) else []
    return [one for one in [own, *others] if one is not None]


def asked_first(crew: Any, task: Any) -> Any:
    """The model that a task asks: its agent's, or the manager's."""
    if not is_hierarchical(crew):
        return getattr(task.agent, "llm", None)
    manager = getattr(crew, "manager_agent", None)
    return getattr(manager, "llm", None) if manager is not None else crew.manager_llm


def does_more(crew: Any, task: Any) -> bool:
    """Whether a task does something once it has an output."""
    return bool(task.callback or crew.task_callback or task.output_file)


def is_conditional(task: Any) -> bool:
    """Whether a condition can skip a task."""
    return callable(getattr(task, "should_execute", None))


def depends_on(crew: Any, index: int) -> frozenset[int]:
    """Positions of the tasks whose outputs the prompt of a task holds.

    Without a ``context`` of its own a task is given all outputs before it, and an
    asynchronous one nothing.
    """
    task = crew.tasks[index]
    if is_conditional(task) and index:
        return _context(crew, index) | {index - 1}  # its condition looks at what was before
    return _context(crew, index)


def has_own_context(task: Any) -> bool:
    """Whether a task names what it is given, be it nothing."""
    return isinstance(task.context, list) or not task.context


def _context(crew: Any, index: int) -> frozenset[int]:
    task = crew.tasks[index]
    if isinstance(task.context, list):
        order = {id(one): place for place, one in enumerate(crew.tasks)}
        return frozenset(order[id(one)] for one in task.context if id(one) in order)
    if not task.context or task.async_execution:
        return frozenset()
    return frozenset(range(index))


def names(crew: Any, index: int) -> frozenset[str]:
    """The inputs that a task's texts and its agents' name.

    Where the crew plans first, the planner reads all texts, and its plan is in each task's.
    """
    tasks = enumerate(crew.tasks) if crew.planning else [(index, crew.tasks[index])]
    return frozenset({_CHAT}.union(*(_names(crew, place, task) for place, task in tasks)))


def _names(crew: Any, index: int, task: Any) -> set[str]:
    texts = [template(task, field) for field in TASK_TEXTS]
    for agent in workers(crew, task):
        if any(agent is one for one in crew.agents):  # others are not filled in
            texts += [agent_template(agent, field) for field in AGENT_TEXTS]
    found = set(placeholders(*texts))
    allowed = getattr(task, "allow_crewai_trigger_context", None)
    if allowed or (index == 0 and allowed is None):
        found.add(_TRIGGER)
    return found


def task_facts(
    crew: Any, states: Sequence[str], differs: dict[int, str] | None = None
) -> list[TaskFacts]:
    """The facts that decide what is kept. ``differs``: position -> why what was recorded of
    a task is not what it would give now."""
    return [
        TaskFacts(
            index,
            states[index],
            depends_on(crew, index),
            names(crew, index),
            str(task.name or ""),
            differs=(differs or {}).get(index, ""),
        )
        for index, task in enumerate(crew.tasks)
    ]


def models(crew: Any) -> list[Any]:
    """All models that the crew's work may ask; those that are only named are made."""
    own = [crew.manager_llm, crew.planning_llm, crew.function_calling_llm]
    manager = getattr(crew, "manager_agent", None)
    agents = [*crew.agents, *(task.agent for task in crew.tasks), manager]
    for agent in agents:
        own += [getattr(agent, "llm", None), getattr(agent, "function_calling_llm", None)]
    return [_made(one) if isinstance(one, str) else one for one in own if one is not None]


def _made(name: str) -> Any:
    from crewai.utilities.llm_utils import create_llm

    try:
        return create_llm(name)
    except Exception:  # CrewAI will say so when it asks it
        return None


def model_of(agent: Any) -> str | None:
    """The name of the model that an agent asks."""
    return model_name(getattr(agent, "llm", None))


def model_name(llm: Any) -> str | None:
    """The name of a model."""
    name = getattr(llm, "model", None) or (llm if isinstance(llm, str) else None)
    return str(name) if name else None


def endpoint_of(agent: Any) -> str | None:
    """The address that an agent's model is asked at, where it is not the usual one."""
    return model_endpoint(getattr(agent, "llm", None))


def model_endpoint(llm: Any) -> str | None:
    """The address that a model is asked at, where it is not the usual one."""
    address = getattr(llm, "base_url", None) or getattr(llm, "api_base", None)
    return str(address) if address else None


def tool_names(crew: Any, task: Any) -> list[str]:
    """The tools that the work on a task can use: its own, else those of its agents."""
    own = getattr(task, "tools", None)
    if own and not is_hierarchical(crew):
        return _named(own)
    found = _named(own or [])
    for agent in workers(crew, task):
        found += _named(getattr(agent, "tools", None) or [])
    return list(dict.fromkeys(found))


def _named(tools: Any) -> list[str]:
    return [str(getattr(tool, "name", tool)) for tool in tools]


def output_class(task: Any) -> Any:
    """The class that a task's output is parsed into, None for plain text."""
    return task.output_pydantic or task.output_json


def as_loaded(crew: Any, facts: list[TaskFacts]) -> list[dict[str, Any]]:
    """The tasks of a ``loaded`` message."""
    manager = getattr(crew, "manager_agent", None) if is_hierarchical(crew) else None
    return [
        {
            "index": fact.index,
            "name": task.name or None,
            "template": template(task),
            "agent": getattr(task.agent or manager, "role", None),
            "state": fact.state,
            "depends_on": sorted(fact.depends_on or ()),
            "names": sorted((fact.names or frozenset()) - {_CHAT, _TRIGGER}),
            "asynchronous": bool(task.async_execution),
            "human_input": bool(getattr(task, "human_input", False)),
            "output_class": getattr(output_class(task), "__name__", None),
            "model": model_name(asked_first(crew, task)),
            "endpoint": model_endpoint(asked_first(crew, task)),
            "tools": tool_names(crew, task),
        }
        for fact, task in zip(facts, crew.tasks, strict=True)
    ]
