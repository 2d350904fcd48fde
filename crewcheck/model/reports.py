"""The promised JSON shapes as pydantic models: for the schema and the tests.

The commands themselves print plain values, so that a listing needs no pydantic.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class DamageReport(_Shape):
    """What is wrong with a checkpoint; ``offset`` is a byte position."""

    rule: str
    message: str
    offset: int | None


class CheckpointReport(_Shape):
    """One element of ``list --json``. Times are UTC ISO, sizes bytes, null unknown."""

    id: str
    parent_id: str | None
    branch: str
    created_at: str | None
    trigger: str | None
    version: str | None
    kind: str | None
    name: str | None
    done: int | None
    total: int | None
    status: str | None
    size: int | None
    location: str
    damage: DamageReport | None


class WatchReport(CheckpointReport):
    """A line of ``watch --json``; of a removed checkpoint what was known last."""

    type: Literal["added", "changed", "removed"]


class SegmentReport(_Shape):
    """A run, or a fork with the id it left from; its checkpoints from first to last."""

    type: Literal["run", "fork"]
    branch: str
    fork_point: str | None
    status: str | None
    kind: str | None
    name: str | None
    checkpoints: list[CheckpointReport]


class TreeReport(_Shape):
    """What ``tree --json`` prints; ``checkpoints`` and ``foreign`` (files that are none)
    count the whole store, whatever is filtered."""

    store: str
    checkpoints: int
    foreign: int
    segments: list[SegmentReport]


class AttemptReport(_Shape):
    """One element of ``attempts list --json``; ``done`` and ``last_*`` are the newest's."""

    checkpoint_id: str
    branch: str
    attempts: int
    done: int
    last_at: str
    last_outcome: str
    run_id: str
    store: str


class TokensReport(_Shape):
    prompt: int
    completion: int
    total: int
    calls: int


class TaskReport(_Shape):
    index: int
    id: str | None
    name: str | None
    label: str
    agent: str | None
    state: str
    description: str
    expected_output: str
    template: str | None
    expected_template: str | None
    output: str | None
    structured: Any
    output_format: str | None
    tools: list[str]
    is_async: bool
    human_input: bool
    error: str | None
    started_at: str | None
    ended_at: str | None
    seconds: float | None
    tokens: TokensReport


class MethodReport(_Shape):
    name: str
    state: str
    calls: int
    results: list[Any]
    seconds: float | None
    error: str | None
    message: str | None
    started_at: str | None
    tokens: TokensReport


class AgentReport(_Shape):
    id: str | None
    role: str
    goal: str
    backstory: str
    model: str | None
    endpoint: str | None
    tools: list[str]
    allow_delegation: bool
    is_manager: bool


class ChildReport(_Shape):
    id: str
    branch: str


class LineageReport(_Shape):
    parent_id: str | None
    parent_in_store: bool
    root_id: str
    ancestors: int
    children: list[ChildReport]
    fork_point: str | None


class LossReport(_Shape):
    rule: str
    where: str
    message: str


class EditReport(_Shape):
    """What a person has changed: ``path`` is ``inputs.NAME``, ``tasks.N.output``,
    ``methods.CALL.result`` or ``state.PATH``, ``fork_id`` the fork in which it was done."""

    path: str
    new: Any
    fork_id: str


class InfoReport(CheckpointReport):
    """What ``info --json`` prints. Lists are null where the document cannot be read."""

    inputs: dict[str, Any] | None
    placeholders: list[str] | None
    tasks: list[TaskReport] | None
    agents: list[AgentReport] | None
    state: Any
    methods: list[MethodReport] | None
    question: str | None
    answer: str | None
    process: str | None
    events: int | None
    tokens: TokensReport | None
    lineage: LineageReport
    losses: list[LossReport] | None
    edits: list[EditReport] | None
    settings: dict[str, Any] | None
    notes: list[str]
    attempts: int


class SpentReport(_Shape):
    """What the events that only one checkpoint has tell of work."""

    events: int
    tokens: TokensReport
    seconds: float | None


class ChangeReport(_Shape):
    """One thing about an item; ``what`` is empty where the item itself is the value.

    ``edited``: the value of this side (``old`` or ``new``) is a person's edit. ``hidden``:
    the values differ in a secret only.
    """

    what: str
    kind: Literal["added", "removed", "changed"]
    old: Any
    new: Any
    edited: Literal["old", "new"] | None
    hidden: bool


