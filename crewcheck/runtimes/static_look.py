"""Which object of a project made a checkpoint: found by reading the project's text.

Nothing is imported, so nothing of the user's runs, and what cannot be told this way is
said to be unknown. The same project gives the same answer each time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from crewcheck.model.crew import Task, placeholders
from crewcheck.model.identity import fill
from crewcheck.runtimes.static_classes import crew_of
from crewcheck.runtimes.static_flows import Step
from crewcheck.runtimes.static_project import Module, StaticProject
from crewcheck.runtimes.static_values import (
    IMPLICIT,
    AgentValue,
    ClassValue,
    CrewValue,
    FunctionValue,
    TaskValue,
)


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """A task as the project's text has it; None where that cannot be told.

    ``depends_on`` are the positions whose outputs its prompt holds, ``names`` the inputs
    that its own templates and its agent's name.
    """

    name: str | None
    template: str | None
    expected_template: str | None
    depends_on: frozenset[int] | None
    names: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object of the project that can be run.

    ``entry`` is its ``module:attr``. ``tasks`` are a crew's, None where they cannot be
    told; ``steps`` a flow's. ``starts_in`` is the file that would start a run if the
    module were imported: such an entry is not for importing, but for ``--script``.
    """

    entry: str
    kind: str
    file: str
    line: int
    name: str | None = None
    tasks: tuple[TaskTexts, ...] | None = None
    steps: tuple[Step, ...] = ()
    starts_in: str | None = None

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of a flow's steps."""
        return tuple(step.name for step in self.steps)

    @property
    def can_be_imported(self) -> bool:
        return self.starts_in is None


