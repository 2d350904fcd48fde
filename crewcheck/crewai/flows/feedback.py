"""What people had said to a flow, and what they are asked."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.flows import values
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.model.document import text
from crewcheck.model.flow_calls import Call


def outcomes_of(flow: Any, method: str) -> tuple[bool, bool]:
    """Whether a person is asked about what a method gives, and whether that leads to
    outcomes."""
    definition = getattr(flow, "_definition", None)
    known = getattr(definition, "methods", {}).get(method)
    feedback = getattr(known, "human_feedback", None)
    if feedback is None:
        feedback = getattr(flow._methods.get(method), "__human_feedback_config__", None)
    return feedback is not None, bool(getattr(feedback, "emit", None))


def result_of(flow: Any, saved: SavedFlow, call: Call, result: Any) -> Any:
    """A recorded result: of a method that a person is asked about, what they said."""
    asks, has_outcomes = outcomes_of(flow, call.method)
    if not asks or has_outcomes or not isinstance(result, dict) or "feedback" not in result:
        return result
    output = values.typed(flow._methods[call.method], result.get("output"))
    return values.feedback_result(result, output)


def restore(flow: Any, saved: SavedFlow, call: Call, result: Any) -> Any:
    """Let a flow know what was said to a call. Returns that where it made the result a label."""
    asks, has_outcomes = outcomes_of(flow, call.method)
    if not asks:
        return None
    said = result
    if has_outcomes:
        recorded = saved.outputs_of(call)
        own = recorded.get("human_feedback")
        known = own if isinstance(own, dict) else saved.feedback_of(call)
        output = known.get("output", recorded.get("output"))
        output = values.typed(flow._methods[call.method], output)
        given = {**known, "method_name": call.method, "outcome": text(result)}
        said = values.feedback_result(given, output)
    flow.human_feedback_history.append(said)
    flow.last_human_feedback = said
    return said if has_outcomes else None


def is_pending(result: Any) -> bool:
    """Whether a kickoff has come to its end because a person must answer first."""
    return any(one.__name__ == "HumanFeedbackPending" for one in type(result).__mro__)


def as_paused(pending: Any) -> dict[str, Any]:
    """The fields of a ``paused`` message."""
    context = pending.context
    return {
        "method": str(context.method_name),
        "message": str(context.message),
        "output": values.as_text(context.method_output),
        "outcomes": list(context.emit or []),
        "flow_id": str(context.flow_id),
    }
