"""Flows that a program kicks off before the checkpoint's own kickoff: those that the store has
whole are not run again. Their kickoff gives what was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.crewai.crews.recording import same_inputs
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
from crewcheck.model.document import entities, sorted_events


def finished(before: Iterable[Mapping[str, Any]], checkpoint_id: str) -> list[SavedFlow]:
    """The finished flows of some documents, in their order."""
    found = []
    for document in before:
        for entity in entities(document):
            if entity.get("entity_type") == "flow":
                flow = SavedFlow(document, checkpoint_id, sorted_events(document), entity)
                found += [flow] if flow.finished else []
    return found


def is_it(flow: Any, saved: SavedFlow, given: Any) -> bool:
    """Whether a kickoff is the one that was recorded, and all of it can be told."""
    if is_internal(flow) or name_of(flow) != saved.name:
        return False
    if not same_inputs(given, saved.inputs) or not saved.done:
        return False
    if match.compare(flow, steps_of(flow), saved):
        return False
    if any(attributes.sets(flow, call.method) for call in saved.done):
        return False  # the program may look at what is in no checkpoint
    last = saved.done[-1]
    wanted = result_class.told(flow, last.method, last.result)
    return values.is_plain(flow._methods[last.method], wanted, last.result)


def said(saved: SavedFlow) -> Any:
    """What the kickoff had given, to be compared."""
    return [call.result for call in saved.done]


def result(flow: Any, saved: SavedFlow) -> Any:
    """Let a flow be as it was in the end; what it had returned."""
    if saved.state is not None:
        flow._restore_state(state_objects.restored(flow, saved.state))
    kept = inner_flows.kept_of(flow, saved)
    for call in saved.done:
        replay.tell(flow, saved, call, kept[call.index])
    return flow.method_outputs[-1]
