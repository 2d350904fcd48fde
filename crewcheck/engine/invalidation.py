"""Which tasks of a crew a fork or resume keeps, and which it runs.

Stdlib only and Python 3.10: the child uses it on the user's own tasks, whose ``context``
lists it sees, crewcheck's own process on what a document tells. A task whose dependencies
are not known counts as dependent on all tasks before it.

A changed output makes the finished tasks run again that have it in their prompt, and so
on through what runs again. A task that is pending changes nothing: what is finished was
made without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from typing import Any

KEEP, RUN = "keep", "run"

#: State of a task's work, as the checkpoint has it.
DONE, UNDER_WAY, FAILED = "done", "under-way", "failed"
PENDING, SKIPPED = "pending", "skipped"


@dataclass(frozen=True)
class TaskFacts:
    """What must be known of a task.

    ``depends_on``: positions of the tasks whose outputs its prompt holds, None where that
    is not known. ``names``: the inputs that its texts and its agent's name, None where
    not known (then any changed input concerns it). ``differs``: why what was recorded of it
    is not what it would give now, in words; empty where nothing speaks against it.
    """

    index: int
    state: str = PENDING
    depends_on: Set[int] | None = None
    names: frozenset[str] | None = None
    label: str = ""
    certain: bool = True
    differs: str = ""

    @property
    def shown(self) -> str:
        """What a person calls it."""
        return self.label or f"task {self.index + 1}"


@dataclass(frozen=True)
class Wishes:
    """What a person wants to be different.

    ``outputs``: tasks with an edited output; ``inputs``: names of changed inputs;
    ``rerun``: run although nothing else asks for it; ``keep``: keep although something
    it depends on has changed.
    """

    outputs: frozenset[int] = field(default_factory=frozenset)
    inputs: frozenset[str] = field(default_factory=frozenset)
    rerun: frozenset[int] = field(default_factory=frozenset)
    keep: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Decision:
    """``action`` is ``keep`` or ``run``. ``rule`` is the reason for programs: ``recorded``,
    ``edited``, ``kept-by-wish``, ``skipped`` (keep), ``pending``, ``under-way``, ``failed``,
    ``rerun-by-wish``, ``task-changed``, ``input-changed``, ``depends-on-changed`` (run).
    ``tasks`` and ``inputs`` are what the rule is about, ``reason`` is the same in words.
    """

    index: int
    label: str
    action: str
    rule: str
    reason: str
    tasks: tuple[int, ...] = ()
    inputs: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As it stands in a plan."""
        return {**asdict(self), "tasks": list(self.tasks), "inputs": list(self.inputs)}


def decide(tasks: Sequence[TaskFacts], wishes: Wishes | None = None) -> list[Decision]:
    """For each task, in order, whether it is kept or run, and why."""
    want = wishes or Wishes()
    labels = {task.index: task.shown for task in tasks}
    decisions: list[Decision] = []
    changed: set[int] = set()  # positions whose output is, or will be, another one
    for task in tasks:
        because = _changed_before(task, changed)
        names = _changed_names(task, want.inputs)
        decision = _decide(task, want, because, names, labels)
        if decision.rule == "edited" or (decision.action == RUN and task.state in (DONE, SKIPPED)):
            changed.add(task.index)
        decisions.append(decision)
    return decisions


def _changed_before(task: TaskFacts, changed: Set[int]) -> tuple[int, ...]:
    """The changed tasks whose outputs a task's prompt holds."""
    if task.depends_on is None:
        return tuple(sorted(index for index in changed if index < task.index))
    return tuple(sorted(task.depends_on & changed))


def _changed_names(task: TaskFacts, inputs: frozenset[str]) -> tuple[str, ...]:
    if task.names is None:
        return tuple(sorted(inputs))
    return tuple(sorted(task.names & inputs))


def _decide(
    task: TaskFacts,
    want: Wishes,
    because: tuple[int, ...],
    names: tuple[str, ...],
    labels: Mapping[int, str],
) -> Decision:
    def made(action: str, rule: str, reason: str, **about: Any) -> Decision:
        return Decision(task.index, task.shown, action, rule, reason, **about)

    if task.index in want.outputs:
        return made(KEEP, "edited", "its output is yours")
    if task.state == UNDER_WAY:
        return made(RUN, "under-way", "it was under way and starts anew")
    if task.state == FAILED:
        return made(RUN, "failed", "it had failed and is tried again")
    if task.state == PENDING:
        return made(RUN, "pending", "it has not been done")
    if task.index in want.rerun:
        return made(RUN, "rerun-by-wish", "you asked to run it again")
    if not because and not names and not task.differs:
        if task.state == SKIPPED:
            return made(KEEP, "skipped", "its condition had skipped it")
        return made(KEEP, "recorded", "it is done, and nothing that it depends on changes")
    if task.index in want.keep:
        return made(KEEP, "kept-by-wish", "you asked to keep it", tasks=because, inputs=names)
    if task.differs:
        return made(RUN, "task-changed", task.differs, tasks=because, inputs=names)
    if names:
        return made(RUN, "input-changed", _names_changed(names, task), tasks=because, inputs=names)
    return made(RUN, "depends-on-changed", _outputs_changed(because, task, labels), tasks=because)


def _names_changed(names: tuple[str, ...], task: TaskFacts) -> str:
    listed = ", ".join(names)
    said = f"input {listed}, which changes" if len(names) == 1 else f"inputs {listed}, which change"
    return f"it may use the {said}" if task.names is None else f"it uses the {said}"


def _outputs_changed(because: tuple[int, ...], task: TaskFacts, labels: Mapping[int, str]) -> str:
    named = ", ".join(labels.get(index, f"task {index + 1}") for index in because)
    verb = "changes" if len(because) == 1 else "change"
    if task.depends_on is None or not task.certain:
        return f"it may depend on {named}, which {verb}"
    return f"it depends on {named}, which {verb}"


def to_run(decisions: Iterable[Decision]) -> list[int]:
    """The positions that are run."""
    return [decision.index for decision in decisions if decision.action == RUN]


def not_kept(decisions: Iterable[Decision]) -> list[int]:
    """The positions whose recording goes: what is run again, and what nothing leads to."""
    return [decision.index for decision in decisions if decision.action != KEEP]


def to_keep(decisions: Iterable[Decision]) -> list[int]:
    """The positions that answer from the recording."""
    return [decision.index for decision in decisions if decision.action == KEEP]
