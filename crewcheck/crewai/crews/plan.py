"""What a run would do, said before it does it; and what it was then told to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crewcheck.crewai.crews import facts, losses, match, planning, warnings
from crewcheck.crewai.crews.pairing import Pairing
from crewcheck.crewai.crews.recording import parse_edited
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.invalidation import SKIPPED, Decision, Wishes, decide, to_run
from crewcheck.model.crew import placeholders
from crewcheck.model.edits import Edits, changed_inputs
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message


@dataclass
class Order:
    """What ``go`` said, checked: this is what runs. Positions are in the project; ``skip``
    are conditional tasks that stay skipped, ``changed`` the names of inputs that differ."""

    keep: frozenset[int]
    skip: frozenset[int]
    outputs: dict[int, str]
    inputs: dict[str, Any] | None
    changed: frozenset[str]
    fresh: frozenset[int]


@dataclass
class Plan:
    """``items`` decide each task; ``changed`` are differences that were accepted."""

    items: list[Decision]
    changed: list[str]
    warnings: list[dict[str, str]] = field(default_factory=list)
    losses: list[dict[str, Any]] = field(default_factory=list)


def edits_of(spec: RunSpec, saved: SavedCrew) -> Edits:
    """The edits that the run was started with, by positions in the checkpoint."""
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


def edits_here(edits: Edits, pairing: Pairing, saved: SavedCrew) -> Edits:
    """The same edits by positions in the project. Raises `Refusal`."""
    for old in sorted({*edits.outputs, *edits.rerun, *edits.keep}):
        if old >= len(saved.tasks):
            raise Refusal("no-such-task", f"this crew has no task at position {old}")
        if old in pairing.gone:
            raise Refusal("no-such-task", f"the project has no task {saved.label(old)} any more")

    def here(olds: Iterable[int]) -> set[int]:
        return {index for index, old in enumerate(pairing.old) if old in set(olds)}

    return Edits(
        inputs=dict(edits.inputs),
        outputs={
            index: edits.outputs[old]
            for index, old in enumerate(pairing.old)
            if old is not None and old in edits.outputs
        },
        rerun=here(edits.rerun),
        keep=here(edits.keep),
    )


def make(crew: Any, saved: SavedCrew, pairing: Pairing, edits: Edits, allow_changed: bool) -> Plan:
    """Compare, decide, and name what is lost. Raises `Refusal`.

    ``edits`` are by positions in the project, as all of the plan is.
    """
    lines = match.compare(crew, saved, pairing)
    changed = match.accept(lines, saved, pairing, allow_changed)
    differs = match.not_as_recorded(crew, saved, pairing)
    wishes = Wishes(
        frozenset(edits.outputs),
        frozenset(changed_inputs(saved.inputs, edits)),
        frozenset(edits.rerun),
        frozenset(edits.keep),
    )
    items = decide(facts.task_facts(crew, pairing.states(saved), differs), wishes)
    for index, raw in edits.outputs.items():
        parse_edited(crew.tasks[index], raw, facts.label(crew, index))
    _check_inputs(crew, saved, edits.inputs, changed=bool(changed))
    plan = Plan(items, changed, warnings.of(crew, saved, pairing, to_run(items)))
    if planning.asks_again(crew, saved, pairing, wishes.inputs):
        plan.warnings.append(planning.WARNING)
    plan.losses += losses.of(crew, saved, pairing, edits, items)
    return plan


def order(message: Message, crew: Any, saved: SavedCrew, pairing: Pairing) -> Order:
    """What ``go`` says, checked against what can be done. Raises `Refusal`."""
    total, states = len(crew.tasks), pairing.states(saved)
    said = {int(key): str(value) for key, value in dict(message.get("outputs") or {}).items()}
    outputs = edits_here(Edits(outputs=said), pairing, saved).outputs
    keep = {int(value) for value in message.get("keep") or []} | set(outputs)
    skip = set()
    for index in sorted(keep):
        if index >= total:
            raise Refusal("no-such-task", f"this crew has no task at position {index}")
        if index not in outputs and pairing.task(saved, index).get("output") is None:
            if states[index] != SKIPPED:
                raise Refusal(
                    "nothing-to-keep", f"{facts.label(crew, index)} has no result to keep"
                )
            skip.add(index)
    for index, raw in outputs.items():
        parse_edited(crew.tasks[index], raw, facts.label(crew, index))
    given = message.get("inputs") or {}
    _check_inputs(crew, saved, given)
    inputs = {**(saved.inputs or {}), **given} if given or saved.inputs is not None else None
    return Order(
        keep=frozenset(keep - skip),
        skip=frozenset(skip),
        outputs=outputs,
        inputs=inputs,
        changed=frozenset(changed_inputs(saved.inputs, Edits(inputs=dict(given)))),
        fresh=frozenset(int(value) for value in message.get("fresh") or []),
    )


def _check_inputs(
    crew: Any, saved: SavedCrew, given: Mapping[str, Any], *, changed: bool = False
) -> None:
    """Edited inputs, and those of a changed project, must fill every template: CrewAI would
    stop in the middle."""
    inputs = {**(saved.inputs or {}), **given}
    if not (given or changed) or not inputs:
        return
    texts = [facts.template(task, part) for task in crew.tasks for part in facts.TASK_TEXTS]
    texts += [facts.agent_template(one, part) for one in crew.agents for part in facts.AGENT_TEXTS]
    missing = [name for name in placeholders(*texts) if name not in inputs]
    if missing:
        raise Refusal(
            "inputs-missing",
            f"the texts ask for inputs that are not given: {', '.join(missing)}",
            f"give them to a fork: --input {missing[0]}=...",
        )
