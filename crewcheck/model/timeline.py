"""What happened when, and what it cost: the events in order, and sums of time and tokens.

A model call counts for the task it happened in, also where an agent has handed the work
on to another one, and for the method of a flow that ran the crew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crewcheck.model.crew import label_of
from crewcheck.model.document import mapping, objects, text
from crewcheck.model.events import EventLine, Tokens, lines, seconds_between, tokens_of
from crewcheck.model.scopes import Scopes

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Spent:
    """What one task, method, agent or model took.

    ``name`` is None for calls that no agent, or no named model, made. ``runs`` are those that
    have begun, ``seconds`` the sum of those that have ended (of a model: of its calls).
    """

    name: str | None
    runs: int
    seconds: float | None
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Timeline:
    """``seconds`` are those from the first event to the last. Tasks are in their order,
    the others in that of their first event. Only what the record holds is counted."""

    began: str | None
    ended: str | None
    seconds: float | None
    events: tuple[EventLine, ...]
    tasks: tuple[Spent, ...]
    methods: tuple[Spent, ...]
    agents: tuple[Spent, ...]
    models: tuple[Spent, ...]


class _Sums:
    """Sums by a key, in the order in which the keys came."""

    def __init__(self) -> None:
        self.found: dict[str, list[Any]] = {}

    def add(
        self, key: str, *, run: bool = False, took: float | None = None, spent: Tokens | None = None
    ) -> None:
        """Take a run that begins, a time, or tokens."""
        sums = self.found.setdefault(key, [0, None, Tokens()])
        sums[0] += run
        if took is not None:
            sums[1] = (sums[1] or 0.0) + took
        if spent is not None:
            sums[2] += spent

    def spent(self, names: Mapping[str, str] | None = None) -> tuple[Spent, ...]:
        return tuple(
            Spent((names or {}).get(key, key) or None, *sums) for key, sums in self.found.items()
        )


def timeline(entity: Mapping[str, Any], events: list[Event]) -> Timeline:
    """The timeline of a document. ``events`` must be sorted."""
    scopes = Scopes(events)
    tasks, methods, agents, models = _Sums(), _Sums(), _Sums(), _Sums()
    labels = _task_labels(entity, events)
    for task_id in labels:
        tasks.add(task_id)
    for event in events:
        kind = text(event.get("type")) or ""
        took = scopes.seconds(event)
        if kind.startswith("task_") and (of := text(event.get("task_id"))) in labels:
            tasks.add(of, run=kind == "task_started", took=took)
        elif kind.startswith("method_execution_"):
            _take_method(methods, scopes, event, kind, took)
        elif kind.startswith(("agent_execution_", "lite_agent_execution_")):
            agents.add(_role(event), run=kind.endswith("_started"), took=took)
        elif kind.startswith("llm_call_"):
            spent = tokens_of(event)
            models.add(
                text(event.get("model")) or "", run=kind.endswith("_started"), took=took,
                spent=spent,
            )  # fmt: skip
            if not spent.calls:
                continue
            agents.add(text(event.get("agent_role")) or "", spent=spent)
            if (of := scopes.task(event, labels)) is not None:
                tasks.add(of, spent=spent)
            if (method := scopes.method(event)) is not None:
                methods.add(method, spent=spent)
    shown = lines(events)
    began, ended = (shown[0].time, shown[-1].time) if shown else (None, None)
    return Timeline(
        began=began,
        ended=ended,
        seconds=seconds_between(began, ended) if shown else None,
        events=tuple(shown),
        tasks=tasks.spent(labels),
        methods=methods.spent(),
        agents=agents.spent(),
        models=models.spent(),
    )


def _task_labels(entity: Mapping[str, Any], events: list[Event]) -> dict[str, str]:
    """The tasks by their ids: the crew's own, else those that the events tell of."""
    if entity.get("entity_type") == "crew":
        return {
            one: label_of(task, index)
            for index, task in enumerate(objects(entity.get("tasks")))
            if (one := text(task.get("id")))
        }
    return {
        one: text(event.get("task_name")) or "task"
        for event in events
        if event.get("type") == "task_started" and (one := text(event.get("task_id")))
    }


def _take_method(
    methods: _Sums, scopes: Scopes, event: Event, kind: str, took: float | None
) -> None:
    name = text(event.get("method_name"))
    if name and not scopes.is_internal(event):
        methods.add(name, run=kind.endswith("_started"), took=took)


def _role(event: Event) -> str:
    for holder in ("agent_info", "agent"):
        if role := text(mapping(event.get(holder)).get("role")):
            return role
    return text(event.get("agent_role")) or ""
