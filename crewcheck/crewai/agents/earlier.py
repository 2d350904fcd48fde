"""Kickoffs of agents that had ended before the checkpoint's: who was asked what, and the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from crewcheck.crewai.agents import match
from crewcheck.crewai.agents.saved import SavedAgent, output_of
from crewcheck.crewai.saved import Saved
from crewcheck.model.agent import ANSWERED, ASKED, given
from crewcheck.model.document import mapping, sorted_events, text

Event = Mapping[str, Any]


class Answered(NamedTuple):
    """A kickoff that ended well. ``id`` is that of the event that opens it."""

    id: str | None
    info: Event
    question: Any
    answer: str


def finished(saved: Saved, before: Iterable[Mapping[str, Any]]) -> list[Answered]:
    """Those that a checkpoint tells besides its own, and those of documents ``before`` it (newest
    first); the newest first."""
    found = list(reversed(list(_of_checkpoint(saved))))
    for document in before:
        found += reversed(list(_answered(sorted_events(document))))
    return list({one.id: one for one in reversed(found)}.values())[::-1]


def _of_checkpoint(saved: Saved) -> Iterator[Answered]:
    """The other kickoffs of a checkpoint; those inside its own are its own."""
    own: set[str | None] = set()
    if isinstance(saved, SavedAgent):
        own = {text(event.get("event_id")) for event in saved.within}
    elif saved.kind != "agent":
        return  # agents that are asked in a crew or a flow are a part of that
    for one in _answered(saved.events):
        if one.id not in own:
            yield one


def _answered(events: Iterable[Event]) -> Iterator[Answered]:
    """The outermost kickoffs among some events, in order."""
    opened: dict[str | None, Event] = {}
    for event in events:
        opened[text(event.get("event_id"))] = event
        if event.get("type") != ANSWERED:
            continue
        opening = opened.get(text(event.get("started_event_id")), {})
        answer = text(event.get("output"))
        if opening.get("type") != ASKED or answer is None:
            continue
        if opening.get("parent_event_id") is None:
            info, asked = mapping(event.get("agent_info")), text(opening.get("event_id"))
            yield Answered(asked, info, given(opening), answer)


def is_it(agent: Any, one: Answered, asked: Any) -> bool:
    """Whether a kickoff with this question is the one that was recorded."""
    return not match.differences(agent, one.info) and not match.question_differs(
        one.question, asked
    )


def said(one: Answered) -> Any:
    """What the kickoff had given, to be compared."""
    return one.answer


def result(agent: Any, one: Answered, response_format: Any) -> Any:
    """What the kickoff had returned."""
    return output_of(agent.role, one.answer, response_format)
