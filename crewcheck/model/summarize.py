"""From the head of a document to its summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.model.agent import ANSWERED, GAVE_UP, agent_run
from crewcheck.model.document import entities, event_order, mapping, objects, text
from crewcheck.model.primary import NeedsRecord, flow_name, primary
from crewcheck.model.scan import EDITS_NOTE, Damage, Summary
from crewcheck.model.status import progress, status_of

NOT_A_CHECKPOINT = "not-a-checkpoint"


#: What of our own key is in checkpoints that CrewAI writes in a run of ours, too.
_OF_RUNS = {"primary", "dropped"}


def summarize(
    head: Mapping[str, Any],
    *,
    first_events: Iterable[Mapping[str, Any]] = (),
    all_events: Iterable[Mapping[str, Any]] | None = None,
) -> Summary:
    """The summary of a document, from all of its top-level keys but ``event_record``.

    ``first_events`` are the first events of the record (a flow's name is in them);
    ``all_events`` all of them, or None where they were not read. Raises `NeedsRecord`
    when they must be read to tell the primary entity.
    """
    trigger = text(head.get("trigger"))
    own = mapping(head.get("crewcheck"))
    summary = Summary(
        trigger=trigger,
        version=text(head.get("crewai_version")) or text(head.get("crewcheck_version")),
        parent_id=text(head.get("parent_id")),
        branch=text(head.get("branch")),
        lineage_in_document="parent_id" in head,
    )
    if not isinstance(head.get("entities"), list):
        summary.damage = Damage(NOT_A_CHECKPOINT, "it has no list of entities")
        return summary
    entity = primary(head, all_events)
    if entity is None:
        if not entities(head):
            summary.damage = Damage(NOT_A_CHECKPOINT, "its list of entities is empty")
        else:
            summary.damage = Damage(
                NOT_A_CHECKPOINT, "nothing in it was started by a user: no crew, flow or agent"
            )
        return summary
    summary.kind = text(entity.get("entity_type"))
    if all_events is None:
        summary.name = _name(entity, first_events, partly=True)
    else:
        summary.name = _name(entity, all_events)
    if summary.kind == "agent" and trigger != ANSWERED:
        if all_events is None:
            raise NeedsRecord
        trigger = _agent_trigger(head, entity, all_events)
    summary.done, summary.total, complete = progress(head, entity, trigger)
    summary.status = status_of(summary.kind, trigger, complete)
    summary.run_key = (
        text(entity.get("checkpoint_kickoff_event_id"))
        or text(mapping(entity.get("checkpoint_state")).get("id"))
        or text(entity.get("id"))
    )
    if own.keys() - _OF_RUNS:
        summary.notes = (*summary.notes, _written_by_us(own))
    return summary


def _written_by_us(own: Mapping[str, Any]) -> str:
    """What a fork of ours says of itself: which parts of it a person has changed."""
    paths = [path for edit in objects(own.get("edits")) if (path := text(edit.get("path")))]
    return f"{EDITS_NOTE}{', '.join(paths)}" if paths else "written by crewcheck"


def _name(
    entity: Mapping[str, Any], events: Iterable[Mapping[str, Any]], *, partly: bool = False
) -> str | None:
    kind = entity.get("entity_type")
    if kind == "agent":
        return text(entity.get("role")) or text(entity.get("name"))
    if kind == "flow":
        return flow_name(entity, events, partly=partly)
    return text(entity.get("name"))


def _agent_trigger(
    head: Mapping[str, Any], entity: Mapping[str, Any], events: Iterable[Mapping[str, Any]]
) -> str | None:
    """How an agent's run has ended by the record: a trigger does not tell, for CrewAI writes
    what happens close together in any order, and 1.14.1 names none."""
    run = agent_run(head, entity, sorted(events, key=event_order))
    if run.answer is not None:
        return ANSWERED
    return GAVE_UP if run.error is not None else text(head.get("trigger"))
