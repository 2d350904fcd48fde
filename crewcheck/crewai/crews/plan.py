"""What a run would do, said before it does it; and what it was then told to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crewcheck.crewai.crews import facts, match
from crewcheck.crewai.crews.recording import parse_edited
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.invalidation import (
    DONE,
    FAILED,
    SKIPPED,
    UNDER_WAY,
    Decision,
    Wishes,
    decide,
    to_keep,
    to_run,
)
from crewcheck.model.crew import placeholders
from crewcheck.model.edits import Edits, changed_inputs
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message


@dataclass
class Order:
    """What ``go`` said, checked: this is what runs."""

    keep: frozenset[int]
    outputs: dict[int, str]
    inputs: dict[str, Any] | None
    fresh: frozenset[int]


@dataclass
class Plan:
    """``items`` decide each task; ``changed`` are differences that were accepted."""

    items: list[Decision]
    changed: list[str]
    warnings: list[dict[str, str]] = field(default_factory=list)
    losses: list[dict[str, str]] = field(default_factory=list)


def refuse_crew(crew: Any) -> None:
    """Say no to what the user's crew has and a replay would get wrong."""
    process = getattr(crew.process, "value", crew.process)
    if process != "sequential":
        raise Refusal(
            "process-not-supported",
            f"this crew's process is {process}, and only sequential crews can be resumed so far",
        )
    for key, what in (
        ("planning", "plans before it works"),
        ("memory", "has a memory"),
        ("stream", "streams its answers"),
    ):
        if getattr(crew, key, None):
            raise Refusal(
                f"{key}-not-supported", f"this crew {what}, and such crews cannot be resumed so far"
            )
    for task in crew.tasks:
        if getattr(task.agent, "memory", None):
            raise Refusal(
                "memory-not-supported",
                f"the agent {task.agent.role.strip()} has a memory, and such crews cannot be "
                "resumed so far",
            )
        if task.agent is None:
            raise Refusal(
                "no-agent", f"the task {task.name or task.description[:40]!r} has no agent"
            )


def wishes_of(edits: Edits, saved: SavedCrew) -> Wishes:
    """A person's edits as `invalidation` takes them."""
    return Wishes(
        frozenset(edits.outputs),
        frozenset(changed_inputs(saved.inputs, edits)),
        frozenset(edits.rerun),
        frozenset(edits.keep),
    )


def edits_of(spec: RunSpec, saved: SavedCrew) -> Edits:
    """The edits that the run was started with."""
    total = len(saved.tasks)

    def position(value: object) -> int:
        if not isinstance(value, (int, str)) or not str(value).isdecimal() or int(value) >= total:
            raise Refusal("no-such-task", f"this crew has no task at position {value}")
        return int(value)

    return Edits(
        inputs=dict(spec.inputs),
        outputs={position(key): value for key, value in spec.outputs.items()},
        rerun={position(value) for value in spec.rerun},
        keep={position(value) for value in spec.keep},
    )


def make(crew: Any, saved: SavedCrew, edits: Edits, allow_changed: bool) -> Plan:
    """Compare, decide, and name what is lost. Raises `Refusal`."""
    refuse_crew(crew)
    differences = match.compare(crew, saved)
    changed = match.accept(differences, saved, len(crew.tasks), allow_changed)
    items = decide(facts.task_facts(crew, saved.states), wishes_of(edits, saved))
    for index, raw in edits.outputs.items():
        parse_edited(crew.tasks[index], raw, saved.label(index))
    _check_inputs(crew, saved, edits.inputs)
    run = to_run(items)
    plan = Plan(items, changed, match.warnings(crew, saved, run))
    plan.losses += _losses(crew, saved, edits, to_keep(items), run)
    return plan


def order(message: Message, crew: Any, saved: SavedCrew) -> Order:
    """What ``go`` says, checked against what can be done. Raises `Refusal`."""
    total = len(crew.tasks)
    outputs = {int(key): str(value) for key, value in dict(message.get("outputs") or {}).items()}
    keep = {int(value) for value in message.get("keep") or []} | set(outputs)
    for index in sorted(keep):
        if index >= total or (index not in outputs and index >= len(saved.states)):
            raise Refusal("no-such-task", f"this crew has no task at position {index}")
        if index not in outputs and saved.tasks[index].get("output") is None:
            if saved.states[index] == SKIPPED:
                continue  # its condition is asked again
            raise Refusal("nothing-to-keep", f"{saved.label(index)} has no result to keep")
    for index, raw in outputs.items():
        parse_edited(crew.tasks[index], raw, saved.label(index))
    given = message.get("inputs") or {}
    _check_inputs(crew, saved, given)
    inputs = {**(saved.inputs or {}), **given} if given or saved.inputs is not None else None
    recorded = {index for index in keep if index in outputs or saved.states[index] == DONE}
    return Order(
        keep=frozenset(recorded),
        outputs=outputs,
        inputs=inputs,
        fresh=frozenset(int(value) for value in message.get("fresh") or []),
    )


def _check_inputs(crew: Any, saved: SavedCrew, given: Mapping[str, Any]) -> None:
    """Edited inputs must fill every template: CrewAI would stop in the middle."""
    inputs = {**(saved.inputs or {}), **given}
    if not given or not inputs:
        return
    texts = [facts.template(task, part) for task in crew.tasks for part in _TASK_TEXTS]
    texts += [facts.agent_template(one, part) for one in crew.agents for part in _AGENT_TEXTS]
    missing = [name for name in placeholders(*texts) if name not in inputs]
    if missing:
        raise Refusal(
            "inputs-missing", f"the texts ask for inputs that are not given: {', '.join(missing)}"
        )


_TASK_TEXTS = ("description", "expected_output", "output_file")
_AGENT_TEXTS = ("role", "goal", "backstory")


def _losses(
    crew: Any, saved: SavedCrew, edits: Edits, keep: list[int], run: list[int]
) -> list[dict[str, str]]:
    """What the replay cannot bring back."""
    found: list[dict[str, str]] = []

    def lose(rule: str, where: str, message: str) -> None:
        found.append({"rule": rule, "where": where, "message": message})

    if crew.before_kickoff_callbacks:
        lose(
            "before-kickoff",
            "",
            "the callbacks before the kickoff are not called again: the recorded inputs are "
            "what they returned",
        )
    for index in run:
        begun = index < len(saved.states) and saved.states[index] in (UNDER_WAY, FAILED)
        if begun and facts.tool_names(crew.tasks[index]):
            lose("tools-again", saved.label(index), "it starts anew and may call its tools again")
    for index in keep:
        if index in edits.outputs and crew.tasks[index].output_file:
            lose("output-file", saved.label(index), "the file that it had written is left as it is")
    return found