@dataclass(slots=True)
class Look:
    """What a look at a project found, in the order of its files."""

    candidates: list[Candidate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def look_at(folder: str, roots: Sequence[str] = ()) -> Look:
    """The crews and flows of a project. ``roots`` are the folders that go on sys.path."""
    project = StaticProject(folder, roots)
    look = Look(notes=project.notes)
    seen: dict[tuple[str, int, int], int] = {}
    for module in project.modules.values():
        if module.worth_parsing():
            for candidate, place in _candidates(project, module):
                # the same crew under several names: the first that can be imported
                if place not in seen:
                    seen[place] = len(look.candidates)
                    look.candidates.append(candidate)
                elif candidate.can_be_imported > look.candidates[seen[place]].can_be_imported:
                    look.candidates[seen[place]] = candidate
        if module.problem is not None:
            look.notes.append(f"{project.shown(module.path)} was not read: {module.problem}")
    return look


def _candidates(
    project: StaticProject, module: Module
) -> list[tuple[Candidate, tuple[str, int, int]]]:
    reader = project.read(module)
    if reader is None:
        return []
    found: list[tuple[int, Candidate, tuple[str, int, int]]] = []
    starts_in: str | None = None
    looked = False
    for attr, value in reader.scope.names.items():
        if attr in reader.imported or attr.startswith("__"):
            continue
        rank, made = _made(value)
        if made is None:
            continue
        if not looked:
            starting = project.starts_on_import(module)
            starts_in = project.shown(starting) if starting is not None else None
            looked = True
        candidate = Candidate(
            entry=f"{module.name}:{attr}",
            kind="crew" if isinstance(made, CrewValue) else "flow",
            file=project.shown(module.path),
            line=made.place[1],
            name=made.name,
            tasks=_texts(made) if isinstance(made, CrewValue) else None,
            steps=made.steps if isinstance(made, ClassValue) else (),
            starts_in=starts_in,
        )
        found.append((rank, candidate, made.place))
    # objects first, then classes, then functions; those of a kind as the file has them
    return [(candidate, place) for _, candidate, place in sorted(found, key=lambda one: one[0])]


def _made(value: Any) -> tuple[int, CrewValue | ClassValue | None]:
    """What a module's name stands for: a crew or a flow, and how directly."""
    if isinstance(value, CrewValue):
        return 0, value
    if isinstance(value, ClassValue) and value.kind == "flow":
        return 1, value
    made: Any = None
    if isinstance(value, ClassValue) and value.kind == "crew":
        with suppress(RecursionError):
            made = crew_of(value)
    elif isinstance(value, FunctionValue) and not value.needs_arguments:
        with suppress(RecursionError):
            made = value.call([], {})
    return 2, made if isinstance(made, CrewValue) else None


def _texts(crew: CrewValue) -> tuple[TaskTexts, ...] | None:
    tasks = crew.tasks
    if not isinstance(tasks, list) or any(not isinstance(one, TaskValue) for one in tasks):
        return None
    positions: dict[int, int] = {}
    for place, task in enumerate(tasks):
        positions.setdefault(id(task), place)
    return tuple(
        TaskTexts(
            name=task.name,
            template=task.description,
            expected_template=task.expected_output,
            depends_on=_depends_on(place, task, positions),
            names=_names(task),
        )
        for place, task in enumerate(tasks)
    )


def _depends_on(place: int, task: TaskValue, positions: Mapping[int, int]) -> frozenset[int] | None:
    context = task.context
    if context is IMPLICIT:
        return frozenset(range(place))
    if context is None:
        return frozenset()
    if not isinstance(context, list) or any(id(one) not in positions for one in context):
        return None
    return frozenset(positions[id(one)] for one in context)


def _names(task: TaskValue) -> frozenset[str] | None:
    agent = task.agent
    if not isinstance(agent, AgentValue):
        return None
    texts = (task.description, task.expected_output, *agent.texts)
    if any(one is None for one in texts):
        return None
    return frozenset(placeholders(*texts))


# Which of them made a checkpoint.


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate that fits. ``certain``: all of its texts are known, and are the same."""

    candidate: Candidate
    certain: bool


def match_crew(
    look: Look,
    tasks: Sequence[Task],
    inputs: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> list[Match]:
    """The crews whose tasks are a checkpoint's. Certain ones leave no room for the others.

    A crew of whose texts none can be told matches, uncertainly, if it has a name and it is
    the checkpoint's. Of several, the name and the expected outputs choose, if they can.
    """
    found = []
    for candidate in look.candidates:
        if candidate.kind != "crew":
            continue
        fits = [_UNKNOWN]
        if candidate.tasks is not None:
            if len(candidate.tasks) != len(tasks):
                continue
            pairs = zip(candidate.tasks, tasks, strict=True)
            fits = [_fits(ours, saved, inputs or {}) for ours, saved in pairs]
        if _OTHER in fits:
            continue
        if {_SAME, _BEGINS} & set(fits) or (name is not None and candidate.name == name):
            found.append(Match(candidate, set(fits) == {_SAME}))
    found = _those(found, lambda one: one.certain)
    found = _those(found, lambda one: one.candidate.name == name)
    return _those(found, lambda one: _expects(one.candidate, tasks, inputs or {}))


def _those(matches: list[Match], wanted: Callable[[Match], bool]) -> list[Match]:
    """Those that are wanted, all if none is."""
    return [one for one in matches if wanted(one)] or matches


_SAME, _BEGINS, _UNKNOWN, _OTHER = "same", "begins", "unknown", "other"


def _fits(ours: TaskTexts, saved: Task, inputs: Mapping[str, Any]) -> str:
    """How a task of the project goes with one of a checkpoint."""
    if ours.template is None:
        return _UNKNOWN
    if saved.template is not None:
        return _SAME if ours.template.strip() == saved.template.strip() else _OTHER
    description = saved.description.strip()
    texts = {ours.template.strip(), fill(ours.template, inputs).strip()}
    if description in texts:
        return _SAME
    # planning appends the plan to a description
    return _BEGINS if any(one and description.startswith(one) for one in texts) else _OTHER


def _expects(candidate: Candidate, tasks: Sequence[Task], inputs: Mapping[str, Any]) -> bool:
    """Whether a crew's expected outputs are a checkpoint's."""
    return all(
        ours.expected_template is not None
        and (
            ours.expected_template.strip() == (saved.expected_template or "").strip()
            or fill(ours.expected_template, inputs).strip() == saved.expected_output.strip()
        )
        for ours, saved in zip(candidate.tasks or (), tasks, strict=False)
    )


def match_flow(look: Look, name: str | None, methods: Sequence[str]) -> list[Match]:
    """The flows that have a checkpoint's methods; by its class's name, where one has it."""
    found = [
        one
        for one in look.candidates
        if one.kind == "flow" and one.methods and set(methods) <= set(one.methods)
    ]
    named = [one for one in found if name is not None and one.name == name]
    return [Match(one, True) for one in named] or [Match(one, False) for one in found]
