"""Where the user's object is: named by a person, by the project, or found.

What the checkpoint names is only chosen from what is found: it would be imported, and called,
before the plan is shown.
What is found is looked for in the project's text (`runtimes.static_look`): nothing of the
user's is imported for it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from crewcheck.engine.choices import chosen, remember
from crewcheck.engine.source import FLOW, Source
from crewcheck.errors import NotFound, Refused
from crewcheck.model.document import mapping, text
from crewcheck.model.harmless import name as shown
from crewcheck.runtimes.declarations import is_declaration
from crewcheck.runtimes.project import Project
from crewcheck.runtimes.static_look import Look, look_at, root_for
from crewcheck.runtimes.static_match import Match, match_agent, match_crew, match_flow

_MOST_NAMED = 8
#: The origin of what a person has chosen among several.
BEFORE = "chosen before; change with --entry"


class NoEntry(NotFound):
    """No object of the project has made the checkpoint."""


class SeveralEntries(Refused):
    """Several of the project's objects fit; ``entries`` are what a person can choose from."""

    def __init__(self, message: str, hint: str, entries: list[str]) -> None:
        super().__init__(message, hint)
        self.entries = entries


class NeedsScript(Refused):
    """The object cannot be had without running the user's program, ``script``."""

    def __init__(self, message: str, hint: str, script: str) -> None:
        super().__init__(message, hint)
        self.script = script


@dataclass(slots=True)
class Entry:
    """Where an object is: ``entry`` (``module:attr``, or a file that declares it), or a
    ``script`` with its arguments.

    ``origin`` says how it was found, ``path`` are folders for sys.path before the project's
    own, ``notes`` are for the person. ``fitting`` are all entries that fit,
    where they were looked for.
    """

    origin: str
    entry: str | None = None
    script: str | None = None
    args: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    fitting: list[str] = field(default_factory=list)


def find_entry(
    source: Source,
    project: Project,
    *,
    entry: str | None = None,
    script: str | None = None,
    args: Sequence[str] = (),
) -> Entry:
    """The object that a checkpoint is gone on with; ``entry``, ``script`` and ``args`` are
    what the person named.

    Of several that fit it is the one that the person chose before (`choices`), if it still
    fits. Raises `NoEntry`, `SeveralEntries` or `NeedsScript`.
    """
    config = project.config
    if entry is not None:
        return _by_place("--entry", entry, project)
    if script is not None:
        return Entry("--script", script=os.path.abspath(script), args=list(args))
    if config.entry is not None:
        return _by_place(f"{project.pyproject}", config.entry, project)
    if config.script is not None:
        return Entry(f"{project.pyproject}", script=config.script, args=list(config.script_args))
    return _found(source, project)


def _by_place(origin: str, entry: str, project: Project) -> Entry:
    """An entry by its name. That of a file is as the person sees it, or as the project does.

    Raises `NotFound`.
    """
    if is_declaration(entry):
        path = _file_of(entry, project)
        if path is None:
            raise NotFound(f"no such file: {shown(entry)}", "name the file that declares it")
        return Entry(origin, path)
    place, _, attr = entry.rpartition(":")
    file = _file_of(place, project) if place.endswith(".py") else None
    if file is None:
        return Entry(origin, entry)
    root = root_for(project.folder, project.path, os.path.normpath(file))
    return Entry(origin, f"{file}:{attr}", path=[] if root is None else [root])


def _file_of(place: str, project: Project) -> str | None:
    """A file by the name that it has in the working folder, or in the project's."""
    paths = (os.path.join(folder, place) for folder in (os.getcwd(), project.folder))
    return next((one for one in paths if os.path.isfile(one)), None)


def _found(source: Source, project: Project) -> Entry:
    look, found = _look(source, project)
    before = chosen(project.folder, source.kind, source.name)
    named = text(mapping(source.document.get("crewcheck")).get("entry"))
    known = [one.candidate.entry for one in found if one.candidate.can_be_imported]
    if before is not None and before not in known and (found or not holds(project, before)):
        remember(project.folder, source.kind, source.name, None)
        before = None
    if before is not None and not found:
        told = _by_place(BEFORE, before, project)
        told.notes += look.notes
        return told
    if before is not None:
        found = [one for one in found if one.candidate.entry == before]
    by_checkpoint = before is None and len(known) > 1 and named in known
    if by_checkpoint:
        found = [one for one in found if one.candidate.entry == named]
    candidate = _only_match(source, project, found).candidate
    entry, place = candidate.entry, candidate.file
    if not is_declaration(entry):
        place += f", line {candidate.line}"
    if candidate.root is not None or is_declaration(entry):
        entry = os.path.join(project.folder, entry)
    return Entry(
        _origin(place, before is not None and len(known) > 1, by_checkpoint),
        entry,
        path=[] if candidate.root is None else [candidate.root],
        notes=[*look.notes, *filter(None, [candidate.note])],
        fitting=known,
    )


