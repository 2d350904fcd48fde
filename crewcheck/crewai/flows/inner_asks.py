"""What a person had said to a call that starts anew is not asked again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from crewcheck.crewai.flows.said import question
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.scope import Scope, current
from crewcheck.crewai.wrapping import Args, answered
from crewcheck.model.document import text

_patched: list[str] = []


def arm() -> None:
    """Look at all that flows ask a person."""
    if _patched:
        return
    from crewai.flow.flow import Flow

    kind: Any = Flow
    for name, find in (("ask", _said), ("_request_human_feedback", _thought)):
        method = vars(kind).get(name)
        if callable(method):
            _patched.append(name)
            setattr(kind, name, answered(method, find, awaited=False))


def _said(flow: Any, args: Args, named: Mapping[str, Any]) -> str | None:
    """What was said to `Flow.ask`."""
    from crewai.flow.flow_context import current_flow_method_name

    message = args[0] if args else named.get("message")
    method = str(current_flow_method_name.get("unknown"))
    answer = _taken("flow_input", method, {"message": message})
    if answer is not None and hasattr(flow, "_input_history"):
        flow._input_history.append(entry(method, message, answer))
    return answer


def _thought(flow: Any, args: Args, named: Mapping[str, Any]) -> str | None:
    """What was said to what a method gave."""
    return _taken("human_feedback", str(named.get("method_name")), named) if not args else None


def _taken(kind: str, method: str, asked: Mapping[str, Any]) -> str | None:
    """An answer of the record to this question, which is gone then."""
    scope: Scope | None = current.get()
    if not scope:
        return None
    wanted = kind, method, question(asked)
    found = scope.take(scope.said, lambda one: one[:3] == wanted)
    return found[3] if found is not None else None


def entry(method: str, message: Any, answer: str, at: str | None = None) -> dict[str, Any]:
    """A line of what a flow keeps of its questions."""
    when = datetime.fromisoformat(at.replace("Z", "+00:00")) if at else datetime.now()
    return {"message": message, "response": answer, "method_name": method, "timestamp": when,
            "metadata": None, "response_metadata": None}  # fmt: skip


def remember(flow: Any, saved: SavedFlow, kept: Iterable[int]) -> None:
    """Let a flow know what it had asked in calls that are kept."""
    for index in kept:
        for event in saved.events_within(saved.calls[index]):
            answer = text(event.get("response"))
            if event.get("type") == "flow_input_received" and hasattr(flow, "_input_history"):
                method = text(event.get("method_name")) or ""
                at = text(event.get("timestamp"))
                flow._input_history.append(entry(method, event.get("message"), answer or "", at))
