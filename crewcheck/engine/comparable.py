"""A document without what is another in each run: what is left can be compared.

Left out are ids, times, fingerprints and counters of CrewAI's own, the inside of its
executors, and what a document says twice (a task's copy of its agent, the chat behind an
output). A setting that is null is as good as none. The event record becomes counts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from crewcheck.model.document import iter_events, kickoff_inputs, mapping, objects, text
from crewcheck.model.events import total_tokens
from crewcheck.model.primary import candidates

_OF_DOCUMENT = frozenset({"parent_id", "crewcheck", "entities", "event_record"})
_OF_RUNS = frozenset(
    {
        "id",
        "execution_context",
        "checkpoint_kickoff_event_id",
        "security_config",
        "fingerprint",
        "execution_logs",
        "usage_metrics",
        "token_usage",
        "initial_state",
        "i18n",
    }
)
_OF_TASK = _OF_RUNS | {
    "agent",
    "output",
    "start_time",
    "end_time",
    "prompt_context",
    "processed_by_agents",
    "used_tools",
    "tools_errors",
    "delegations",
}
_OF_AGENT = _OF_RUNS | {
    "crew",
    "agent_executor",
    "cache_handler",
    "tools_handler",
    "tools_results",
    "knowledge_storage",
}
_OF_OUTPUT = frozenset({"description", "name", "expected_output", "summary", "messages"})
_OF_INNER = frozenset({"previous_response_id", "current_usage_count", "restore_from"})
_SCHEMAS = ("output_json", "output_pydantic", "response_model", "args_schema")
#: Lists of a JSON schema whose order says nothing.
_SETS = frozenset({"required", "type", "enum"})


def comparable(
    document: Mapping[str, Any], events: Iterable[Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """What of a document says how far which work is, and with which result."""
    told = list(iter_events(document) if events is None else events)
    made = {key: value for key, value in document.items() if key not in _OF_DOCUMENT}
    made["entities"] = [comparable_entity(entity, told) for entity in candidates(document)]
    made["event_record"] = {
        "types": dict(sorted(Counter(text(event.get("type")) or "" for event in told).items())),
        "tokens": asdict(total_tokens(told)),
    }
    return made


def comparable_entity(
    entity: Mapping[str, Any], events: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """A crew, flow or agent of a document."""
    if entity.get("entity_type") == "agent":
        return comparable_agent(entity)
    made = _settings(entity, _OF_RUNS)
    inputs = kickoff_inputs(entity, events)
    if inputs is not None:
        made["checkpoint_inputs"] = inputs
    if "tasks" in entity:
        made["tasks"] = [comparable_task(task) for task in objects(entity.get("tasks"))]
    if "agents" in entity:
        made["agents"] = [comparable_agent(agent) for agent in objects(entity.get("agents"))]
    if isinstance(entity.get("manager_agent"), dict):
        made["manager_agent"] = comparable_agent(entity["manager_agent"])
    if "checkpoint_state" in entity:
        made["checkpoint_state"] = _state(entity["checkpoint_state"])
    methods = entity.get("checkpoint_completed_methods")
    if isinstance(methods, list):
        # CrewAI keeps them in a set
        made["checkpoint_completed_methods"] = sorted(methods, key=str)
    return made


def comparable_task(task: Mapping[str, Any]) -> dict[str, Any]:
    """A task: its agent by the role, its output without the chat."""
    made = _settings(task, _OF_TASK)
    role = text(mapping(task.get("agent")).get("role"))
    if role is not None:
        made["agent"] = role
    output = task.get("output")
    if isinstance(output, dict):
        made["output"] = _settings(output, _OF_OUTPUT)
    elif output is not None:
        made["output"] = output
    return made


def comparable_agent(agent: Mapping[str, Any]) -> dict[str, Any]:
    """An agent: its texts, its model, its tools."""
    return _settings(agent, _OF_AGENT)


def _state(state: Any) -> Any:
    """A flow's state; its id is a new one in each run."""
    if isinstance(state, dict):
        return {key: value for key, value in state.items() if key != "id"}
    return state


def _settings(whole: Mapping[str, Any], without: frozenset[str]) -> dict[str, Any]:
    return {
        key: schema(value) if key in _SCHEMAS else _inner(value)
        for key, value in whole.items()
        if key not in without and value is not None
    }


def _inner(value: Any, depth: int = 0) -> Any:
    """The settings within a setting. What lies deep is a person's, and is left as it is."""
    if depth == 3:
        return value
    if isinstance(value, dict):
        return {
            key: schema(item) if key in _SCHEMAS else _inner(item, depth + 1)
            for key, item in value.items()
            if key not in _OF_INNER and item is not None
        }
    if isinstance(value, list):
        return [_inner(item, depth + 1) for item in value]
    return value


def schema(value: Any, depth: int = 0) -> Any:
    """A JSON schema, so that two that mean the same are equal; it may be in a text."""
    if isinstance(value, str) and not depth and value[:1] == "{":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if depth > 100:
        return value
    if isinstance(value, dict):
        return {
            key: sorted(item, key=json.dumps)
            if key in _SETS and isinstance(item, list)
            else schema(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [schema(item, depth + 1) for item in value]
    return value
