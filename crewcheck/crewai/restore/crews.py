"""A sequential crew from what was saved of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.restore import agents as restore_agents
from crewcheck.crewai.restore.agents import GUARDRAIL
from crewcheck.crewai.restore.contexts import ALL, context_of
from crewcheck.crewai.restore.lost import Lost
from crewcheck.crewai.restore.tools import tools_of
from crewcheck.engine.invalidation import DONE, FAILED, SKIPPED, UNDER_WAY
from crewcheck.model.document import mapping, objects, sequence, text
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


def build(saved: Any, spec: RunSpec, lost: Lost) -> Any:
    """The crew of a checkpoint. Raises `Refusal`."""
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
        tasks.append(_task(saved, index, one, made, tasks, lost))
    known = {key: crew[key] for key in ("name", "cache", "verbose", "max_rpm") if crew.get(key)}
    built = Crew(agents=list(made.values()), tasks=tasks, **known)
    _check_prompts(saved, built, made, lost)
    for key in ("step_callback", "task_callback"):
        if crew.get(key):
            lost.lose("callback", "", f"the crew's {key} is not called")
    return built


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
    saved: Any, index: int, one: Entity, agents: Mapping[Any, Any], before: list[Any], lost: Lost
) -> Any:
    from crewai import Task

    label, state = saved.label(index), saved.states[index]
    runs = state not in (DONE, SKIPPED)
    begun = runs and state in (UNDER_WAY, FAILED)
    if state == SKIPPED:
        raise Refusal(
            "condition-lost", f"{label} was skipped by a condition that is not in the checkpoint",
            _HINT,
        )  # fmt: skip
    agent = agents.get(text(mapping(one.get("agent")).get("id")))
    if agent is None:
        raise Refusal("agent-lost", f"the agent of {label} is none of the crew's", _HINT)
    for key in ("response_model", "converter_cls", "config"):
        if runs and one.get(key):
            raise Refusal(
                f"{key.replace('_', '-')}-lost",
                f"{label} has a {key} that is not in the checkpoint",
                _HINT,
            )
    if one.get("input_files"):
        raise Refusal("files-lost", f"{label} has files that are not in the checkpoint", _HINT)
    given = {key: one[key] for key in _TASK if one.get(key) is not None}
    given["description"] = _template(one, "description")
    given["expected_output"] = _template(one, "expected_output")
    if runs:
        given.update(_what_changes_the_answer(saved, one, label, lost, begun))
        given["tools"] = tools_of(one.get("tools"), label)
        if text(one.get("output_file")):
            given["output_file"] = one["output_file"]
    context = context_of(saved.tasks, index)
    if isinstance(context, list):
        given["context"] = [before[place] for place in context]
    elif context is None and runs:
        message = "which outputs it is given is not in the checkpoint, unless it is given all"
        lost.doubt("context", label, message)
    elif context != ALL:
        given["context"] = []  # it is done: its list does not matter any more
    if runs and not begun and index:
        message = "whether it has a condition is not in the checkpoint"
        lost.doubt("condition", label, message)
    if isinstance(one.get("callback"), str):
        lost.lose("callback", label, f"its callback {one['callback']} is not called")
    known = {key: value for key, value in given.items() if key in Task.model_fields}
    return Task(agent=agent, **known)


def _template(one: Entity, field: str) -> str:
    return text(one.get(f"checkpoint_original_{field}")) or text(one.get(field)) or ""


def _what_changes_the_answer(
    saved: Any, one: Entity, label: str, lost: Lost, begun: bool
) -> dict[str, Any]:
    """A task's output class and guardrails."""
    given: dict[str, Any] = {}
    for key in ("output_json", "output_pydantic"):
        if one.get(key):
            given[key] = _class(one[key], label)
            message = "its output is of a class that is made of a schema, not of the project's"
            lost.lose("output-class", label, message)
    guardrails = one.get("guardrails") or one.get("guardrail")
    texts = [guardrails] if isinstance(guardrails, str) else sequence(guardrails)
    if texts:
        given["guardrails" if one.get("guardrails") else "guardrail"] = guardrails
    ran = any(
        str(event.get("type")).startswith("llm_guardrail_")
        and event.get("task_id") == one.get("id")
        for event in saved.events
    )
    if ran and not texts:
        raise Refusal(
            "guardrail-lost", f"{label} has a guardrail that is not in the checkpoint", _HINT
        )
    if not texts:
        lost.doubt("guardrail", label, GUARDRAIL)
    return given


def _class(schema: object, label: str) -> Any:
    """An output class. Raises `Refusal` where models would be asked for another."""
    from crewai.utilities.pydantic_schema_utils import create_model_from_schema

    try:
        made = create_model_from_schema(dict(mapping(schema)))
        same = made.model_json_schema() == schema
    except Exception:
        same = False
    if not same:
        raise Refusal(
            "output-class-lost",
            f"the class of {label}'s output cannot be made of its schema",
            _HINT,
        )
    return made


def _check_prompts(saved: Any, crew: Any, agents: Mapping[Any, Any], lost: Lost) -> None:
    """What models were told of each agent that will be asked is what they would be told now."""
    for agent_id, agent in agents.items():
        mine = [
            index
            for index, task in enumerate(crew.tasks)
            if task.agent is agent and saved.states[index] not in (DONE, SKIPPED)
        ]
        if not mine:
            continue
        tools = list(crew.tasks[mine[0]].tools or agent.tools or [])
        where = agent.role.strip()
        if not restore_agents.check_prompt(agent, tools, agent_id, saved.events, where):
            lost.doubt("agent-settings", where, "prompts and settings of its own are not saved")
