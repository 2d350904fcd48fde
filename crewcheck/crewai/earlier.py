"""What a program kicks off before the checkpoint's own kickoff: crews, agents and flows that the
checkpoint, or an earlier one of the store, has whole are not run again. Their kickoff gives what
was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from crewcheck.crewai.agents import earlier as agents
from crewcheck.crewai.crews import earlier as crews
from crewcheck.crewai.crews.facts import label
from crewcheck.crewai.flows import earlier as flows
from crewcheck.crewai.flows.adopt import name_of
from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.saved import Saved

Document = Mapping[str, Any]
T = TypeVar("T")


class Earlier:
    """Gives each recorded kickoff once, the nearest before the checkpoint first. ``answered``
    names those that were given."""

    def __init__(self, saved: Saved, before: Iterable[Document]) -> None:
        documents = list(before)
        self._crews = _Kickoffs(crews.finished(saved, documents), crews.said)
        self._agents = _Kickoffs(agents.finished(saved, documents), agents.said)
        self._flows = _Kickoffs(flows.finished(documents, saved.checkpoint_id), flows.said)
        self.answered: list[str] = []

    def find(self, kind: str, target: Any, named: Mapping[str, Any]) -> tuple[Any] | None:
        """What a kickoff gave, None where that is not known. Raises `Refusal`."""
        given = named.get("inputs")
        if kind == "crew":
            crew = self._crews.take(lambda known: crews.fitting(target, known, given))
            if crew is not None:
                self.answered.append(target.name or label(target, 0))
                return (crews.result(target, crew),)
        elif kind == "agent":
            asked = named.get("messages")
            agent = self._agents.take(
                lambda known: [one for one in known if agents.is_it(target, one, asked)]
            )
            if agent is not None:
                self.answered.append(str(target.role).strip())
                return (agents.result(target, agent, named.get("response_format")),)
        elif kind == "flow":
            flow = self._flows.take(
                lambda known: [one for one in known if flows.is_it(target, one, given)]
            )
            if flow is not None:
                self.answered.append(name_of(target))
                return (flows.result(target, flow),)
        return None


@dataclass
class _Kickoffs(Generic[T]):
    """The recorded kickoffs of a kind. ``said``: what one had given, to be compared."""

    known: list[T]
    said: Callable[[T], Any]
    given: list[T] = field(default_factory=list)

    def take(self, fitting: Callable[[list[T]], list[T]]) -> T | None:
        """The first that fits, each once. Raises `Refusal`.

        Of a kickoff that a program makes several times nothing tells in which order the recorded
        answers came: they may be of other runs of the program, too.
        """
        fit = fitting([*self.known, *self.given])
        before = [one for one in fit if any(one is other for other in self.given)]
        found = next((one for one in fit if not any(one is other for other in before)), None)
        if found is None:
            return None
        if any(self.said(one) != self.said(found) for one in before):
            raise Refusal(
                "same-kickoff-twice",
                "the program makes the same kickoff several times before that of this checkpoint, "
                "and nothing tells which of the recorded answers came first",
                "name what is gone on with: --entry MODULE:ATTR",
            )
        self.known = [one for one in self.known if one is not found]
        self.given.append(found)
        return found
