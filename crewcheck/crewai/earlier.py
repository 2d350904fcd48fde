"""What a program kicks off before the checkpoint's own kickoff: crews and agents that the
checkpoint, or an earlier one of the store, has whole are not run again. Their kickoff gives what
was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.crewai.agents import earlier as agents
from crewcheck.crewai.crews import earlier as crews
from crewcheck.crewai.crews.facts import label
from crewcheck.crewai.saved import Saved

Document = Mapping[str, Any]


class Earlier:
    """Gives each recorded kickoff once, the nearest before the checkpoint first. ``answered``
    names those that were given."""

    def __init__(self, saved: Saved, before: Iterable[Document]) -> None:
        documents = list(before)
        self._crews = crews.finished(saved, documents)
        self._agents = agents.finished(saved, documents)
        self.answered: list[str] = []

    def find(self, kind: str, target: Any, named: Mapping[str, Any]) -> Any:
        """What a kickoff gave, None where it is not known."""
        if kind == "crew":
            given = named.get("inputs")
            for crew in self._crews:
                if crews.is_it(target, crew, given):
                    self._crews.remove(crew)
                    self.answered.append(target.name or label(target, 0))
                    return crews.result(target, crew)
        elif kind == "agent":
            for agent in self._agents:
                if agents.is_it(target, agent, named.get("messages")):
                    self._agents.remove(agent)
                    self.answered.append(str(target.role).strip())
                    return agents.result(target, agent, named.get("response_format"))
        return None
