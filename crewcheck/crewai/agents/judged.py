"""What a model had judged already: a guardrail that is a text, passed by the same answer.

CrewAI begins an agent's record anew when the judging agent is done, often before a checkpoint
has what its model said. That the answer had passed is told then by the guardrail's own event.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from crewcheck.crewai.answers import has_hooks
from crewcheck.model.document import text

#: A guardrail, and an answer that has passed it.
Passed = tuple[str, str]

_current: list[frozenset[Passed]] = []
_patched: set[type] = set()


def passed(events: Iterable[Mapping[str, Any]]) -> frozenset[Passed]:
    """What has passed, as some events tell."""
    began: dict[str | None, str] = {}
    found = set()
    for event in events:
        if event.get("type") == "llm_guardrail_started":
            began[text(event.get("event_id"))] = (text(event.get("guardrail")) or "").strip()
        elif event.get("type") == "llm_guardrail_completed" and event.get("success") is True:
            named = event.get("guardrail_name") if event.get("guardrail_type") == "llm" else None
            guardrail = began.get(text(event.get("started_event_id"))) or text(named)
            answer = text(event.get("result"))
            if guardrail and answer is not None:
                found.add((guardrail, answer))
    return frozenset(found)


def arm(known: frozenset[Passed]) -> None:
    """Let no model judge again what has passed."""
    if not known or has_hooks():
        return
    try:
        from crewai.tasks.llm_guardrail import LLMGuardrail
    except ImportError:
        return
    kind: Any = LLMGuardrail
    if kind not in _patched:
        _patched.add(kind)
        kind.__call__ = _wrapped(kind.__call__)
    _current[:] = [known]


def disarm() -> None:
    """From now on models judge."""
    _current.clear()


def _wrapped(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def judge(self: Any, output: Any) -> Any:
        answer = getattr(output, "raw", None)
        if _current and (str(self.description).strip(), answer) in _current[0]:
            return True, answer
        return call(self, output)

    return judge
