"""What a program kicks off before the checkpoint's own kickoff: crews, agents and flows that the
checkpoint, or an earlier one of the store, has whole are not run again. Their kickoff gives what
was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.crewai.agents import earlier as agents
from crewcheck.crewai.crews import earlier as crews
from crewcheck.crewai.crews.facts import label
from crewcheck.crewai.flows import earlier as flows
from crewcheck.crewai.flows.adopt import name_of
from crewcheck.crewai.saved import Saved

Document = Mapping[str, Any]


class Earlier:
    """Gives each recorded kickoff once, the nearest before the checkpoint first. ``answered``
    names those that were given."""

    def __init__(self, saved: Saved, before: Iterable[Document]) -> None:
        documents = list(before)
        self._crews = crews.finished(saved, documents)
        self._agents = agents.finished(saved, documents)
        self._flows = flows.finished(documents, saved.checkpoint_id)
        self.answered: list[str] = []

    def find(self, kind: str, target: Any, named: Mapping[str, Any]) -> Any:
        """What a kickoff gave, None where it is not known."""
        given = named.get("inputs")
        if kind == "crew":
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
        elif kind == "flow":
            for flow in self._flows:
                if flows.is_it(target, flow, given):
                    self._flows.remove(flow)
                    self.answered.append(name_of(target))
                    return flows.result(target, flow)
        return None
