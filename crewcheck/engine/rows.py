"""Checkpoints as the plain values that listings print: the promised shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crewcheck.engine.inspect import Info
    from crewcheck.engine.redaction import Redactor
    from crewcheck.lineage import Node
    from crewcheck.model.scan import Checkpoint

#: The piped columns of a listing, in this order. They are promises.
COLUMNS = (
    "id",
    "created_at",
    "branch",
    "trigger",
    "kind",
    "name",
    "done",
    "total",
    "status",
    "parent_id",
    "size",
    "damage",
)


def row(checkpoint: Checkpoint, redactor: Redactor) -> dict[str, Any]:
    """One checkpoint as ``list --json`` prints it; null where something is unknown."""
    summary = checkpoint.summary
    damage = checkpoint.damage
    return {
        "id": checkpoint.id,
        "parent_id": checkpoint.parent_id,
        "branch": redactor.text(checkpoint.branch),
        "created_at": checkpoint.header.created_at,
        "trigger": redactor.text(summary.trigger) if summary and summary.trigger else None,
        "version": redactor.text(summary.version) if summary and summary.version else None,
        "kind": redactor.text(summary.kind) if summary and summary.kind else None,
        "name": redactor.text(summary.name) if summary and summary.name else None,
        "done": summary.done if summary else None,
        "total": summary.total if summary else None,
        "status": checkpoint.status,
        "size": checkpoint.header.size,
        "location": checkpoint.header.location,
        "damage": redactor.value(damage.as_dict()) if damage else None,
    }


def info_row(info: Info | None, node: Node, redactor: Redactor) -> dict[str, Any]:
    """One checkpoint as ``info --json`` prints it; ``info`` is None where it is damaged."""
    from crewcheck.engine.inspect import place_in_lineage

    shape = row(node.checkpoint, redactor)
    shape |= {
        "inputs": info.inputs if info else None,
        "placeholders": info.placeholders if info else None,
        "tasks": [_values(task) for task in info.tasks] if info else None,
        "agents": [_values(agent) for agent in info.agents] if info else None,
        "state": info.state if info else None,
        "methods": [_values(method) for method in info.methods] if info else None,
        "question": info.question if info else None,
        "answer": info.answer if info else None,
        "process": info.process if info else None,
        "events": info.event_count if info else None,
        "tokens": _values(info.tokens) if info else None,
        "lineage": redactor.value(place_in_lineage(node)),
        "losses": [_values(loss) for loss in info.losses] if info else None,
        "settings": info.settings if info else None,
        "notes": list(info.notes if info else _notes(node.checkpoint)),
    }
    return shape


def _values(part: Any) -> dict[str, Any]:
    """The fields of a view as JSON values; not deeper than a view goes, for data may be deep."""
    from crewcheck.model.events import Tokens

    shape = {}
    for name in part.__slots__:
        value = getattr(part, name)
        if isinstance(value, Tokens):
            value = _values(value)
        shape[name] = list(value) if isinstance(value, tuple) else value
    return shape


def _notes(checkpoint: Checkpoint) -> tuple[str, ...]:
    return checkpoint.summary.notes if checkpoint.summary else ()
