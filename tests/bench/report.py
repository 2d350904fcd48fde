"""What was measured, as a table or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tests.bench.bars import Bar
from tests.bench.measure import Sample, median, ratio


class Row(NamedTuple):
    """A bar and how it went. ``verdict``: OK, MISSED, FAILED (a command went wrong) or
    skipped; ``reason`` says why of the last two. ``cpu_ratio`` is the ratio of CPU times where
    that of the clock counts: a busy machine disturbs it less."""

    bar: Bar
    verdict: str
    reason: str = ""
    ours: float | None = None
    theirs: float | None = None
    ratio: float | None = None
    cpu_ratio: float | None = None
    rounds: int = 0


def skipped(bar: Bar, reason: str) -> Row:
    return Row(bar, "skipped", reason)


def judged(bar: Bar, samples: Mapping[str, Sequence[Sample]], failed: Mapping[str, str]) -> Row:
    """How a bar went, from the samples of its two subjects."""
    labels = bar.ours.label, bar.theirs.label
    for label in labels:
        if label in failed:
            return Row(bar, "FAILED", failed[label])
    ours, theirs = (samples[label] for label in labels)
    keys = bar.key, bar.their_key or bar.key
    for label, measured, key in zip(labels, (ours, theirs), keys, strict=True):
        if any(key not in one for one in measured):
            return Row(bar, "FAILED", f"{label} does not tell {key!r}")

    def compared(ours_by: str, theirs_by: str) -> float:
        if bar.sense == "better":
            return ratio(theirs, ours, theirs_by, ours_by)
        return ratio(ours, theirs, ours_by, theirs_by)

    found = compared(*keys)
    by_cpu = keys == ("wall", "wall") and all("cpu" in one for one in (*ours, *theirs))
    held = found >= bar.times if bar.sense == "better" else found <= bar.times
    return Row(
        bar,
        "OK" if held else "MISSED",
        "",
        median(ours, keys[0]),
        median(theirs, keys[1]),
        found,
        compared("cpu", "cpu") if by_cpu else None,
        min(len(ours), len(theirs)),
    )


_HEADS = ("BAR", "WHAT", "AGAINST", "OURS", "THEIRS", "RATIO", "CPU", "BAR IS", "GOOD", "")


def table(rows: Sequence[Row]) -> str:
    lines = [_HEADS, *map(_cells, rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(_HEADS))]
    right = (0, 3, 4, 5, 6, 7)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    bar = row.bar
    limit = f">= {_times(bar.times)}" if bar.sense == "better" else f"<= {_times(bar.times)}"
    return (
        str(bar.number),
        bar.what,
        bar.against,
        "" if row.ours is None else _amount(bar.key, row.ours),
        "" if row.theirs is None else _amount(bar.key, row.theirs),
        "" if row.ratio is None else _times(row.ratio),
        "" if row.cpu_ratio is None else _times(row.cpu_ratio),
        limit,
        bar.good,
        f"{row.verdict}: {row.reason}" if row.reason else row.verdict,
    )


def _times(value: float) -> str:
    return f"{value:.0f}x" if value >= 20 or value == int(value) else f"{value:.2f}x"


def _amount(key: str, value: float) -> str:
    if key in ("peak", "bytes"):
        return f"{value / 2**20:.0f} MiB"
    return f"{value:.2f} s" if value >= 10 else f"{value * 1000:.0f} ms"


def as_json(rows: Sequence[Row]) -> str:
    """An array with an object a row; seconds and bytes."""
    made = [
        {
            "bar": row.bar.number,
            "what": row.bar.what,
            "against": row.bar.against,
            "measure": row.bar.key,
            "ours": row.ours,
            "theirs": row.theirs,
            "ratio": row.ratio,
            "cpu_ratio": row.cpu_ratio,
            "at_least" if row.bar.sense == "better" else "at_most": row.bar.times,
            "good": row.bar.good,
            "rounds": row.rounds,
            "verdict": row.verdict,
            "reason": row.reason,
        }
        for row in rows
    ]
    return json.dumps(made, indent=2)
