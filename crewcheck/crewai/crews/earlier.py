"""Crews that a program kicks off before the checkpoint's: those that the checkpoint, or an
earlier one of the store, has whole are not run again. Their kickoff gives what was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.crewai.crews import facts, match, recording
from crewcheck.crewai.crews.pairing import pair
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.saved import Saved
from crewcheck.engine.invalidation import SKIPPED
from crewcheck.model.document import entities, mapping, objects, sorted_events


def finished(saved: Saved, before: Iterable[Mapping[str, Any]]) -> list[SavedCrew]:
    """The finished crews of a document besides the one that is gone on with, and those of
    documents ``before`` it."""
    found = []
    for document in (saved.document, *before):
        events = saved.events if document is saved.document else sorted_events(document)
        for entity in entities(document):
            if entity is saved.entity or not objects(entity.get("tasks")):
                continue
            if document is saved.document and saved.kind != "crew":
                continue  # a crew of a flow's is a part of that
            if entity.get("entity_type") == "crew":
                one = SavedCrew(document, saved.checkpoint_id, events, entity, primary=False)
                found += [one] if one.finished else []
    return found


def fitting(
    crew: Any, known: Iterable[SavedCrew], given: Mapping[str, Any] | None
) -> list[SavedCrew]:
    """Those that a kickoff with these inputs can be."""
    found = [one for one in known if not match.compare(crew, one, pair(crew, one))]
    if not crew.before_kickoff_callbacks:
        return [one for one in found if recording.same_inputs(given, one.inputs)]
    # callbacks have made other inputs of those that were given: mostly by adding some
    inputs = dict(given or {})
    same = [one for one in found if recording.same_inputs(inputs, _those(one, inputs))]
    if same or not found:
        return same
    alike = all(recording.same_inputs(found[0].inputs, one.inputs) for one in found)
    return found if alike else []


def _those(saved: SavedCrew, names: Iterable[str]) -> dict[str, Any]:
    """The recorded inputs of some names."""
    inputs = saved.inputs or {}
    return {name: inputs[name] for name in names if name in inputs}


def said(saved: SavedCrew) -> Any:
    """What the kickoff had given, to be compared."""
    return [mapping(task.get("output")).get("raw") for task in saved.tasks]


def result(crew: Any, saved: SavedCrew) -> Any:
    """What the kickoff had returned, made of what was recorded, and of the crew's own
    callbacks after a kickoff."""
    from crewai.crews.crew_output import CrewOutput
    from crewai.types.usage_metrics import UsageMetrics

    outputs = []
    for index, (task, old) in enumerate(zip(crew.tasks, saved.tasks, strict=True)):
        if saved.states[index] == SKIPPED:
            outputs.append(task.get_skipped_task_output())
            continue
        label = facts.label(crew, index)
        task.output = recording.output_of(task, old, label, saved.events)
        recording.restore(task, old)
        outputs.append(task.output)
    last = next((one for one in reversed(outputs) if one.raw), outputs[-1])
    try:
        usage = UsageMetrics.model_validate(saved.entity.get("token_usage") or {})
    except ValueError:
        usage = UsageMetrics()
    made: Any = CrewOutput(
        raw=last.raw,
        pydantic=last.pydantic,
        json_dict=last.json_dict,
        tasks_output=outputs,
        token_usage=usage,
    )
    crew.usage_metrics = usage
    for callback in crew.after_kickoff_callbacks:
        made = callback(made)
    return made
