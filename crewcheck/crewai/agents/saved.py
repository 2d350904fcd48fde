"""The agent of a checkpoint: what it was asked, and what it has answered."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from crewcheck.crewai.saved import Saved
from crewcheck.engine.invalidation import DONE, FAILED, PENDING, UNDER_WAY
from crewcheck.model.agent import QUESTION, agent_run, within
from crewcheck.model.document import text

Entity = Mapping[str, Any]


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


def output_of(role: str, answer: str, wanted: Any) -> Any:
    """A recorded answer as CrewAI gives it: with the object of its class, if one is wanted."""
    try:
        from crewai.lite_agent_output import LiteAgentOutput
    except ImportError:
        from crewai.lite_agent import LiteAgentOutput

    made = LiteAgentOutput(raw=answer, agent_role=role, usage_metrics=None, messages=[])
    if wanted is not None:
        with suppress(ValueError):  # as CrewAI: then there is the text only
            made.pydantic = wanted.model_validate_json(answer)
    return made
