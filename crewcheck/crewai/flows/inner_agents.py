"""An agent that a call asks again, alone, gives what it had given, if the question is the
same."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from crewcheck.crewai.calls import plain
from crewcheck.crewai.flows.scope import Scope, current
from crewcheck.crewai.saved import Entity
from crewcheck.model.document import mapping, text
from crewcheck.model.event_tree import within

_patched: list[str] = []


def arm() -> None:
    """Look at all agents' kickoffs."""
    if _patched:
        return
    from crewai import Agent

    kind: Any = Agent
    for name, wrapped in (
        ("kickoff", _wrapped), ("kickoff_async", _awrapped), ("akickoff", _awrapped),
    ):  # fmt: skip
        method = vars(kind).get(name)
        if callable(method):
            _patched.append(name)
            setattr(kind, name, wrapped(method))


def _wrapped(kickoff: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(kickoff)
    def again(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        said = _recorded(self, messages, args, named)
        return kickoff(self, messages, *args, **named) if said is None else said

    return again


def _awrapped(kickoff: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(kickoff)
    async def again(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        said = _recorded(self, messages, args, named)
        return await kickoff(self, messages, *args, **named) if said is None else said

    return again


def _recorded(agent: Any, messages: Any, args: Any, named: Mapping[str, Any]) -> Any:
    """What the agent had given to these messages, taken out of the record; a text only.

    An answer of a class is made anew: its model calls answer from the record.
    """
    scope: Scope | None = current.get()
    if not scope or args or any(value is not None for value in named.values()):
        return None
    wanted = plain(messages)
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
