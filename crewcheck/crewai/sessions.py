"""The session for what a checkpoint holds: a crew, a flow or an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.channel import Channel
from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.session import Session
from crewcheck.model.document import sorted_events
from crewcheck.model.primary import primary
from crewcheck.runtimes.spec import RunSpec


def open_session(channel: Channel, spec: RunSpec, document: Mapping[str, Any]) -> Session[Any]:
    """Read a checkpoint to go on from. Raises `Refusal`."""
    events = sorted_events(document)
    entity = primary(document, events)
    if entity is None:
        raise Refusal("nothing-in-it", "this checkpoint holds nothing that can be run")
    given = document, spec.checkpoint_id, events, entity
    kind = entity.get("entity_type")
    if kind == "crew":
        from crewcheck.crewai.crews.saved import SavedCrew
        from crewcheck.crewai.crews.session import CrewSession

        return CrewSession(channel, spec, SavedCrew(*given))
    if kind == "flow":
        from crewcheck.crewai.flows.saved import SavedFlow
        from crewcheck.crewai.flows.session import FlowSession

        return FlowSession(channel, spec, SavedFlow(*given))
    if kind == "agent":
        from crewcheck.crewai.agents.saved import SavedAgent
        from crewcheck.crewai.agents.session import AgentSession

        return AgentSession(channel, spec, SavedAgent(*given))
    raise Refusal(
        "kind-not-supported",
        f"this is a checkpoint of a {kind}, and only crews, flows and agents can be resumed so far",
    )
