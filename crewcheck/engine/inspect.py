"""One checkpoint, read whole and laid out for a person: what `info` and the app show.

Everything in the result has gone through redaction: nothing that a front end gets from
here holds a key unless secrets were asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.checks.document import flaws_of
from crewcheck.engine.checks.rules import ADVICE, RULES, SEVERITIES
from crewcheck.engine.checks.subject import Subject
from crewcheck.engine.edited import Edited, edited
from crewcheck.engine.redaction import Redactor
from crewcheck.lineage import Node
from crewcheck.model import crew as crews
from crewcheck.model import events as eventlog
from crewcheck.model import flow as flows
from crewcheck.model.agent import agent_run, question_text
from crewcheck.model.document import (
    LeanDocument,
    iter_events,
    kickoff_inputs,
    mapping,
    sorted_events,
    text,
)
from crewcheck.model.flow_calls import DONE, Call, calls, newest_state
from crewcheck.model.json_values import same_json
from crewcheck.model.losses import Loss, losses
from crewcheck.model.primary import flow_name, primary
from crewcheck.model.scan import Checkpoint, Summary
from crewcheck.model.summarize import summarize


@dataclass(frozen=True, slots=True)
class Check:
    """Something that is wrong in the document itself, or may be (`engine.checks`)."""

    rule: str
    severity: str
    path: str
    message: str


# Redacted on their own, or not shown.
_AS_IT_IS = frozenset({"checkpoint", "summary"})


@dataclass(frozen=True, slots=True)
class CallLine:
    """A call of a flow's method, as an edit and the picture of the flow need it.

    ``index`` is its position among all calls. ``gives_text``: another result of it is a
    text, else JSON. ``cause`` is the position of the call whose end set it off, if known.
    ``began`` is how many calls had ended when it began, ``end`` how many when it ended:
    what ended before it began has a smaller ``end``. ``number`` counts the calls of its
    method from 1, ``tokens`` are those spent within it.
    """

    index: int
    method: str
    label: str
    state: str
    result: Any
    gives_text: bool
    cause: int | None = None
    began: int = 0
    end: int | None = None
    number: int = 1
    seconds: float | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Info:
    """A checkpoint in full. Lists are empty where the entity's kind has no such thing.

    ``inputs`` are those of the kickoff (None: it had none), ``placeholders`` the names
    that the templates ask for, ``question`` and ``answer`` an agent's, ``state`` a flow's.
    ``calls`` are those of a flow's methods, ``behind`` is the state after the last that is
    finished, where that is not ``state`` itself: a fork goes on with it.
    ``settings`` are the checkpoint settings of the run (location, on_events, ...).
    ``events`` may have been left out; ``event_count`` is how many there are. ``failure`` is
    what the newest event of a failure says. ``checks`` are findings of damage and warnings,
    without what is in ``losses``. ``edits`` are what a person has changed in a fork and
    still stands.
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
    checks: list[Check]
    edits: list[Edited] = field(default_factory=list)
    calls: list[CallLine] = field(default_factory=list)
    behind: dict[str, Any] | None = None

    @property
    def state_to_edit(self) -> Any:
        """The state that a fork of a flow goes on with."""
        return self.state if self.behind is None else self.behind

    def edited_places(self) -> list[tuple[str, str]]:
        """What a person has edited, in words, and the fork in which that was done."""
        return [(self._place(one.path), one.fork_id) for one in self.edits]

    def _place(self, path: str) -> str:
        kind, _, rest = path.partition(".")
        if kind == "tasks":
            index = rest.partition(".")[0]
            known = index.isdigit() and int(index) < len(self.tasks)
            return f"output of {self.tasks[int(index)].label if known else path}"
        if kind == "methods":
            return f"result of {rest.removesuffix('.result')}"
        return f"{'input' if kind == 'inputs' else kind} {rest}"


def inspect(
    catalog: Catalog, checkpoint: Checkpoint, redactor: Redactor, *, with_events: bool = True
) -> Info:
    """Read and lay out a checkpoint. Raises `DamagedDocument` or `NotFound`."""
    document = catalog.store.document(checkpoint.header, lean=True)
    notes = catalog.store.notes(checkpoint.header)
    info = lay_out(document, checkpoint, redactor, notes, with_events=with_events)
    node = catalog.forest.by_key.get(checkpoint.key)
    edits = edited(catalog, node, document) if node is not None else []
    return replace(info, edits=redacted(redactor, edits)) if edits else info


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
    lines: list[CallLine] = []
    behind: dict[str, Any] | None = None
    if kind == "flow":
        name = flow_name(entity, events)
        methods = flows.methods(entity, name, events)
        made = calls(entity, name, events)
        lines = _call_lines(made)
        newest = newest_state(entity, [one for one in made if one.state == DONE])
        behind = None if same_json(newest, flows.state(entity)) else newest
    question, answer = conversation(document, entity, events) if kind == "agent" else (None, None)
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
        # what was passed over would look like damage
        checks=_checks(document) if kind and not isinstance(document, LeanDocument) else [],
        calls=lines,
        behind=behind,
    )
    return info if redactor.show else redacted(redactor, info)


def _call_lines(made: Sequence[Call]) -> list[CallLine]:
    ends = {one.index: -1 if one.end is None else one.end for one in made}
    return [
        CallLine(
            one.index, one.method, one.label, one.state, one.result, one.gives_text, one.cause,
            max((ends[before] for before in one.before), default=-1) + 1, one.end, one.number,
            one.seconds, one.tokens.total,
        )
        for one in made
    ]  # fmt: skip


def _checks(document: dict[str, Any]) -> list[Check]:
    found = []
    for flaw in flaws_of(Subject(document)):
        severity = flaw.severity or RULES[flaw.rule].severity
        if severity != ADVICE and not flaw.rule.startswith("lost-"):
            found.append(Check(flaw.rule, severity, flaw.path, flaw.message))
    return sorted(found, key=lambda one: SEVERITIES.index(one.severity))


def redacted(redactor: Redactor, part: Any) -> Any:
    """The same with each text in it redacted, however deep."""
    if is_dataclass(part) and not isinstance(part, type):
        changes = {
            field.name: redacted(redactor, getattr(part, field.name))
            for field in fields(part)
            if field.name not in _AS_IT_IS
        }
        return replace(part, **changes)
    if isinstance(part, str):
        return redactor.text(part)
    if isinstance(part, (list, tuple)) and any(map(is_dataclass, part)):
        return type(part)(redacted(redactor, one) for one in part)
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


def conversation(
    document: Mapping[str, Any], entity: Mapping[str, Any], events: list[Any]
) -> tuple[str | None, str | None]:
    """What an agent without a crew was asked, and what it answered."""
    run = agent_run(document, entity, events)
    return question_text(run.question), run.answer


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
        "fork_point": node.fork_point.checkpoint.id if node.fork_point is not None else None,
    }
