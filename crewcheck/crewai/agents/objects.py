"""The user's own agent: what an entry may name.

That is an agent, or a function that returns one and needs no arguments.
"""

from __future__ import annotations

import inspect
from typing import Any

from crewcheck.crewai.objects import HINT, call
from crewcheck.crewai.refusal import Refusal


class AgentKind:
    """Agents, as `objects.load` looks for them."""

    name = "agent"

    def may_be(self, value: Any, own: bool) -> bool:
        return _is_agent(value) or (own and _makes_agent(value))

    def made_of(self, value: Any, entry: str) -> Any:
        if _is_agent(value):
            return value
        if inspect.isroutine(value):
            made = call(value, entry)
            if _is_agent(made):
                return made
            value = made
        names = {one.__name__ for one in (value if inspect.isclass(value) else type(value)).__mro__}
        other = next((kind for kind in ("Flow", "Crew") if kind in names), None)
        if other is not None:
            raise Refusal(
                "wrong-kind", f"{entry} is a {other.lower()}, and the checkpoint is of an agent"
            )
        raise Refusal(
            "no-agent", f"{entry} gives no agent but an object of {type(value).__name__}", HINT
        )


def _is_agent(value: Any) -> bool:
    from crewai.agents.agent_builder.base_agent import BaseAgent

    return isinstance(value, BaseAgent) and callable(getattr(value, "kickoff", None))


def _makes_agent(value: Any) -> bool:
    """Whether it is a function that says that it returns an agent."""
    if not inspect.isfunction(value):
        return False
    said = inspect.unwrap(value).__annotations__.get("return")
    return (said if isinstance(said, str) else getattr(said, "__name__", "")) == "Agent"
