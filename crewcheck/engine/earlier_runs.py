"""The finished runs of crews, agents and flows that a program may have made before the run of
a checkpoint.

CrewAI's checkpoints of a program's second crew or flow hold nothing of its first. Where the
program is run again to get to the second, the first need not be paid for again: its own
checkpoints tell what it gave.
"""

from __future__ import annotations

from typing import Any

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.mending import mended
from crewcheck.engine.source import Source
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.agent import ANSWERED, ASKED
from crewcheck.model.document import iter_events, mapping, text
from crewcheck.model.primary import primary
from crewcheck.model.scan import FINISHED, Checkpoint

#: So many runs are handed on, the nearest before it first, of so many checkpoints.
_MOST_RUNS = 20
_MOST_CHECKPOINTS = 500

# with what tells whose an answer is
_KEPT_OF_CREW = {"llm_call_completed", "task_started", "agent_execution_started"}
_KEPT_OF_AGENT = {ASKED, ANSWERED}


def earlier_runs(source: Source) -> list[dict[str, Any]]:
    """Documents with nothing but a crew and what the models said to its tasks, an agent, what
    it was asked and what it answered, or a flow and what its methods gave; newest first."""
    made = []
    for checkpoint in _finished(source.catalog, source.node):
        try:
            document = source.catalog.store.document(checkpoint.header)
        except CrewcheckError:
            continue  # damaged: the run is made again
        entity = primary(document, list(iter_events(document)))
        if entity is None:
            continue
        kind = text(entity.get("entity_type")) or ""
        if kind == "agent":
            node = source.catalog.forest.by_key[checkpoint.key]
            document = mended(source.catalog, node, document)
        nodes = mapping(mapping(document.get("event_record")).get("nodes"))
        told = {key: one for key, one in nodes.items() if _is_needed(one, kind)}
        made.append(
            {
                "trigger": document.get("trigger"),
                "entities": [entity],
                "event_record": {"nodes": told},
            }
        )
    return made


def _is_needed(node: object, kind: str) -> bool:
    event = text(mapping(mapping(node).get("event")).get("type")) or ""
    if kind == "flow":
        return event.startswith(("flow_", "method_execution_"))
    return event in (_KEPT_OF_AGENT if kind == "agent" else _KEPT_OF_CREW)


def _finished(catalog: Catalog, node: Node) -> list[Checkpoint]:
    """The newest checkpoint of each finished run on the branch where a run began, from before
    it began."""
    own = catalog.forest.by_key[node.checkpoint.key]
    summary = own.checkpoint.summary
    root = own
    # CrewAI gives an agent's checkpoints no parents but those of other kickoffs
    while root.parent is not None and (summary is None or summary.kind != "agent"):
        root = root.parent
    until, branch = root.checkpoint.header.created_at or "", root.checkpoint.branch
    before = [
        one.checkpoint
        for one in reversed(catalog.forest.order)
        if one.checkpoint.branch == branch
        and (one.checkpoint.header.created_at or "") <= until  # in whole seconds
    ][:_MOST_CHECKPOINTS]
    catalog.read_summaries([one for one in before if one.summary is None])
    runs: dict[str | None, Checkpoint] = {}
    mine = summary.run_key if summary is not None else None
    for checkpoint in before:
        summary = checkpoint.summary
        if summary is None or summary.kind not in ("crew", "agent", "flow"):
            continue
        if text(summary.run_key) in (None, mine):
            continue
        if summary.status == FINISHED:
            runs.setdefault(summary.run_key, checkpoint)
    return list(runs.values())[:_MOST_RUNS]
