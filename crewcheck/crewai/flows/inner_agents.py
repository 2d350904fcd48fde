"""An agent that a call asks again, alone, gives what it had given, if the question is the
same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.calls import plain
from crewcheck.crewai.flows.scope import Scope, current
from crewcheck.crewai.saved import Entity
from crewcheck.crewai.wrapping import Args, answered
from crewcheck.model.document import mapping, text
from crewcheck.model.event_tree import within

_patched: list[str] = []


def arm() -> None:
    """Look at all agents' kickoffs."""
    if _patched:
        return
    from crewai import Agent

    kind: Any = Agent
    for name in ("kickoff", "kickoff_async", "akickoff"):
        method = vars(kind).get(name)
        if callable(method):
            _patched.append(name)
            setattr(kind, name, answered(method, _recorded, awaited=name != "kickoff"))


def _recorded(agent: Any, args: Args, named: Mapping[str, Any]) -> Any:
    """What the agent had given to these messages, taken out of the record; a text only.

    An answer of a class is made anew: its model calls answer from the record.
    """
    scope: Scope | None = current.get()
    given = {**named, **dict(zip(("messages",), args, strict=False))}
    asked = given.pop("messages", None)
    if not scope or args[1:] or any(value is not None for value in given.values()):
        return None
    wanted = plain(asked)
    found = scope.take(scope.agents, lambda pair: _is_it(agent, wanted, pair[0]))
    if found is None:
        return None
    scope.forget(within(scope.events, [text(found[0].get("event_id")) or ""]))
    from crewai.lite_agent_output import LiteAgentOutput

    raw = text(found[1].get("output")) or ""
    return LiteAgentOutput(raw=raw, agent_role=str(agent.role), usage_metrics=None)


def _is_it(agent: Any, wanted: list[Any], started: Entity) -> bool:
    info = mapping(started.get("agent_info"))
    if any(info.get(part) != getattr(agent, part) for part in ("role", "goal", "backstory")):
        return False
    return plain(started.get("messages")) == wanted
