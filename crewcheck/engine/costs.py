"""What a run has cost so far, and what the part of it that would be repeated cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.engine.invalidation import RUN
from crewcheck.engine.source import Source


def costs(source: Source, items: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """``{"so_far": COST, "again": COST, "items": {position: COST}}`` of a plan's items.

    A cost is ``{"tokens": int, "seconds": float or null}``. ``again`` is what the items that
    run had cost last time; what runs for the first time has cost nothing yet.
    """
    by_item: dict[str, Any] = {}
    tokens, seconds = 0, 0.0
    timed = False
    for item in items:
        spent, took = source.cost_of(int(item["index"]))
        by_item[str(item["index"])] = {"tokens": spent, "seconds": took}
        if item["action"] == RUN:
            tokens += spent
            seconds += took or 0.0
            timed = timed or took is not None
    return {
        "so_far": {"tokens": source.tokens.total, "seconds": source.seconds},
        "again": {"tokens": tokens, "seconds": round(seconds, 6) if timed else None},
        "items": by_item,
    }
