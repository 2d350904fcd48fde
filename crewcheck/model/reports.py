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


class ChangeReport(CheckpointReport):
    """A line of ``watch --json``; of a removed checkpoint what was known last."""

    type: Literal["added", "changed", "removed"]


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
    settings: dict[str, Any] | None
    notes: list[str]
