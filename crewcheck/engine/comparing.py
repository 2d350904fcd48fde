"""Two checkpoints of stores compared: read, put in their places in the lineage, diffed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from crewcheck.engine.diff import Comparison, Edit, Side, compare
from crewcheck.engine.diff_text import WORDS
from crewcheck.engine.edited import edits_at
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.refs import Found, find, find_in, names_path
from crewcheck.errors import NotFound
from crewcheck.lineage import Node
from crewcheck.model import words
from crewcheck.model.harmless import name as shown


def find_two(refs: tuple[str, ...], location: str | None) -> tuple[Found, Found]:
    """The old and the new checkpoint that no, one or two references name.

    Without any the latest and its parent; of one its parent is the old one. A second
    reference without a store is looked for in the first one's. The catalogs are the
    caller's to close, and may be one. Raises `NotFound`.
    """
    first = _read(find(refs[0] if refs else None, location))
    try:
        if len(refs) < 2:
            return _read(Found(first.catalog, parent_of(first.node))), first
        if names_path(refs[1]):
            return first, _read(find(refs[1], location))
        second = _read(Found(first.catalog, find_in(first.catalog, refs[1])))
        return _read(first), second
    except BaseException:
        first.catalog.close()
        raise


def _read(found: Found) -> Found:
    """With its summary; reading may show that a checkpoint belongs elsewhere."""
    checkpoint = found.node.checkpoint
    found.catalog.read_summaries([checkpoint])
    return Found(found.catalog, found.catalog.forest.by_key[checkpoint.key])


def parent_of(node: Node) -> Node:
    """What a checkpoint is compared with if nothing else is asked for. Raises `NotFound`."""
    if node.parent is not None:
        return node.parent
    reason = (
        f"its parent {shown(node.missing_parent)} is not in the store"
        if node.missing_parent
        else "it has no parent"
    )
    raise NotFound(
        f"{shown(node.checkpoint.id)} has nothing to be compared with: {reason}",
        "name two checkpoints",
    )


def compare_found(
    old: Found, new: Found, redactor: Redactor, *, everything: bool = False, by: str = WORDS
) -> tuple[Comparison, dict[str, Any], dict[str, Any]]:
    """Read and compare two checkpoints; the documents come with it.

    Raises `DamagedDocument` or `NotFound` where one cannot be read.
    """
    first = old.catalog.store.document(old.node.checkpoint.header)
    second = new.catalog.store.document(new.node.checkpoint.header)
    shared = _ids(old) & _ids(new)
    made = compare(
        Side(first, _edits(old, first, shared)),
        Side(second, _edits(new, second, shared)),
        redactor,
        everything=everything,
        by=by,
    )
    return replace(made, notes=(*_relation(old, new), *made.notes)), first, second


def line_of(node: Node) -> Iterator[Node]:
    """A checkpoint and its ancestors."""
    at: Node | None = node
    while at is not None:
        yield at
        at = at.parent


_Place = tuple[str, str | int]


def _ids(found: Found) -> set[_Place]:
    where = found.catalog.store.location
    return {(where, node.checkpoint.key) for node in line_of(found.node)}


def _edits(found: Found, document: dict[str, Any], shared: set[_Place]) -> tuple[Edit, ...]:
    """The edits of the forks that only this one's line has; later ones win."""
    made: dict[str, Edit] = {}
    where = found.catalog.store.location
    for node in line_of(found.node):
        if (where, node.checkpoint.key) in shared:
            break
        if node.begins_a_branch:
            for edit in edits_at(found.catalog, node, document if node is found.node else None):
                made.setdefault(edit.path, edit)
    return tuple(made.values())


def _relation(old: Found, new: Found) -> list[str]:
    """How the two lie in the lineage, if they are in one."""
    if old.catalog.store.location != new.catalog.store.location:
        return []
    after = [node.checkpoint.key for node in line_of(new.node)]
    before = [node.checkpoint.key for node in line_of(old.node)]
    if after[0] == before[0]:
        return ["A and B are the same checkpoint"]
    if before[0] in after:
        return [f"B comes {words.many(after.index(before[0]), 'checkpoint')} after A"]
    if after[0] in before:
        steps = words.many(before.index(after[0]), "checkpoint")
        return [f"B is the older one: A comes {steps} after B"]
    known = set(before)
    met = next((node for node in line_of(new.node) if node.checkpoint.key in known), None)
    said = "B is the older one; " if new.node.number < old.node.number else ""
    if met is None:
        return [f"{said}they have no checkpoint in common"]
    return [f"{said}they part after {shown(met.checkpoint.id)}"]