def _origin(place: str, chosen_before: bool, by_checkpoint: bool) -> str:
    if by_checkpoint:
        return f"the checkpoint, and found in {place}"
    return f"{BEFORE}: {place}" if chosen_before else f"found in {place}"


def _look(source: Source, project: Project) -> tuple[Look, list[Match]]:
    """What fits in a project. A flow is looked for by its name first, which is quick."""
    if source.kind == FLOW and source.name:
        look = look_at(project.folder, project.path, source.name)
        found = matches(source, look)
        if found and all(one.certain for one in found):
            return look, found
    look = look_at(project.folder, project.path)
    return look, matches(source, look)


def holds(project: Project, entry: str) -> bool:
    """Whether a project has the file that an entry names."""
    place = entry if is_declaration(entry) else entry.rpartition(":")[0] or entry
    if place.endswith(".py") or is_declaration(place):
        path = os.path.abspath(place)
        there = is_in(project, path) and os.path.isfile(path)
        return there or os.path.isfile(os.path.join(project.folder, place))
    parts = place.split(".")
    return any(
        os.path.isfile(os.path.join(folder, *parts) + ".py")
        or os.path.isdir(os.path.join(folder, *parts))
        for folder in project.path
    )


def is_in(project: Project, path: str) -> bool:
    """Whether a file is in a project's folder."""
    return path.startswith(os.path.join(project.folder, ""))


def matches(source: Source, look: Look) -> list[Match]:
    """The objects of a project that can have made a checkpoint."""
    if source.kind == FLOW:
        methods = sorted({call.method for call in source.calls})
        return match_flow(look, source.name, methods)
    if source.kind == "agent":
        saved = source.entity
        return match_agent(look, *(text(saved.get(key)) for key in ("role", "goal", "backstory")))
    return match_crew(look, source.tasks, source.inputs, source.name, partial=source.partial)


#: What each kind of object has of its checkpoint.
_HAS = {"flow": "the methods", "agent": "the role"}


def _without(kind: str) -> str:
    """The way out where there is no project, for what can go on without."""
    return "" if kind == FLOW else "; or go on without it: --without-project"


def _only_match(source: Source, project: Project, found: list[Match]) -> Match:
    kind, folder = source.kind, shown(project.folder)
    if not found:
        ways = "name it: --entry module:attr, or --script FILE"
        if _has_notebooks(project):
            ways = "save your notebook as a program (`jupyter nbconvert --to script`), for --script"
        raise NoEntry(
            f"no {kind} in {folder} has {_HAS.get(kind, 'the tasks')} of this checkpoint",
            ways + _without(kind),
        )
    can = [one for one in found if one.candidate.can_be_imported]
    if len(can) > 1:
        entries = [one.candidate.entry for one in can]
        listed = ", ".join(map(shown, entries[:_MOST_NAMED]))
        raise SeveralEntries(
            f"several {kind}s in {folder} fit: {listed}", "choose one with --entry", entries
        )
    if not can:
        raise _needs_script(kind, project, found)
    return can[0]


def _has_notebooks(project: Project) -> bool:
    """Whether there are notebooks where a project's programs are run: they cannot be."""
    try:
        return any(name.endswith(".ipynb") for name in os.listdir(project.cwd))
    except OSError:
        return False


def _needs_script(kind: str, project: Project, found: list[Match]) -> NeedsScript:
    first = found[0].candidate
    script = first.starts_in or first.file
    scripts = dict.fromkeys(one.candidate.starts_in or one.candidate.file for one in found)
    ways = " or ".join(f"--script {shown(one)}" for one in list(scripts)[:_MOST_NAMED])
    if first.entry:
        why = f"the {kind} is in {shown(first.file)}, but importing that would start a run "
        why += f"(in {shown(script)})"
    else:
        why = f"the {kind} is made while {shown(script)} runs "
        why += f"({shown(first.file)}, line {first.line}), and no name leads to it"
    return NeedsScript(why, f"run the program itself: {ways}", os.path.join(project.folder, script))
