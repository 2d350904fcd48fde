"""Which object of a project made a checkpoint: found by reading the project's text.

Nothing is imported, so nothing of the user's runs, and what cannot be told this way is
said to be unknown. The same project gives the same answer each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from crewcheck.model.crew import placeholders
from crewcheck.runtimes.static_classes import crew_of
from crewcheck.runtimes.static_declared import declared
from crewcheck.runtimes.static_project import Module, StaticProject
from crewcheck.runtimes.static_values import (
    IMPLICIT,
    UNKNOWN,
    AgentValue,
    Bound,
    ClassValue,
    CrewValue,
    FlowValue,
    FunctionValue,
    Instance,
    Step,
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
    """An object of the project that can be run: a ``crew``, a ``flow`` or an ``agent``.

    ``entry`` is its ``module:attr``, or the file that declares it, from the project's folder;
    empty where no name of a module leads to it: it is made while a program runs. ``root`` is a
    folder that must be on sys.path for that beside the project's own; then the entry is
    ``FILE.py:attr``, from the project's folder.

    ``tasks`` are a crew's, None where they cannot be told; ``agent`` are an agent's role, goal
    and backstory; ``steps`` a flow's, all of them if it is ``complete``, and ``label`` the name
    that it gives itself. ``starts_in`` is the file that would start a run if the module were
    imported, or makes what has no entry: such an object is not for importing, but for
    ``--script``. ``note`` is what a person should know of it.
    """

    entry: str
    kind: str
    file: str
    line: int
    name: str | None = None
    tasks: tuple[TaskTexts, ...] | None = None
    steps: tuple[Step, ...] = ()
    complete: bool = True
    label: str | None = None
    agent: tuple[str | None, ...] = ()
    root: str | None = None
    starts_in: str | None = None
    note: str = ""

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


def look_at(folder: str, roots: Sequence[str] = (), name: str | None = None) -> Look:
    """The crews, flows and agents of a project. ``roots`` are the folders that go on
    sys.path.

    With a ``name`` only the modules that mention it are read, and those that build on what is
    in them: of a big project that takes a small part of the time.
    """
    project = StaticProject(folder, roots)
    seen = project.folder, tuple(roots), name, project.signature()
    if seen not in _looks:
        look = _look(project, name)
        while len(_looks) >= _MOST_LOOKS:
            _looks.pop(next(iter(_looks)), None)
        _looks[seen] = look
    return _looks.get(seen) or _look(project, name)


#: The last looks: the same project is asked for its plan, and for its entry.
_looks: dict[Any, Look] = {}
_MOST_LOOKS = 4


def root_for(folder: str, roots: Sequence[str], file: str) -> str | None:
    """The folder that a file of a project needs on sys.path, None where the project's will
    do."""
    project = StaticProject(folder, roots)
    module = project.module_at(file)
    return project.needs(module) if module is not None else None


def _look(project: StaticProject, name: str | None) -> Look:
    found = _Found(project)
    modules = list(project.modules.values())
    wanted = name.encode("utf-8", "surrogatepass") if name is not None else b""
    read = [one for one in modules if (wanted in one.bytes() if wanted else one.worth_parsing())]
    for module in read:
        found.take(module)
    # what is built upon them may name nothing of CrewAI's
    names = _builders(project, read)
    for module in modules:
        if names is not None and module not in read and names.search(module.bytes()):
            found.take(module)
            read.append(module)
    for module in read:
        reader = project.read(module)
        if reader is not None:
            with suppress(RecursionError):
                reader.run_the_rest()
    for module in read:
        found.take_the_rest(module)
    for path in project.declarations():
        found.take_declared(path)
    notes = [
        f"{project.shown(module.path)} was not read: {module.problem}"
        for module in modules
        if module.problem is not None
    ]
    return Look(found.candidates(), [*project.notes, *notes])


def _builders(project: StaticProject, modules: Iterable[Module]) -> re.Pattern[bytes] | None:
    """The names of classes and functions that others make crews, flows and agents with."""
    names = set()
    for module in modules:
        reader = project.read(module)
        if reader is None:
            continue
        for name, value in reader.scope.names.items():
            if isinstance(value, ClassValue) and value.kind:
                names.add(name)
            elif isinstance(value, FunctionValue) and name not in reader.imported:
                with suppress(RecursionError):
                    made = value.call([], {})
                    if isinstance(made, (CrewValue, FlowValue, AgentValue)):
                        names.add(name)
    if not names:
        return None
    return re.compile(rb"\b(?:%s)\b" % b"|".join(re.escape(one.encode()) for one in sorted(names)))


#: How directly a name stands for something; the smaller the better.
_MADE, _CLASS, _BARE, _BY_CALL, _BY_METHOD, _HARDLY, _INSIDE = range(7)
#: What a flow can be given without being another one for it.
_NO_MATTER = frozenset({"checkpoint", "tracing", "verbose", "suppress_flow_events", "stream"})


class _Found:
    """Candidates, each once: by the best name that there is for it."""

    def __init__(self, project: StaticProject) -> None:
        self._project = project
        self._best: dict[Any, tuple[tuple[bool, int], Candidate]] = {}

    def candidates(self) -> list[Candidate]:
        return [candidate for _, candidate in self._best.values()]

    def take(self, module: Module) -> None:
        """The candidates among a module's own names."""
        reader = self._project.read(module)
        if reader is None:
            return
        named = []
        for attr, value in reader.scope.names.items():
            if attr not in reader.imported and not attr.startswith("__"):
                rank, made = _made(value)
                if made is not None:
                    named.append((rank, attr, made))
                if isinstance(value, ClassValue) and not value.needs_arguments:
                    named += [
                        (_BY_METHOD, f"{attr}.{method}", one)
                        for method, one in _made_by_methods(value)
                    ]
        if not named:
            return
        starting = self._project.starts_on_import(module)
        root = self._project.needs(module)
        place = module.name if root is None else self._project.shown(module.path)
        # objects first, then classes, then functions; those of a kind as the file has them
        for rank, attr, made in sorted(named, key=lambda one: one[0]):
            self._add(
                rank,
                made,
                entry=f"{place}:{attr}",
                file=self._project.shown(module.path),
                root=root,
                starts_in=None if starting is None else self._project.shown(starting),
            )

    def take_declared(self, path: str) -> None:
        """The crew, flow or agent that a file declares. What a program makes of such a file
        goes before it, unless the project says that the file is what is run."""
        made = declared(path)
        if made is not None:
            rank = _MADE if path in self._project.configured else _HARDLY
            file = self._project.shown(path)
            self._add(rank, made, entry=file, file=file, root=None, starts_in=None)

    def take_the_rest(self, module: Module) -> None:
        """What a module makes while it runs: what none of the names leads to."""
        reader = self._project.read(module)
        made = reader.scope.made if reader is not None else []
        if not made:
            return
        program = self._project.program_of(module)
        if program is None:
            return
        file, script = self._project.shown(module.path), self._project.shown(program)
        for one in made:
            if isinstance(one, FlowValue):
                self._remark(one, file, script)
            self._add(_INSIDE, one, entry="", file=file, root=None, starts_in=script)

    def _add(self, rank: int, made: Thing, **place: Any) -> None:
        candidate = _candidate(made, **place)
        of = made.flow.place if isinstance(made, FlowValue) else made.place
        if rank == _INSIDE and _is_blank(candidate) and of in {key[0] for key in self._best}:
            return  # another call of what has been found, with arguments that are not known
        key = (of, candidate.name, candidate.tasks, candidate.agent)
        worth = (not candidate.can_be_imported, rank)
        known = self._best.get(key)
        if known is None or worth < known[0]:
            self._best[key] = worth, candidate

    def _remark(self, flow: FlowValue, file: str, script: str) -> None:
        """A flow that the program makes with arguments of its own."""
        given = [one for one in flow.arguments if one not in _NO_MATTER]
        for key, (worth, candidate) in self._best.items():
            if given and key[0] == flow.flow.place and worth[1] in (_CLASS, _BARE):
                told = ", ".join("..." if one.startswith("*") else f"{one}=..." for one in given)
                note = (
                    f"{file}, line {flow.place[1]}, makes it with {told}, and here it is made "
                    f"without: --script {script} runs the program as it is"
                )
                self._best[key] = worth, replace(candidate, note=note)


