"""The table of a run: a line a scenario, and a line for each case that was wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tests.fidelity.cases import COLUMNS
from tests.fidelity.judging import Verdict

_WIDTH = 24


def head() -> str:
    return "scenario".ljust(_WIDTH) + "".join(f"{one:>13}" for one in COLUMNS)


def line(name: str, verdicts: Sequence[Verdict]) -> str:
    """How many cases were right of how many, in each column; ``r``: refused, as is right."""
    cells = []
    for column in COLUMNS:
        of_it = [one for one in verdicts if one.case.column == column]
        right = sum(one.right for one in of_it)
        refused = "r" if any(one.refused for one in of_it) else ""
        cells.append(f"{right}/{len(of_it)}{refused}" if of_it else "-")
    return name.ljust(_WIDTH) + "".join(f"{cell:>13}" for cell in cells)


def details(verdicts: Iterable[Verdict], most: int) -> list[str]:
    """What was wrong, a line a case; the same sentence of one column only ``most`` times."""
    lines = []
    left = most
    for one in verdicts:
        if one.right:
            continue
        if left > 0:
            point = one.case.point
            where = f"{one.case.column} at {point.number} ({point.trigger}, {point.id})"
            lines.append(f"    {where}: {'; '.join(one.wrong)}")
        left -= 1
    if left < 0:
        lines.append(f"    and {-left} more (see --json, or --most N)")
    tolerated = sum(bool(one.tolerated) for one in verdicts)
    if tolerated:
        reason = next(one.tolerated[0] for one in verdicts if one.tolerated)
        lines.append(f"    {tolerated} tolerated, as: {reason}")
    return lines


def as_json(verdict: Verdict) -> dict[str, Any]:
    case = verdict.case
    return {
        "scenario": case.recording.scenario.name,
        "column": case.column,
        "checkpoint_id": case.point.id,
        "number": case.point.number,
        "trigger": case.point.trigger,
        "edit": case.edit,
        "right": verdict.right,
        "wrong": verdict.wrong,
        "tolerated": verdict.tolerated,
        "refused": verdict.refused,
    }