class ItemReport(_Shape):
    """An input, task, agent, ... that differs. ``rule`` is what the two were matched by:
    ``id``, ``name``, ``text`` or ``position``."""

    section: str
    kind: Literal["added", "removed", "changed", "moved"]
    label: str
    path: str
    rule: str | None
    old_index: int | None
    new_index: int | None
    changes: list[ChangeReport]


class OperationReport(BaseModel):
    """An operation of a JSON patch (RFC 6902); ``value`` is missing in ``remove``."""

    op: Literal["add", "remove", "replace"]
    path: str
    value: Any = None


class DiffReport(_Shape):
    """What ``diff --json`` prints.

    ``patch`` makes the new document of the old one: with ``all`` (and ``--show-secrets``)
    of the documents as they are, else of what is left of them without ids, times and
    whatever else is another in each run (there ``event_record`` holds ``types`` and
    ``tokens``, and ``entities`` only what a user started). ``summary`` counts the items of
    each section that has some.
    """

    old: CheckpointReport
    new: CheckpointReport
    same: bool
    all: bool
    notes: list[str]
    spent: dict[Literal["old", "new"], SpentReport]
    summary: dict[str, dict[Literal["added", "removed", "changed", "moved"], int]]
    items: list[ItemReport]
    patch: list[OperationReport]


class ToolCallReport(_Shape):
    """A tool that a model asked for; ``arguments`` as JSON where they could be read."""

    id: str | None
    name: str
    arguments: Any


class MessageReport(_Shape):
    """One message; ``content`` is a text, or a list of parts where some are no text."""

    role: str
    content: Any
    name: str | None
    tool_calls: list[ToolCallReport]
    call_id: str | None


class ConversationReport(_Shape):
    """The messages of a task and agent, a method, or an agent alone.

    ``task`` counts from 0, as ``index`` of a task does. ``source`` is ``output``,
    ``calls`` or ``executor``: where in the document they are.
    """

    label: str
    task: int | None
    agent: str | None
    model: str | None
    source: str
    messages: list[MessageReport]
    calls: int
    tokens: TokensReport
    seconds: float | None
    error: str | None


class EventReport(_Shape):
    number: int
    type: str
    time: str | None
    subject: str
    detail: str
    seconds: float | None
    tokens: int | None
    depth: int
    id: str | None


class ShareReport(_Shape):
    """What one task, method, agent or model took; null: no named one."""

    name: str | None
    runs: int
    seconds: float | None
    tokens: TokensReport


class TimelineReport(_Shape):
    began: str | None
    ended: str | None
    seconds: float | None
    events: list[EventReport]
    tasks: list[ShareReport]
    methods: list[ShareReport]
    agents: list[ShareReport]
    models: list[ShareReport]


class NodeReport(_Shape):
    """A method of a flow. ``state`` is ``done``, ``failed``, ``paused``, ``running``, ``next``,
    ``may come`` or ``not taken``; ``kind`` null where the class is not known. ``waits_for``
    are methods and labels, null where unknown; ``all_of``: it waits for each of them."""

    name: str
    kind: str | None
    state: str
    calls: int
    waits_for: list[str] | None
    all_of: bool


class EdgeReport(_Shape):
    """From a method to one that listens to it. ``back``: it closes a loop."""

    source: str
    target: str
    label: str | None
    taken: bool
    back: bool


class GraphReport(_Shape):
    """A flow as a graph; ``class_known`` false: only what ran is in it."""

    class_known: bool
    methods: list[NodeReport]
    edges: list[EdgeReport]


class ShowReport(_Shape):
    """What ``show --json`` prints: the checkpoint, and a key for each option given."""

    id: str
    branch: str
    location: str
    task: TaskReport | None = None
    method: MethodReport | None = None
    inputs: dict[str, Any] | None = None
    graph: GraphReport | None = None
    state: Any = None
    agents: list[AgentReport] | None = None
    messages: list[ConversationReport] | None = None
    events: TimelineReport | None = None


class FindingReport(_Shape):
    """One element of ``verify --json``.

    ``id`` null: it concerns the store at ``location``. ``path`` is a JSON path in the
    document, ``offset`` a byte position; ``checkpoints`` counts those that have the same,
    of which the newest is named. Findings of ``damage`` are never put together.
    """

    severity: Literal["damage", "warning", "advice"]
    rule: str
    id: str | None
    path: str | None
    offset: int | None
    message: str
    remedy: str
    location: str
    checkpoints: int


class RuleReport(_Shape):
    """One element of ``verify --rules --json``."""

    rule: str
    severity: Literal["damage", "warning", "advice"]
    meaning: str
    remedy: str
