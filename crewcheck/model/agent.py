"""What an agent without a crew was asked, and what it answered: one run of it.

A document can hold several: an agent that is asked twice, one that asks another, and those
that CrewAI makes to judge an answer. The run that is meant is the one that the trigger
happened in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from crewcheck.model.document import mapping, objects, text
from crewcheck.model.primary import enclosing_id, path_to_root

Event = Mapping[str, Any]

ASKED = "lite_agent_execution_started"
ANSWERED = "lite_agent_execution_completed"
GAVE_UP = "lite_agent_execution_error"
_OWN = (ASKED, ANSWERED, GAVE_UP)

#: What a person calls the one thing that an agent is given.
QUESTION = "question"


class AgentRun(NamedTuple):
    """One kickoff of an agent.

    ``kickoff_id`` is the id of the event that opens it. ``question`` is what the agent was
    given, a text or a list of messages; None where the record does not tell: CrewAI lets go
    of it when the agent's work is done, before it is checked and given back. ``answer`` is the text
    of a finished run, ``error`` what the newest failure said.
    """

    kickoff_id: str | None
    question: Any
    answer: str | None
    error: str | None


def agent_run(
    document: Mapping[str, Any], entity: Mapping[str, Any], events: Sequence[Event]
) -> AgentRun:
    """The run of an agent that a checkpoint is of. ``events`` must be sorted."""
    kickoff_id = _kickoff_id(document, entity, events)
    question = answer = error = None
    for event in events:
        kind = event.get("type")
        if kind == ASKED and _opens(event, kickoff_id, entity):
            question = given(event)
        elif kind in (ANSWERED, GAVE_UP) and _closes(event, kickoff_id, entity):
            answer = (text(event.get("output")) or "") if kind == ANSWERED else None
            error = text(event.get("error")) if kind == GAVE_UP else None
    return AgentRun(kickoff_id, question, answer, error)


def given(event: Event) -> Any:
    """What an opening event says that the agent was given, None for what cannot be that."""
    messages = event.get("messages")
    if isinstance(messages, str):
        return messages
    return objects(messages) or None


def question_text(question: Any) -> str | None:
    """A question as one text: the newest message of a conversation that has any."""
    if isinstance(question, str):
        return question
    contents = [
        text(message.get("content"))
        for message in objects(question)
        if message.get("role") != "system"
    ]
    return next((content for content in reversed(contents) if content), None)


def is_of(event: Event, entity: Mapping[str, Any]) -> bool:
    """Whether an opening or closing event of an agent's run is about this agent, as far as
    it says whom it is about."""
    info = mapping(event.get("agent_info"))
    for key in ("id", "role"):
        ours, theirs = text(entity.get(key)), text(info.get(key))
        if ours and theirs:
            return ours == theirs
    return True


def within(events: Iterable[Event], kickoff_id: str | None) -> list[Event]:
    """The events of one kickoff, its own opening and closing among them, in their order."""
    listed = list(events)
    if kickoff_id is None:
        return []
    inner: dict[str, list[str]] = {}
    for event in listed:
        for key in ("parent_event_id", "started_event_id"):
            above, own = text(event.get(key)), text(event.get("event_id"))
            if above and own:
                inner.setdefault(above, []).append(own)
    ids: set[str] = set()
    stack = [kickoff_id]
    while stack:
        at = stack.pop()
        if at not in ids:
            ids.add(at)
            stack += inner.get(at, [])
    return [event for event in listed if event.get("event_id") in ids]


def _kickoff_id(
    document: Mapping[str, Any], entity: Mapping[str, Any], events: Sequence[Event]
) -> str | None:
    own = text(entity.get("checkpoint_kickoff_event_id"))
    if own is not None and mapping(document.get("crewcheck")):
        return own
    path = path_to_root(list(events), text(document.get("trigger")))
    # when a run has just been begun, the entity may still name the one before
    for event in reversed(path):
        if event.get("type") == ASKED and is_of(event, entity):
            return text(event.get("event_id"))
        if event.get("type") in (ANSWERED, GAVE_UP) and is_of(event, entity):
            return text(event.get("started_event_id")) or own
    if own is not None:
        return own
    for event in reversed(events):
        if event.get("type") in _OWN and is_of(event, entity):
            closes = event.get("type") != ASKED
            return text(event.get("started_event_id" if closes else "event_id"))
    return enclosing_id(path)


def _opens(event: Event, kickoff_id: str | None, entity: Mapping[str, Any]) -> bool:
    if kickoff_id is None:
        return is_of(event, entity)
    return event.get("event_id") == kickoff_id


def _closes(event: Event, kickoff_id: str | None, entity: Mapping[str, Any]) -> bool:
    started = text(event.get("started_event_id"))
    if kickoff_id is None or started is None:
        return is_of(event, entity)
    return started == kickoff_id
