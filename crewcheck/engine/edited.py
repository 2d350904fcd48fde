"""What in a checkpoint is a person's edit, not the result of a run.

A fork's own document says what was edited. The checkpoints that CrewAI writes behind it do
not: there an edit is told by the forks that a checkpoint descends from, and counts as long
as what was written then still stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.diff import Edit, edits_in
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.document import iter_events, kickoff_inputs, mapping, objects, sorted_events
from crewcheck.model.flow_calls import calls
from crewcheck.model.json_path import value_at
from crewcheck.model.json_values import same_json
from crewcheck.model.primary import flow_name, primary
from crewcheck.model.scan import FORK_TRIGGER


@dataclass(frozen=True, slots=True)
class Edited:
    """A place that a person has edited, and the fork in which that was done.

    ``path`` is ``inputs.NAME``, ``tasks.N.output``, ``methods.CALL.result`` or
    ``state.PATH``.
    """

    path: str
    new: Any
    fork_id: str


def edited(catalog: Catalog, node: Node, document: Mapping[str, Any]) -> list[Edited]:
    """The edits that stand in a checkpoint, the newest fork's first, each place once."""
    found: list[Edited] = []
    known: set[str] = set()
    current: dict[str, Any] | None = None
    for fork_id, recorded in _recorded(catalog, node, document):
        for edit in recorded:
            if edit.path in known:
                continue
            known.add(edit.path)
            if current is None:
                current = _places(document)
            now = _at(current, edit.path)
            if now is _Nothing if edit.removed else same_json(now, edit.new):
                found.append(Edited(edit.path, edit.new, fork_id))
    return found


def _recorded(
    catalog: Catalog, node: Node, document: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """What the forks above a checkpoint say, and itself if it is one, newest first."""
    at: Node | None = node
    while at is not None:
        own = document if at is node else None
        # a fork is the first on its branch, and has a parent
        if own is not None or (at.checkpoint.parent_id and at.begins_a_branch):
            edits = edits_at(catalog, at, own)
            if edits:
                yield at.checkpoint.id, edits
        at = at.parent


def edits_at(
    catalog: Catalog, node: Node, document: Mapping[str, Any] | None = None
) -> tuple[Edit, ...]:
    """The edits that were made in a fork; none of a checkpoint that is no fork of ours, or
    cannot be read. ``document`` is its document, if that has been read."""
    checkpoint = node.checkpoint
    try:
        if document is None:
            summary = checkpoint.summary or catalog.read_summary(checkpoint)
            if summary.trigger != FORK_TRIGGER:
                return ()
            document = catalog.store.document(checkpoint.header)
    except CrewcheckError:
        return ()  # what it was forked with cannot be told any more
    return edits_in(document)


def _places(document: Mapping[str, Any]) -> dict[str, Any]:
    """What can be edited in a checkpoint, as it stands there."""
    entity = mapping(primary(document, list(iter_events(document))))
    events = sorted_events(document)
    places: dict[str, Any] = {"inputs": kickoff_inputs(entity, events) or {}}
    if entity.get("entity_type") == "flow":
        places["state"] = entity.get("checkpoint_state")
        made = calls(entity, flow_name(entity, events), events)
        places["methods"] = {call.label: {"result": call.result} for call in made}
    else:
        places["tasks"] = [
            {"output": mapping(task.get("output")).get("raw")}
            for task in objects(entity.get("tasks"))
        ]
    return places


def _at(places: Mapping[str, Any], path: str) -> Any:
    """What stands at the place of an edit; something that equals no JSON if nothing does."""
    kind, _, rest = path.partition(".")
    try:
        if kind == "inputs":
            return places["inputs"][rest]
        if kind == "tasks":
            return places["tasks"][int(rest.partition(".")[0])]["output"]
        if kind == "methods":
            return places["methods"][rest.removesuffix(".result")]["result"]
        return value_at(places["state"], rest)
    except (KeyError, IndexError, ValueError, TypeError, CrewcheckError):
        return _Nothing


class _Nothing:
    """Equals nothing that JSON holds."""
