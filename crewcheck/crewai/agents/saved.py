"""The agent of a checkpoint: what it was asked, and what it has answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from crewcheck.crewai.saved import Saved
from crewcheck.engine.invalidation import DONE, FAILED, PENDING, UNDER_WAY
from crewcheck.model.agent import ANSWERED, ASKED, QUESTION, agent_run, given, is_of, within
from crewcheck.model.document import mapping, text

Entity = Mapping[str, Any]


class Earlier(NamedTuple):
    """A kickoff that had ended before this one: who was asked what, and the answer."""

    info: Entity
    question: Any
    answer: str


class SavedAgent(Saved):
    """An agent of a document. ``within`` are the events of its run, in order."""

    kind = "agent"

    def __init__(
        self, document: Mapping[str, Any], checkpoint_id: str, events: list[Entity], agent: Entity
    ) -> None:
        super().__init__(document, checkpoint_id, events, agent)
        self.run = agent_run(document, agent, events)
        self.within = within(events, self.run.kickoff_id)
        self.name = text(agent.get("role")) or self.name
        if self.run.question is not None:
            self.inputs = {QUESTION: self.run.question}

    @property
    def finished(self) -> bool:
        return self.run.answer is not None

    @property
    def result(self) -> str:
        return self.run.answer or ""

    @property
    def state(self) -> str:
        """How far it is: one of `invalidation`'s."""
        if self.finished:
            return DONE
        if self.run.error is not None:
            return FAILED
        return UNDER_WAY if self.within else PENDING

    @property
    def label(self) -> str:
        """What a person calls it."""
        return (self.name or "").strip() or "agent"

    def view(self) -> dict[str, Any]:
        return {"tasks": [], "question": self.run.question, "answer": self.run.answer}

    def earlier(self) -> Iterator[Earlier]:
        """The other kickoffs that ended well, in order; those inside this one are its own."""
        own = {event.get("event_id") for event in self.within}
        opened = {event.get("event_id"): event for event in self.events}
        for event in self.events:
            if event.get("type") != ANSWERED or event.get("event_id") in own:
                continue
            opening = opened.get(event.get("started_event_id"))
            answer = text(event.get("output"))
            if opening is None or opening.get("type") != ASKED or answer is None:
                continue
            if opening.get("parent_event_id") is None and not (
                is_of(event, self.entity) and event.get("started_event_id") == self.run.kickoff_id
            ):
                yield Earlier(mapping(event.get("agent_info")), given(opening), answer)
