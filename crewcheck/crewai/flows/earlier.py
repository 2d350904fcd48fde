"""Flows and crews that a program kicks off before the checkpoint's flow: those that the store has
whole are not run again. Their kickoff gives what was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.crewai.crews import earlier as crews_earlier
from crewcheck.crewai.crews.recording import same_inputs
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.flows import (
    attributes,
    inner_flows,
    match,
    replay,
    result_class,
    state_objects,
    values,
)
from crewcheck.crewai.flows.adopt import name_of
from crewcheck.crewai.flows.objects import is_internal
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.steps import steps_of
from crewcheck.crewai.session import Named
from crewcheck.model.document import entities, sorted_events


class Earlier:
    """The finished runs of some documents. ``answered`` are the names of those that were told."""

    def __init__(self, checkpoint_id: str, before: Iterable[Mapping[str, Any]]) -> None:
        self.answered: list[str] = []
        self._flows: list[SavedFlow] = []
        self._crews: list[SavedCrew] = []
        for document in before:
            events = sorted_events(document)
            for entity in entities(document):
                if entity.get("entity_type") == "flow":
                    flow = SavedFlow(document, checkpoint_id, events, entity)
                    self._flows += [flow] if flow.finished else []
                elif entity.get("tasks"):
                    crew = SavedCrew(document, checkpoint_id, events, entity, primary=False)
                    self._crews += [crew] if crew.finished else []

    def result(self, kind: str, target: Any, named: Named) -> Any:
        """What the kickoff of an object had given, None where that is not known."""
        given = named.get("inputs")
        if kind == "crew":
            for crew in self._crews:
                if crews_earlier.is_it(target, crew, given):
                    self._crews.remove(crew)
                    self.answered.append(target.name or "a crew")
                    return crews_earlier.result(target, crew)
        if kind == "flow" and not is_internal(target):
            for flow in self._flows:
                if _is_it(target, flow, given):
                    self._flows.remove(flow)
                    self.answered.append(name_of(target))
                    return _told(target, flow)
        return None


def _is_it(flow: Any, saved: SavedFlow, given: Any) -> bool:
    """Whether a kickoff is the one that was recorded, and all of it can be told."""
    if name_of(flow) != saved.name or not same_inputs(given, saved.inputs):
        return False
    if not saved.done or match.compare(flow, steps_of(flow), saved):
        return False
    if any(attributes.sets(flow, call.method) for call in saved.done):
        return False  # the program may look at what is in no checkpoint
    last = saved.done[-1]
    wanted = result_class.told(flow, last.method, last.result)
    return values.is_plain(flow._methods[last.method], wanted, last.result)


def _told(flow: Any, saved: SavedFlow) -> Any:
    """Let a flow be as it was in the end; what it had returned."""
    if saved.state is not None:
        flow._restore_state(state_objects.restored(flow, saved.state))
    kept = inner_flows.kept_of(flow, saved)
    for call in saved.done:
        replay.tell(flow, saved, call, kept[call.index])
    return flow.method_outputs[-1]
