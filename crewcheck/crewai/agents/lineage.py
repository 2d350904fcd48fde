"""Which run the new checkpoints of an agent are of, and where they go."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from crewcheck.crewai.agents.saved import SavedAgent
from crewcheck.crewai.lineage import config_for, set_state
from crewcheck.model.document import text
from crewcheck.runtimes.spec import RunSpec


def begin(
    agent: Any, saved: SavedAgent, spec: RunSpec, record: Any, branch: str, parent_id: str
) -> Callable[[], None]:
    """Set CrewAI's runtime state, and let the agent go on with its kickoff.

    Must be called in the context that the kickoff is called in. Returns what undoes it.
    """
    from crewai.events.event_bus import crewai_event_bus as bus

    before = agent.__dict__.get("id"), agent.checkpoint
    with suppress(ValueError):
        agent.__dict__["id"] = uuid.UUID(text(saved.entity.get("id")) or "")
    agent.checkpoint = config_for(agent.checkpoint, saved.entity, spec)
    set_state([agent], record, branch, parent_id)
    kickoff_id = saved.run.kickoff_id
    goes_on = kickoff_id in record.nodes and hasattr(agent, "checkpoint_kickoff_event_id")
    if hasattr(agent, "checkpoint_kickoff_event_id"):
        agent.checkpoint_kickoff_event_id = kickoff_id if goes_on else None
        agent._kickoff_event_id = kickoff_id if goes_on else None
    if goes_on:
        agent._restore_event_scope(bus.runtime_state)
    # else the loop in which the agent works takes the state with it when that ends, and what
    # is written afterwards has no parent and no record
    enter = getattr(bus, "_enter_runtime_scope", None)
    outermost = enter() if enter is not None else False

    def end() -> None:
        if enter is not None:
            bus._exit_runtime_scope(outermost)
        agent.__dict__["id"], agent.checkpoint = before
        if hasattr(agent, "checkpoint_kickoff_event_id"):
            agent.checkpoint_kickoff_event_id = None

    return end
