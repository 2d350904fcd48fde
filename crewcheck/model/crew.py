"""A crew of a document: its tasks, agents and inputs, and how far they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crewcheck.model.document import mapping, objects, sequence, text
from crewcheck.model.events import Tokens, seconds_between, tokens_of
from crewcheck.model.status import dropped_tasks, task_states

# The form of a placeholder in a CrewAI template.
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_\-]*)\}")


@dataclass(frozen=True, slots=True)
class Task:
    """A task. ``state`` is ``done``, ``skipped``, ``running``, ``failed`` or ``pending``.

    ``output`` is the text of its result (None: not done; it may be empty), ``structured``
    its ``json_dict`` or model value where the document has one. ``template`` and
    ``expected_template`` are the texts before the inputs were filled in, None where the
    document does not keep them. ``label`` names the task where ``name`` does not.
    """

    index: int
    id: str | None
    name: str | None
    label: str
    agent: str | None
    state: str
    description: str
    expected_output: str
    template: str | None
    expected_template: str | None
    output: str | None
    structured: Any
    output_format: str | None
    tools: tuple[str, ...]
    is_async: bool
    human_input: bool
    error: str | None
    started_at: str | None
    ended_at: str | None
    seconds: float | None
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent: the model it asks, and its texts with the inputs filled in."""

    id: str | None
    role: str
    goal: str
    backstory: str
    model: str | None
    endpoint: str | None
    tools: tuple[str, ...]
    allow_delegation: bool
    is_manager: bool = False


def placeholders(*templates: str | None) -> list[str]:
    """The names in ``{braces}`` of some templates, each once, in order."""
    names: dict[str, None] = {}
    for template in templates:
        for name in _PLACEHOLDER.findall(template or ""):
            names.setdefault(name)
    return list(names)


def template_names(crew: Mapping[str, Any]) -> list[str]:
    """The inputs that the templates of a crew's tasks ask for."""
    return placeholders(
        *(
            text(task.get(f"checkpoint_original_{field}")) or text(task.get(field))
            for task in objects(crew.get("tasks"))
            for field in ("description", "expected_output")
        )
    )


def tasks(
    document: Mapping[str, Any], crew: Mapping[str, Any], events: Iterable[Mapping[str, Any]]
) -> list[Task]:
    """The tasks of a crew, in order, with what the events tell of them."""
    listed = objects(crew.get("tasks"))
    states = task_states(listed, dropped_tasks(document))
    told: dict[str, _Told] = {}
    for event in events:
        if task_id := text(event.get("task_id")):
            told.setdefault(task_id, _Told()).add(event)
    return [
        _task(index, task, states[index], told.get(text(task.get("id")) or "") or _Told())
        for index, task in enumerate(listed)
    ]


class _Told:
    """What the events of one task say, the newest of each kind winning."""

    def __init__(self) -> None:
        self.tokens = Tokens()
        self.started: str | None = None
        self.ended: str | None = None
        self.error: str | None = None
        self.state: str | None = None

    def add(self, event: Mapping[str, Any]) -> None:
        self.tokens += tokens_of(event)
        kind = event.get("type")
        if kind == "task_started":
            self.started, self.ended, self.error = text(event.get("timestamp")), None, None
            self.state = "running"
        elif kind in ("task_completed", "task_failed"):
            self.ended = text(event.get("timestamp"))
            self.error = text(event.get("error")) if kind == "task_failed" else None
            self.state = "failed" if kind == "task_failed" else "done"


def _task(index: int, task: Mapping[str, Any], state: str, told: _Told) -> Task:
    output = task.get("output")
    if state == "pending" and told.state in ("running", "failed"):
        state = told.state
    name = text(task.get("name"))
    description = text(task.get("description")) or ""
    structured = mapping(output).get("json_dict") or mapping(output).get("pydantic") or None
    # the document's own times have no zone; both are of one clock, so the gap is right
    started, ended = text(task.get("start_time")), text(task.get("end_time"))
    return Task(
        index=index,
        id=text(task.get("id")),
        name=name,
        label=label_of(task, index),
        agent=text(mapping(task.get("agent")).get("role"))
        or text(mapping(output).get("agent"))
        or next((role for role in sequence(task.get("processed_by_agents")) if text(role)), None),
        state=state,
        description=description,
        expected_output=text(task.get("expected_output")) or "",
        template=text(task.get("checkpoint_original_description")),
        expected_template=text(task.get("checkpoint_original_expected_output")),
        output=_output_text(output),
        structured=structured,
        output_format=text(mapping(output).get("output_format")),
        tools=tool_names(task.get("tools")),
        is_async=bool(task.get("async_execution")),
        human_input=bool(task.get("human_input")),
        error=told.error if state == "failed" else None,
        started_at=told.started or started,
        ended_at=told.ended or ended,
        seconds=seconds_between(told.started, told.ended)
        if told.started and told.ended
        else seconds_between(started, ended),
        tokens=told.tokens,
    )


def _output_text(output: object) -> str | None:
    if output is None:
        return None
    if isinstance(output, dict):
        return text(output.get("raw")) or ""
    return output if isinstance(output, str) else str(output)


def tool_names(tools: object) -> tuple[str, ...]:
    return tuple(text(tool.get("name")) or "unnamed tool" for tool in objects(tools))


def agents(crew: Mapping[str, Any]) -> list[Agent]:
    """The agents of a crew, its manager last."""
    found = [agent(one) for one in objects(crew.get("agents"))]
    manager = crew.get("manager_agent")
    if isinstance(manager, dict):
        found.append(agent(manager, is_manager=True))
    return found


def agent(one: Mapping[str, Any], *, is_manager: bool = False) -> Agent:
    llm = one.get("llm")
    settings = mapping(llm)
    return Agent(
        id=text(one.get("id")),
        role=text(one.get("role")) or "",
        goal=text(one.get("goal")) or "",
        backstory=text(one.get("backstory")) or "",
        model=text(settings.get("model")) or text(settings.get("model_name")) or text(llm),
        endpoint=text(settings.get("base_url")) or text(settings.get("api_base")),
        tools=tool_names(one.get("tools")),
        allow_delegation=bool(one.get("allow_delegation")),
        is_manager=is_manager,
    )


def label_of(task: Mapping[str, Any], index: int) -> str:
    """What a task is called: its name, else the first line of its description."""
    named = text(task.get("name"))
    return named or _first_line(text(task.get("description")) or "") or f"task {index + 1}"


def _first_line(description: str) -> str:
    return next((line.strip() for line in description.splitlines() if line.strip()), "")
