"""Guardrails that are functions: no document holds them, but the events tell of each that ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.model.document import sequence, text

STARTED = "llm_guardrail_started"

DOUBT = "a guardrail function is not in a checkpoint: if it has one, its answer is not checked"

Entity = Mapping[str, Any]


def texts_of(saved: Entity) -> list[str]:
    """The guardrails of a task or agent that are texts, for a model to judge by."""
    several, one = saved.get("guardrails"), saved.get("guardrail")
    values = [several, one] if isinstance(several, str) else [*sequence(several), one]
    return [value for value in values if isinstance(value, str)]


def had_function(saved: Entity, events: Iterable[Entity]) -> bool:
    """Whether a guardrail has run among some events that is none of its texts."""
    texts = {one.strip() for one in texts_of(saved)}
    return any(
        event.get("type") == STARTED and (text(event.get("guardrail")) or "").strip() not in texts
        for event in events
    )
