"""The plan of a run or fork as both front ends show it before anything happens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crewcheck.engine.costs import costs
from crewcheck.engine.invalidation import RUN, Decision
from crewcheck.engine.running import Prepared
from crewcheck.engine.source import Source
from crewcheck.model.document import sorted_events
from crewcheck.model.edits import Edits, changed_inputs
from crewcheck.model.json_path import REMOVED, write_path
from crewcheck.model.losses import losses


def plan_report(prepared: Prepared, loaded: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    """The plan as the JSON stream has it: everything that a confirmation shows."""
    source = prepared.source
    items = plan.get("items") or []
    return {
        "type": "plan",
        "action": prepared.wish.action,
        "checkpoint_id": source.id,
        "branch": prepared.branch,
        "kind": source.kind,
        "name": source.name,
        "entry": loaded.get("entry") or prepared.spec.entry or prepared.spec.script,
        "entry_origin": prepared.origin,
        "python": prepared.interpreter.path,
        "python_origin": prepared.interpreter.origin,
        "crewai": prepared.interpreter.crewai,
        "cwd": prepared.spec.cwd,
        "model": loaded.get("model"),
        "endpoint": loaded.get("endpoint"),
        "tools": loaded.get("tools"),
        "ran_before": loaded.get("ran_before"),
        "asks": asks(loaded, items),
        "items": items,
        "edits": edits_report(source, prepared.wish.edits),
        "costs": costs(source, items),
        "warnings": plan.get("warnings") or [],
        "losses": plan.get("losses") or [],
        "changed": plan.get("changed") or [],
        "notes": prepared.notes,
    }


def asks(loaded: dict[str, Any], items: Sequence[dict[str, Any]]) -> list[int]:
    """The positions of tasks that will run and ask a person before their result counts."""
    asking = {
        task.get("index")
        for task in loaded.get("tasks") or []
        if isinstance(task, dict) and task.get("human_input") is True
    }
    return [item["index"] for item in items if item["action"] == RUN and item["index"] in asking]


def data_report(
    source: Source, action: str, edits: Edits, items: Sequence[Decision], branch: str | None
) -> dict[str, Any]:
    """The plan that is made from data alone, with the keys of `plan_report` that data has.

    ``losses`` are what only the project can bring back.
    """
    planned = [item.as_dict() for item in items]
    return {
        "type": "plan",
        "action": action,
        "checkpoint_id": source.id,
        "branch": branch,
        "kind": source.kind,
        "name": source.name,
        "items": planned,
        "edits": edits_report(source, edits),
        "costs": costs(source, planned),
        "losses": [
            {"rule": loss.rule, "where": loss.where, "message": loss.message}
            for loss in losses(source.entity, sorted_events(source.document))
        ],
    }


def edits_report(source: Source, edits: Edits) -> dict[str, Any]:
    """What is edited: ``inputs`` and ``state`` by name and path, ``outputs`` by position;
    ``removed`` are the paths of keys that are taken out of the state."""
    return {
        "inputs": changed_inputs(source.inputs, edits),
        "outputs": {
            **{str(index): value for index, value in sorted(edits.outputs.items())},
            **{str(index): value for index, value in sorted(edits.results.items())},
        },
        "state": {
            write_path(path): value for path, value in edits.state.items() if value is not REMOVED
        },
        "removed": [write_path(path) for path, value in edits.state.items() if value is REMOVED],
    }
