"""What people had answered, as the events of a record tell it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crewcheck.crewai.flows.values import as_text
from crewcheck.crewai.saved import Entity
from crewcheck.model.document import text


def said_to(events: Sequence[Entity]) -> Iterator[tuple[str, str, str, str]]:
    """Of each answer of a person: the kind of its event, the method, the question with what it
    was about, the answer."""
    asked: dict[tuple[str, str], str] = {}
    for event in events:
        kind, _, what = (text(event.get("type")) or "").rpartition("_")
        about = kind, text(event.get("method_name")) or ""
        if what == "requested":
            asked[about] = question(event)
        elif what == "received" and about in asked:
            answer = text(event.get("response" if kind == "flow_input" else "feedback"))
            if answer is not None:
                yield kind, about[1], asked[about], answer
            del asked[about]


def question(event: Mapping[str, Any]) -> str:
    """What was asked, with what it was about."""
    about = as_text(event["output"]) if event.get("output") is not None else ""
    return f"{event.get('message')}\n{about}"
