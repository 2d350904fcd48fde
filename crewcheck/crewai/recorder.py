"""What of a run's events is kept for a later resume, should this one be cut off.

A checkpoint can be far behind what models and tools had said. These events are told besides
(``record`` messages), as the checkpoint's record would have them; of the messages to a model
only a digest, for they can be long and are only compared.
"""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.calls import digest_of, plain, tool_names

_ALWAYS = {
    "type",
    "event_id",
    "timestamp",
    "emission_sequence",
    "parent_event_id",
    "started_event_id",
    "triggered_by_event_id",
    "task_id",
    "task_name",
    "agent_id",
    "agent_role",
}
_CALL = {"call_id", "model"}
_TOOL = {"agent_key", "tool_name", "tool_args", "tool_class", "run_attempts"}
_METHOD = {"method_name", "flow_name"}

#: The types that are kept, with what only they have.
_KEPT = {
    "crew_kickoff_started": {"crew_name"},
    "task_started": set[str](),
    "task_completed": set[str](),
    "task_failed": set[str](),
    "agent_execution_started": set[str](),
    "lite_agent_execution_started": set[str](),
    "llm_call_started": _CALL,
    "llm_call_completed": {*_CALL, "call_type", "response"},
    "tool_usage_started": _TOOL,
    "tool_usage_finished": {*_TOOL, "output", "from_cache"},
    "tool_usage_error": _TOOL,
    "flow_started": {"flow_name"},
    "method_execution_started": _METHOD,
    "method_execution_finished": _METHOD,
    "method_execution_failed": _METHOD,
}


def as_record(kind: str, event: Any) -> dict[str, Any] | None:
    """An event as it is kept, None where it is not."""
    more = _KEPT.get(kind)
    if more is None:
        return None
    try:
        record: dict[str, Any] = event.model_dump(mode="json", include={*_ALWAYS, *more})
    except Exception:
        return None  # of an odd class: what cannot be told is asked again
    if kind == "llm_call_started":
        record["asked"] = digest_of(plain(event.messages))
        record["tools"] = [{"name": name} for name in sorted(tool_names(event.tools))]
    return record
