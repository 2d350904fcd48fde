"""Tells what happens in the run of an agent."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.channel import Channel
from crewcheck.crewai.crews.facts import model_of
from crewcheck.crewai.telling import Telling


class AgentTelling(Telling):
    """Sends messages about one run of an agent."""

    def __init__(self, channel: Channel, agent: Any) -> None:
        super().__init__(channel)
        self._agent = agent

    def answered(self, task: Any, response: str) -> None:
        """Say that a model call was answered from the record."""
        self.send(
            "llm_call_completed",
            agent=self._agent.role,
            model=model_of(self._agent),
            replayed=True,
        )

    def tool_answered(self, task: Any, name: str) -> None:
        """Say that a tool call was answered from the record."""
        self.send("tool_usage_finished", agent=self._agent.role, tool=name, replayed=True)
