"""One checkpoint, read whole and laid out for a person: what `info` and the app show.

Everything in the result has gone through redaction: nothing that a front end gets from
here holds a key unless secrets were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.redaction import Redactor
from crewcheck.lineage import Node
from crewcheck.model import crew as crews
from crewcheck.model import events as eventlog
from crewcheck.model import flow as flows
from crewcheck.model.document import (
    iter_events,
    kickoff_inputs,
    mapping,
    sequence,
    sorted_events,
    text,
)
from crewcheck.model.losses import Loss, losses
from crewcheck.model.primary import flow_name, primary
from crewcheck.model.scan import Checkpoint, Summary
from crewcheck.model.summarize import summarize

# Redacted on their own, or not shown.
_AS_IT_IS = frozenset({"checkpoint", "summary"})


@dataclass(frozen=True, slots=True)
class Info:
    """A checkpoint in full. Lists are empty where the entity's kind has no such thing.

    ``inputs`` are those of the kickoff (None: it had none), ``placeholders`` the names
    that the templates ask for, ``question`` and ``answer`` an agent's, ``state`` a flow's.
    ``settings`` are the checkpoint settings of the run (location, on_events, ...).
    ``events`` may have been left out; ``event_count`` is how many there are. ``failure`` is
    what the newest event of a failure says.
    """

    checkpoint: Checkpoint
    summary: Summary
    inputs: dict[str, Any] | None
    placeholders: list[str]
    tasks: list[crews.Task]
    methods: list[flows.Method]
    agents: list[crews.Agent]
    state: Any
    question: str | None
    answer: str | None
    process: str | None
    events: Sequence[eventlog.EventLine]
    event_count: int
    failure: str | None
    tokens: eventlog.Tokens
    losses: list[Loss]
    settings: dict[str, Any]
    notes: tuple[str, ...]


def inspect(
    catalog: Catalog, checkpoint: Checkpoint, redactor: Redactor, *, with_events: bool = True
) -> Info:
    """Read and lay out a checkpoint. Raises `DamagedDocument` or `NotFound`."""
    document = catalog.store.document(checkpoint.header, lean=True)
    notes = catalog.store.notes(checkpoint.header)
    return lay_out(document, checkpoint, redactor, notes, with_events=with_events)


def lay_out(
    document: dict[str, Any],
    checkpoint: Checkpoint,
    redactor: Redactor,
    notes: tuple[str, ...] = (),
    *,
    with_events: bool = True,
) -> Info:
    """What a document holds, redacted. Accepts any JSON object."""
    events = sorted_events(document)
    # the summary wants the record's own order: a flow's name is in its first events
    summary = summarize(document, all_events=list(iter_events(document)))
    entity = mapping(primary(document, events)) if summary.kind else {}
    kind = summary.kind
    methods: list[flows.Method] = []
    if kind == "flow":
        methods = flows.methods(entity, flow_name(entity, events), events)
    question, answer = _conversation(events) if kind == "agent" else (None, None)
    known = checkpoint.summary.notes if checkpoint.summary else ()
    notes = (*known, *summary.notes, *notes)
    info = Info(
        checkpoint=checkpoint,
        summary=_redacted_summary(redactor, summary),
        inputs=kickoff_inputs(entity, events),
        placeholders=crews.template_names(entity) if kind == "crew" else [],
        tasks=crews.tasks(document, entity, events) if kind == "crew" else [],
        methods=methods,
        agents=_agents(kind, entity),
        state=flows.state(entity) if kind == "flow" else None,
        question=question,
        answer=answer,
        process=text(entity.get("process")),
        events=eventlog.lines(events) if with_events else [],
        event_count=len(events),
        failure=eventlog.failure(events),
        tokens=eventlog.total_tokens(events),
        losses=losses(entity, events),
        settings=dict(mapping(entity.get("checkpoint"))),
        notes=tuple(dict.fromkeys(notes)),
    )
    return info if redactor.show else _redacted(redactor, info)


def _redacted(redactor: Redactor, part: Any) -> Any:
    """The same with each text in it redacted, however deep."""
    if is_dataclass(part) and not isinstance(part, type):
        changes = {
            field.name: _redacted(redactor, getattr(part, field.name))
            for field in fields(part)
            if field.name not in _AS_IT_IS
        }
        return replace(part, **changes)
    if isinstance(part, str):
        return redactor.text(part)
    if isinstance(part, (list, tuple)) and any(map(is_dataclass, part)):
        return type(part)(_redacted(redactor, one) for one in part)
    if isinstance(part, tuple):
        return tuple(redactor.value(list(part)))
    return redactor.value(part)


def _redacted_summary(redactor: Redactor, summary: Summary) -> Summary:
    for name in ("kind", "name", "trigger", "version"):
        value = getattr(summary, name)
        setattr(summary, name, redactor.text(value) if value else value)
    return summary


def _agents(kind: str | None, entity: Any) -> list[crews.Agent]:
    if kind == "crew":
        return crews.agents(entity)
    return [crews.agent(entity)] if kind == "agent" else []


def _conversation(events: list[Any]) -> tuple[str | None, str | None]:
    """What an agent without a crew was asked, and what it answered."""
    question = answer = None
    for event in events:
        if event.get("type") == "lite_agent_execution_started":
            question = _asked(event.get("messages"))
        elif event.get("type") == "lite_agent_execution_completed":
            answer = eventlog.detail(event)
            question = question or _asked(event.get("messages"))
    return question, answer


def _asked(messages: object) -> str | None:
    if isinstance(messages, str):
        return messages
    contents = [
        text(mapping(message).get("content"))
        for message in sequence(messages)
        if mapping(message).get("role") != "system"
    ]
    return next((content for content in reversed(contents) if content), None)


def place_in_lineage(node: Node) -> dict[str, Any]:
    """Where a checkpoint stands: its parent, children, and how many are before it."""
    ancestors = 0
    at = node
    while at.parent is not None:
        ancestors += 1
        at = at.parent
    return {
        "parent_id": node.checkpoint.parent_id,
        "parent_in_store": node.parent is not None,
        "root_id": at.checkpoint.id,
        "ancestors": ancestors,
        "children": [
            {"id": child.checkpoint.id, "branch": child.checkpoint.branch}
            for child in node.children
        ],
        "fork_point": node.parent.checkpoint.id
        if node.parent is not None and node.parent.checkpoint.branch != node.checkpoint.branch
        else None,
    }
