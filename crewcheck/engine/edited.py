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
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.document import iter_events, kickoff_inputs, mapping, objects, sorted_events
from crewcheck.model.document import text as as_text
from crewcheck.model.flow_calls import calls
from crewcheck.model.json_values import same_json
from crewcheck.model.paths import follow, parse_path
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
        for path, new in recorded:
            if path in known:
                continue
            known.add(path)
            if current is None:
                current = _places(document)
            if same_json(_at(current, path), new):
                found.append(Edited(path, new, fork_id))
    return found


def _recorded(
    catalog: Catalog, node: Node, document: Mapping[str, Any]
) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """What the forks above a checkpoint say, and itself if it is one, newest first."""
    at: Node | None = node
    while at is not None:
        summary = at.checkpoint.summary
        written = document if at is node else None
        if written is None and (summary is None or summary.trigger == FORK_TRIGGER):
            header = at.checkpoint.header
            if summary is None:
                summary = catalog.read_summary(at.checkpoint)
            if summary.trigger == FORK_TRIGGER:
                try:
                    written = catalog.store.document(header)
                except CrewcheckError:
                    written = None
        if written is not None:
            edits = objects(mapping(written.get("crewcheck")).get("edits"))
            pairs = [(path, one.get("new")) for one in edits if (path := as_text(one.get("path")))]
            if pairs:
                yield at.checkpoint.id, pairs
        at = at.parent


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
        # a pointer has lost its first slash
        return follow(places["state"], parse_path(rest if _is_plain(rest) else f"/{rest}"))
    except (KeyError, IndexError, ValueError, TypeError, CrewcheckError):
        return _Nothing


def _is_plain(path: str) -> bool:
    return "/" not in path and "~" not in path


class _Nothing:
    """Equals nothing that JSON holds."""
