"""The plan of a run as both front ends show it before anything runs."""

from __future__ import annotations

from typing import Any

from crewcheck.engine.running import Prepared


def plan_report(prepared: Prepared, loaded: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    """The plan as the JSON stream has it: everything that a confirmation shows."""
    source = prepared.source
    return {
        "type": "plan",
        "action": prepared.wish.action,
        "checkpoint_id": source.id,
        "branch": prepared.branch,
        "kind": "crew",
        "name": source.entity.get("name"),
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
        "items": plan.get("items") or [],
        "edits": {
            "inputs": prepared.spec.inputs,
            "outputs": prepared.spec.outputs,
        },
        "warnings": plan.get("warnings") or [],
        "losses": plan.get("losses") or [],
        "changed": plan.get("changed") or [],
        "notes": prepared.notes,
    }