Thing = CrewValue | ClassValue | FlowValue | AgentValue


def _candidate(made: Thing, **place: Any) -> Candidate:
    line = made.place[1]
    if isinstance(made, CrewValue):
        return Candidate(kind="crew", line=line, name=made.name, tasks=_texts(made), **place)
    if isinstance(made, AgentValue):
        return Candidate(kind="agent", line=line, name=made.role, agent=made.texts, **place)
    flow = made.flow if isinstance(made, FlowValue) else made
    return Candidate(
        kind="flow",
        line=line,
        name=flow.name,
        steps=flow.steps,
        complete=flow.complete,
        label=flow.label,
        **place,
    )


def _is_blank(candidate: Candidate) -> bool:
    """Whether nothing of a crew's or agent's texts is known."""
    texts = [task.template for task in candidate.tasks or ()] or list(candidate.agent)
    return candidate.kind != "flow" and not any(texts)


def _made(value: Any) -> tuple[int, Thing | None]:
    """What a module's name stands for, and how directly."""
    if isinstance(value, (CrewValue, AgentValue)):
        return _MADE, value
    if isinstance(value, FlowValue):
        return (_MADE if set(value.arguments) - _NO_MATTER else _BARE), value
    if isinstance(value, ClassValue) and value.kind == "flow":
        return (_HARDLY if value.needs_arguments else _CLASS), value
    made: Any = None
    rank = _BY_CALL
    with suppress(RecursionError):
        if isinstance(value, ClassValue) and value.kind == "crew":
            made = crew_of(value)
            rank = _HARDLY if value.needs_arguments else _BY_CALL
        elif isinstance(value, FunctionValue) and value.can_be_called:
            made = value.call([], {})
    return rank, made if isinstance(made, (CrewValue, FlowValue, AgentValue)) else None


def _made_by_methods(owner: ClassValue) -> list[tuple[str, Thing]]:
    """The crews and agents that an object's methods make, if they need no arguments."""
    if owner.kind == "flow":
        return []
    this = owner.make() if owner.make is not None else UNKNOWN
    found: list[tuple[str, Thing]] = []
    for name, method in owner.methods.items():
        if name.startswith("__") or not method.can_be_called_on_it:
            continue
        made: Any = None
        with suppress(RecursionError):
            bound = this.attribute(name) if isinstance(this, Instance) else None
            made = bound.call([], {}) if isinstance(bound, Bound) else method.call([this], {})
        if isinstance(made, (CrewValue, AgentValue)):
            found.append((name, made))
    return found


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
