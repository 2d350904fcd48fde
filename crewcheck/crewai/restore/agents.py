"""Agents from what was saved of them, of a crew or alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.restore import guardrails
from crewcheck.crewai.restore.lost import Lost
from crewcheck.crewai.restore.models import model_of
from crewcheck.crewai.restore.tools import tools_of
from crewcheck.model.agent import within
from crewcheck.model.document import objects, text
from crewcheck.runtimes.spec import RunSpec

_HINT = "go on with the project: --entry MODULE:ATTR or --script FILE"

#: What an agent is made of besides its model and tools; the rest is of its last run.
_PLAIN = (
    "role", "goal", "backstory", "cache", "verbose", "max_rpm", "max_iter", "max_tokens",
    "allow_delegation", "max_execution_time", "use_system_prompt", "system_template",
    "prompt_template", "response_template", "respect_context_window", "max_retry_limit",
    "multimodal", "inject_date", "date_format", "reasoning", "max_reasoning_attempts",
    "use_better_compaction", "tool_failure_policy", "guardrail_max_retries",
)  # fmt: skip

#: What cannot be had from a document: (key, what it is).
_LOST = (
    ("memory", "a memory"),
    ("knowledge", "knowledge"),
    ("knowledge_sources", "knowledge"),
    ("mcps", "MCP servers"),
    ("apps", "apps"),
    ("skills", "skills"),
    ("planning_config", "a plan of its own"),
    ("a2a", "other agents to ask"),
    ("function_calling_llm", "a model for its tools"),
)

Entity = Mapping[str, Any]


def build(saved: Entity, spec: RunSpec) -> Any:
    """An agent. Raises `Refusal`."""
    from crewai import Agent

    where = (text(saved.get("role")) or "an agent").strip()
    for key, what in _LOST:
        if saved.get(key):
            raise Refusal(f"{key}-lost", f"{where} has {what} that is not in the checkpoint", _HINT)
    if saved.get("adapted_agent") or saved.get("from_repository"):
        raise Refusal("agent-lost", f"{where} is of another library than CrewAI", _HINT)
    given = {key: saved[key] for key in _PLAIN if saved.get(key) is not None}
    if isinstance(saved.get("guardrail"), str):
        given["guardrail"] = saved["guardrail"]
    known = {key: value for key, value in given.items() if key in Agent.model_fields}
    model = model_of(saved.get("llm"), where, spec)
    return Agent(**known, llm=model, tools=tools_of(saved.get("tools"), where))


def build_alone(saved: Any, spec: RunSpec, lost: Lost) -> tuple[Any, frozenset[int]]:
    """The agent of a checkpoint of an agent; 0 if its answer can only be kept."""
    agent = build(saved.entity, spec)
    where = saved.label
    runs = not saved.finished or bool(spec.inputs or spec.rerun)
    if runs:
        check_prompt(agent, agent.tools or [], text(saved.entity.get("id")), saved.events, where)
        if not _said_a_text(saved):
            message = "a response_format that it was asked with is not in a checkpoint"
            lost.doubt("response-format", where, message)
        if guardrails.had_function(saved.entity, _own(saved)):
            raise Refusal(
                "guardrail-lost", f"{where} has a guardrail that is not in the checkpoint", _HINT
            )
        if not guardrails.texts_of(saved.entity) and not saved.finished:
            lost.doubt("guardrail", where, guardrails.DOUBT)
    if saved.entity.get("step_callback"):
        lost.lose("callback", where, "its callback is not called")
    return agent, frozenset(() if runs else {0})


def _own(saved: Any) -> list[Entity]:
    """The events of an agent's run that are not of an agent that it asked."""
    return [one for one in saved.within if one.get("parent_event_id") == saved.run.kickoff_id]


def _said_a_text(saved: Any) -> bool:
    """Whether a model has answered with a plain text, as it does for no class."""
    calls = within(saved.events, saved.run.kickoff_id)
    texts = (
        text(one.get("response"))
        for one in calls
        if one.get("type") == "llm_call_completed" and one.get("call_type") == "llm_call"
    )
    return any(said and not said.lstrip().startswith(("{", "[")) for said in texts)


def check_prompt(
    agent: Any, tools: list[Any], agent_id: str | None, events: Iterable[Entity], where: str
) -> bool:
    """Whether what models were told of the agent is what they would be told now; False if
    nothing tells. Raises `Refusal` where it is not: it has settings that are not saved."""
    told = next(
        (
            text(message.get("content"))
            for event in events
            if event.get("type") == "llm_call_started" and event.get("agent_id") == agent_id
            for message in objects(event.get("messages"))[:1]
            if message.get("role") == "system"
        ),
        None,
    )
    if agent_id is None or told is None:
        return False
    prompt, _, _ = agent._build_execution_prompt(tools)
    now = prompt.get("system") if isinstance(prompt, dict) else getattr(prompt, "system", None)
    if not isinstance(now, str) or not _same(told, now):
        raise Refusal(
            "prompt-differs",
            f"what models were told of {where} is not what its checkpoint gives: it has settings "
            "that are not saved",
            _HINT,
        )
    return True


def _same(told: str, now: str) -> bool:
    """Whether a text is a prompt with its tools filled in, if it asks for them."""
    pieces = now.replace("{tool_names}", "{tools}").split("{tools}")
    at = 0
    for piece in pieces:
        found = told.find(piece.strip(), at)
        if found < 0 or (at == 0 and found > len(told) - len(told.lstrip())):
            return False
        at = found + len(piece.strip())
    return len(pieces) > 1 or not told[at:].strip()
