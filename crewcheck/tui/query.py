"""The filter line: which checkpoints a few words let through.

Words are taken literally, all must be found, in any case, among id, branch, name,
trigger, kind and status. ``branch:x``, ``status:failed``, ``kind:flow``, ``name:x``,
``trigger:x`` and ``id:x`` look at one of them only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from crewcheck.lineage import Forest, Node
from crewcheck.model.scan import Checkpoint
from crewcheck.model.words import trigger_words

FIELDS = ("branch", "status", "kind", "name", "trigger", "id")


class Term(NamedTuple):
    """One word of a query; ``field`` is empty where it may be anywhere."""

    field: str
    text: str


class Match(NamedTuple):
    """``shown`` holds (by ``id()``) what must be drawn, ``hits`` what the query found."""

    shown: set[int]
    hits: set[int]


def parse(query: str) -> list[Term]:
    """The terms of what was typed. ``field:`` without a word asks for nothing."""
    terms = []
    for word in query.casefold().split():
        field, colon, rest = word.partition(":")
        if colon and field in FIELDS:
            if rest:
                terms.append(Term(field, rest))
        else:
            terms.append(Term("", word))
    return terms


def search(
    forest: Forest, query: str, cancelled: Callable[[], bool] = lambda: False
) -> Match | None:
    """What a query finds, with the checkpoints that the found ones hang on.

    None where it asks for nothing, or was cancelled on the way.
    """
    terms = parse(query)
    if not terms:
        return None
    hits = set()
    for place, node in enumerate(forest.order):
        if place % 1000 == 0 and cancelled():
            return None
        if fits(node.checkpoint, terms):
            hits.add(id(node))
    return Match(_with_fork_points(forest, hits), hits)


def fits(checkpoint: Checkpoint, terms: list[Term]) -> bool:
    fields = _fields(checkpoint)
    everything = "\n".join(fields.values())
    return all(text in (fields[field] if field else everything) for field, text in terms)


def _fields(checkpoint: Checkpoint) -> dict[str, str]:
    summary = checkpoint.summary
    trigger = summary.trigger if summary else None
    status = checkpoint.status or ""
    if checkpoint.damage is not None:
        status += f" damaged {checkpoint.damage.rule}"
    return {
        "branch": checkpoint.branch.casefold(),
        "status": status,
        "kind": ((summary.kind if summary else None) or "").casefold(),
        "name": ((summary.name if summary else None) or "").casefold(),
        "trigger": f"{trigger or ''} {trigger_words(trigger)}".casefold(),
        "id": checkpoint.id.casefold(),
    }


def _with_fork_points(forest: Forest, hits: set[int]) -> set[int]:
    """The hits, and the points where the forks left that they are on."""
    shown = set(hits)
    for run in forest.runs:
        # forks come after what they hang on: backwards, each hands its need on
        for segment in reversed(list(run.walk())):
            point: Node | None = segment.fork_point
            if point is not None and any(id(node) in shown for node in segment.nodes):
                shown.add(id(point))
    return shown
