"""A sequential crew from what was saved of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.restore import agents as restore_agents
from crewcheck.crewai.restore import guardrails
from crewcheck.crewai.restore.classes import class_of, stand_in
from crewcheck.crewai.restore.contexts import context_of, has_lists
from crewcheck.crewai.restore.lost import Lost
from crewcheck.crewai.restore.running import may_run, passed_over
from crewcheck.crewai.restore.tools import tools_of
from crewcheck.engine.invalidation import FAILED, UNDER_WAY
from crewcheck.model.document import mapping, objects, text
from crewcheck.runtimes.spec import RunSpec

_HINT = "go on with the project: --entry MODULE:ATTR or --script FILE"
_PLACEHOLDER = re.compile(r"\{[A-Za-z_][A-Za-z0-9_\-]*\}")

#: What a crew has that a document does not hold well enough: (key, what it is).
_LOST = (
    ("planning", "plans before it works"),
    ("memory", "has a memory"),
    ("knowledge", "has knowledge"),
    ("knowledge_sources", "has knowledge"),
    ("skills", "has skills"),
    ("stream", "streams its answers"),
    ("manager_agent", "has a manager"),
    ("manager_llm", "has a manager"),
    ("function_calling_llm", "has a model for its tools"),
    ("after_kickoff_callbacks", "has callbacks after its kickoff"),
    ("prompt_file", "has prompts of its own"),
    ("embedder", "has an embedder"),
)
_TASK = (
    "name", "async_execution", "human_input", "markdown", "create_directory",
    "guardrail_max_retries", "max_retries", "allow_crewai_trigger_context", "tool_failure_policy",
)  # fmt: skip

Entity = Mapping[str, Any]


def build(saved: Any, spec: RunSpec, lost: Lost) -> tuple[Any, frozenset[int]]:
    """The crew of a checkpoint, and the tasks of it that can only be kept. Raises `Refusal`."""
    from crewai import Crew

    crew: Entity = saved.entity
    _check_crew(crew)
    # a checkpoint of the kickoff's beginning still has the templates
    filled = bool(saved.inputs) and (
        "crewai_version" not in saved.document
        or any(text(one.get("checkpoint_original_description")) for one in saved.tasks)
    )
    if spec.inputs and filled:
        _check_edited_inputs(spec)
    running = may_run(saved, spec)
    made = {}
    for one in objects(crew.get("agents")):
        agent = restore_agents.build(one, spec)
        if filled and any(_PLACEHOLDER.search(text(one.get(key)) or "") for key in _TEXTS):
            raise Refusal(
                "templates-lost",
                f"{agent.role.strip()} has braces in its texts, and they would be filled in again",
                _HINT,
            )
        made[text(one.get("id"))] = agent
    tasks: list[Any] = []
    for index, one in enumerate(saved.tasks):
        tasks.append(_task(saved, index, one, made, tasks, index in running, lost))
    known = {key: crew[key] for key in ("name", "cache", "verbose", "max_rpm") if crew.get(key)}
    built = Crew(agents=list(made.values()), tasks=tasks, **known)
    _check_prompts(saved, built, made, running, lost)
    for key in ("step_callback", "task_callback"):
        if crew.get(key):
            lost.lose("callback", "", f"the crew's {key} is not called")
    return built, frozenset(range(len(tasks))) - running


_TEXTS = ("role", "goal", "backstory")


def _check_crew(crew: Entity) -> None:
    if crew.get("process") not in (None, "sequential"):
        raise Refusal(
            "process-lost",
            f"a {crew.get('process')} crew cannot be gone on with from its checkpoint alone",
            _HINT,
        )
    for key, what in _LOST:
        if crew.get(key):
            raise Refusal(
                f"{key.replace('_', '-')}-lost",
                f"this crew {what}, and that is not in the checkpoint",
                _HINT,
            )


def _check_edited_inputs(spec: RunSpec) -> None:
    raise Refusal(
        "templates-lost",
        f"the input {', '.join(sorted(spec.inputs))} cannot be edited: which roles, goals and "
        "backstories name it is not in the checkpoint",
        _HINT,
    )


def _task(
    saved: Any,
    index: int,
    one: Entity,
    agents: Mapping[Any, Any],
    before: list[Any],
    runs: bool,
    lost: Lost,
) -> Any:
    from crewai import Task

    label, state = saved.label(index), saved.states[index]
    if passed_over(saved, index):
        raise Refusal(
            "condition-lost", f"{label} was skipped by a condition that is not in the checkpoint",
            _HINT,
        )  # fmt: skip
    agent = agents.get(text(mapping(one.get("agent")).get("id")))
    if agent is None:
        raise Refusal("agent-lost", f"the agent of {label} is none of the crew's", _HINT)
    if one.get("input_files"):
        raise Refusal("files-lost", f"{label} has files that are not in the checkpoint", _HINT)
    given = {key: one[key] for key in _TASK if one.get(key) is not None}
    given["description"] = _template(one, "description")
    given["expected_output"] = _template(one, "expected_output")
    given.update(_classes(one, label, runs, lost))
    context = context_of(saved.tasks, index)
    if isinstance(context, list):
        given["context"] = [before[place] for place in context]
    if runs:
        given.update(_what_changes_the_answer(one, label))
        _find_lost_guardrails(saved, index, lost)
        if context is None:
            _doubt_context(saved, label, lost)
        if state not in (UNDER_WAY, FAILED) and index:
            message = "whether it has a condition is not in the checkpoint"
            lost.doubt("condition", label, message)
    if isinstance(one.get("callback"), str):
        lost.lose("callback", label, f"its callback {one['callback']} is not called")
    known = {key: value for key, value in given.items() if key in Task.model_fields}
    return Task(agent=agent, **known)


def _template(one: Entity, field: str) -> str:
    return text(one.get(f"checkpoint_original_{field}")) or text(one.get(field)) or ""


def _classes(one: Entity, label: str, runs: bool, lost: Lost) -> dict[str, Any]:
    """The class of a task's output."""
    given = {}
    for key in ("output_json", "output_pydantic"):
        if not one.get(key):
            continue
        if not runs:
            given[key] = stand_in(one[key])
            continue
        given[key] = class_of(one[key], label)
        message = "its output is of a class that is made of a schema, not of the project's"
        lost.lose("output-class", label, message)
    return given


