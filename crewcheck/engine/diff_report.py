"""A comparison as the JSON that `diff --json` prints: see `model.reports.DiffReport`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from crewcheck.engine.comparable import comparable
from crewcheck.engine.diff import Change, Comparison, Item, Shown, Spent
from crewcheck.engine.diff_words import counts, in_sections
from crewcheck.engine.json_patch import differences, operation
from crewcheck.engine.redaction import Redactor


def report(
    comparison: Comparison,
    old: dict[str, Any],
    new: dict[str, Any],
    patch: list[dict[str, Any]],
    *,
    everything: bool,
) -> dict[str, Any]:
    """``old`` and ``new`` are the checkpoints as listings print them."""
    return {
        "old": old,
        "new": new,
        "same": comparison.same,
        "all": everything,
        "notes": list(comparison.notes),
        "spent": {"old": _spent(comparison.spent_old), "new": _spent(comparison.spent_new)},
        "summary": {section: counts(items) for section, items in in_sections(comparison)},
        "items": [_item(item) for item in comparison.items],
        "patch": patch,
    }


def redacted_patch(
    old: Mapping[str, Any], new: Mapping[str, Any], redactor: Redactor, *, everything: bool
) -> list[dict[str, Any]]:
    """The JSON patch between two documents, or between what can be compared of them."""
    a, b = (old, new) if everything else (comparable(old), comparable(new))
    shown = Shown(redactor, b, None)
    operations = []
    for one in differences(a, b):
        made = operation(one)
        made["path"] = redactor.text(made["path"])
        if "value" in made:
            made["value"] = shown.at(one.path)
        operations.append(made)
    return operations


def _spent(spent: Spent) -> dict[str, Any]:
    return {
        "events": spent.events,
        "tokens": asdict(spent.tokens),
        "seconds": spent.seconds,
    }


def _item(item: Item) -> dict[str, Any]:
    return {
        "section": item.section,
        "kind": item.kind,
        "label": item.label,
        "path": item.path,
        "rule": item.rule or None,
        "old_index": item.old_index,
        "new_index": item.new_index,
        "changes": [_change(one) for one in item.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "what": change.what,
        "kind": change.kind,
        "old": change.old,
        "new": change.new,
        "edited": change.edited,
        "hidden": change.hidden,
    }