def _what_changes_the_answer(one: Entity, label: str) -> dict[str, Any]:
    """What only a task that runs needs. Raises `Refusal`."""
    for key in ("response_model", "converter_cls", "config"):
        if one.get(key):
            raise Refusal(
                f"{key.replace('_', '-')}-lost",
                f"{label} has a {key} that is not in the checkpoint",
                _HINT,
            )
    given: dict[str, Any] = {"tools": tools_of(one.get("tools"), label)}
    for key in ("guardrail", "guardrails", "output_file"):
        if one.get(key):
            given[key] = one[key]
    return given


def _doubt_context(saved: Any, label: str, lost: Lost) -> None:
    """Nothing tells which outputs a task is given. Raises `Refusal` where others name some."""
    if has_lists(saved.tasks):
        raise Refusal(
            "context-lost",
            f"which outputs {label} is given is not in the checkpoint: other tasks of this crew "
            "are given some only",
            _HINT,
        )
    message = "which outputs it is given is not in the checkpoint, unless it is given all"
    lost.doubt("context", label, message)


def _find_lost_guardrails(saved: Any, index: int, lost: Lost) -> None:
    """Whether a task has guardrails that are functions, by what has run. Raises `Refusal`."""
    label, task_id = saved.label(index), saved.tasks[index].get("id")
    with_functions = [
        place
        for place, one in enumerate(saved.tasks)
        if guardrails.had_function(one, saved.events_of(one.get("id")))
    ]
    if index in with_functions:
        raise Refusal(
            "guardrail-lost", f"{label} has a guardrail that is not in the checkpoint", _HINT
        )
    ran = {event.get("type") for event in saved.events_of(task_id)}
    if {"task_started", "task_completed"} <= ran or text(saved.tasks[index].get("guardrail")):
        return  # it would be among these events; or it has one, and that is a text
    if with_functions:
        raise Refusal(
            "guardrail-lost",
            f"whether {label} has a guardrail is not in the checkpoint: "
            f"{saved.label(with_functions[0])} has one that is a function",
            _HINT,
        )
    lost.doubt("guardrail", label, guardrails.DOUBT)


def _check_prompts(
    saved: Any, crew: Any, agents: Mapping[Any, Any], running: frozenset[int], lost: Lost
) -> None:
    """What models were told of each agent that will be asked is what they would be told now."""
    for agent_id, agent in agents.items():
        mine = [
            index
            for index, task in enumerate(crew.tasks)
            if task.agent is agent and index in running
        ]
        if not mine:
            continue
        tools = list(crew.tasks[mine[0]].tools or agent.tools or [])
        where = agent.role.strip()
        if not restore_agents.check_prompt(agent, tools, agent_id, saved.events, where):
            lost.doubt("agent-settings", where, "prompts and settings of its own are not saved")
