"""From a checkpoint and a person's wish to a run: prepared, planned, confirmed.

`prepare` looks and decides without running anything of the user's. `start` begins the run
up to its plan; `confirm` writes the fork's document, if it is one, and lets it go on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from crewcheck.engine import attempts
from crewcheck.engine.branches import check_branch, new_branch
from crewcheck.engine.data_plan import decide_from_data
from crewcheck.engine.fork import dump, fork_document, new_id
from crewcheck.engine.invalidation import KEEP, Decision, not_kept
from crewcheck.engine.source import CREW, Source
from crewcheck.errors import NotFound, Refused, UsageProblem
from crewcheck.model.crew import placeholders
from crewcheck.model.document import mapping, text
from crewcheck.model.edits import Edits, changed_inputs
from crewcheck.model.harmless import name as shown
from crewcheck.runtimes.interpreter import Interpreter, find_interpreter
from crewcheck.runtimes.project import Project, find_project
from crewcheck.runtimes.spawn import RunHandle, start_run
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.static_look import Match, look_at, match_crew
from crewcheck.runtimes.wire import Message
from crewcheck.stores.base import writable

RESUME, FORK = "resume", "fork"


class NoEntry(NotFound):
    """No crew of the project has the checkpoint's tasks."""


class SeveralEntries(Refused):
    """Several of the project's crews fit; ``entries`` are what a person can choose from."""

    def __init__(self, message: str, hint: str, entries: list[str]) -> None:
        super().__init__(message, hint)
        self.entries = entries


class StartsOnImport(Refused):
    """The crew cannot be imported without starting a run; ``script`` is the program."""

    def __init__(self, message: str, hint: str, script: str) -> None:
        super().__init__(message, hint)
        self.script = script


@dataclass(slots=True)
class Wish:
    """What a person asks for. ``action`` is ``resume`` or ``fork``; None: not said."""

    action: str = RESUME
    edits: Edits = field(default_factory=Edits)
    branch: str | None = None
    entry: str | None = None
    script: str | None = None
    args: list[str] = field(default_factory=list)
    python: str | None = None
    allow_changed: bool = False
    allow_before: bool = False
    answers: list[str] = field(default_factory=list)
    max_attempts: int = attempts.MOST


@dataclass(slots=True)
class Prepared:
    """A run that can be started. ``origin`` says how the user's object was found."""

    source: Source
    wish: Wish
    branch: str
    project: Project
    interpreter: Interpreter
    spec: RunSpec
    origin: str
    notes: list[str]


def prepare(source: Source, wish: Wish) -> Prepared:
    """Find the project, its object and its Python; check what can be checked.

    Nothing of the user's is imported or run, and nothing is written. Raises `Refused`,
    `NotFound`, `UsageProblem` or `NoInterpreter`.
    """
    branch = branch_of(source, wish)
    writable(source.catalog.store)
    store = os.path.abspath(source.catalog.store.location)
    project = find_project(store)
    entry, script, args, origin, notes = _entry(source, wish, project)
    interpreter = find_interpreter(project, wish.python)
    spec = RunSpec(
        store=store,
        store_kind=source.catalog.store.kind,
        checkpoint_id=source.id,
        source_branch=source.checkpoint.branch,
        python=interpreter.path,
        cwd=project.folder,
        kind=source.kind,
        name=source.name,
        total=source.total,
        path=list(project.path),
        env=dict(project.env),
        entry=entry,
        script=script,
        args=args,
        action=wish.action,
        branch=branch,
        inputs=_inputs(source, wish.edits),
        outputs={str(index): value for index, value in wish.edits.outputs.items()},
        results={str(index): value for index, value in wish.edits.results.items()},
        state=[[list(path), value] for path, value in wish.edits.state.items()],
        rerun=list(wish.edits.rerun),
        keep=list(wish.edits.keep),
        allow_changed=wish.allow_changed,
        allow_before=wish.allow_before,
        answers=list(wish.answers),
        validate=project.config.validate if wish.action == RESUME else None,
    )
    unasked = _unasked_inputs(source, wish.edits) if source.kind == CREW else []
    if source.inputs_from:
        notes.append(f"the inputs are those that {shown(source.inputs_from)} tells")
    told = [*project.notes, *notes, *unasked]
    return Prepared(source, wish, branch, project, interpreter, spec, origin, told)


def _inputs(source: Source, edits: Edits) -> dict[str, Any]:
    """The inputs that the checkpoint does not have: changed ones, and those it came before."""
    changed = changed_inputs(source.inputs, edits)
    return {**source.inputs, **changed} if source.inputs_from else changed


def _unasked_inputs(source: Source, edits: Edits) -> list[str]:
    """New inputs that no text of a task asks for: likely a slip."""
    from difflib import get_close_matches

    templates = (text for task in source.tasks for text in (task.template, task.expected_template))
    known = {*source.inputs, *placeholders(*templates)}
    notes = []
    for key in edits.inputs:
        if key not in known:
            close = get_close_matches(key, known, 1)
            hint = f"; did you mean {shown(close[0])}?" if close else ""
            notes.append(f"no task asks for the input {shown(key)}{hint}")
    return notes


def branch_of(source: Source, wish: Wish) -> str:
    if wish.action == RESUME:
        return source.checkpoint.branch
    taken = {one.branch for one in source.catalog.checkpoints}
    return check_branch(wish.branch or new_branch(source.id), taken)


def _entry(
    source: Source, wish: Wish, project: Project
) -> tuple[str | None, str | None, list[str], str, list[str]]:
    """Where the user's object is: ``(entry, script, args, how it was found, notes)``."""
    config = project.config
    if wish.entry is not None:
        return wish.entry, None, [], "--entry", []
    if wish.script is not None:
        return None, os.path.abspath(wish.script), wish.args, "--script", []
    if config.entry is not None:
        return config.entry, None, [], f"{project.pyproject}", []
    if config.script is not None:
        return None, config.script, list(config.script_args), f"{project.pyproject}", []
    own = text(mapping(source.document.get("crewcheck")).get("entry"))
    if own is not None:
        return own, None, [], "the checkpoint", []
    look = look_at(project.folder, project.path)
    matches = match_crew(look, source.tasks, source.inputs, source.name)
    found = _only_match(matches, project)
    where = f"found in {found.candidate.file}, line {found.candidate.line}"
    return found.candidate.entry, None, [], where, look.notes


def _only_match(matches: list[Match], project: Project) -> Match:
    folder = shown(project.folder)
    if not matches:
        raise NoEntry(
            f"no crew in {folder} has the tasks of this checkpoint",
            "name it: --entry module:attr, or --script FILE",
        )
    can = [one for one in matches if one.candidate.can_be_imported]
    if len(can) > 1:
        entries = [one.candidate.entry for one in can]
        listed = ", ".join(map(shown, entries[:8]))
        raise SeveralEntries(
            f"several crews in {folder} fit: {listed}", "choose one with --entry", entries
        )
    if not can:
        one = matches[0].candidate
        script = one.starts_in or one.file
        raise StartsOnImport(
            f"the crew is in {shown(one.file)}, but importing that would start a run "
            f"(in {shown(script)})",
            f"run the program itself: --script {shown(script)}",
            os.path.join(project.folder, script),
        )
    return can[0]


def start(prepared: Prepared) -> RunHandle:
    """Begin the run: its child loads the user's object and plans, then waits.

    A resume is counted before anything of it runs (`attempts`).
    """
    header = prepared.source.checkpoint.header
    document = None
    if prepared.spec.store_kind == "json":
        prepared.spec.document_path = os.path.abspath(header.location)
    else:
        document = prepared.source.document
    return start_run(prepared.spec, document, lambda run_id: _count(prepared, run_id))


def check_attempts(source: Source, most: int) -> attempts.Count:
    """The resumes so far that got no further. Raises `Refused` where ``most`` are reached."""
    return attempts.check(source.catalog.store.location, source.node, source.done, most)


def _count(prepared: Prepared, run_id: str) -> None:
    if prepared.wish.action == RESUME:
        source = prepared.source
        attempts.note(prepared.spec.store, source.id, source.checkpoint.branch, source.done, run_id)


def confirm(prepared: Prepared, handle: RunHandle, plan: Message) -> str:
    """Let a planned run go on; a fork is written first. Returns the id it goes on from."""
    items = [item for item in plan.get("items") or [] if isinstance(item, dict)]
    keep = [item["index"] for item in items if item.get("action") == KEEP]
    run = [item["index"] for item in items if item.get("action") != KEEP]
    values: dict[str, Any] = {"keep": keep, "branch": prepared.branch}
    if prepared.wish.action == FORK:
        checkpoint_id, location, made = write_fork(
            prepared.source, prepared.wish.edits, prepared.branch, run
        )
        values["location"] = location
        # the child goes on with the fork's own events, not with the source's
        values["document"] = os.path.abspath(location)
        if prepared.spec.store_kind != "json":
            values["document"] = handle.keep_document(made)
    else:
        checkpoint_id = prepared.source.id
    handle.go(
        **values,
        checkpoint_id=checkpoint_id,
        outputs=prepared.spec.outputs,
        results=prepared.spec.results,
        inputs=prepared.spec.inputs or None,
    )
    return checkpoint_id


def write_fork(
    source: Source, edits: Edits, branch: str, run: list[int]
) -> tuple[str, str, dict[str, Any]]:
    """Write the fork's own checkpoint: ``(id, location, document)``. ``run`` are the
    positions that are not kept.

    Raises `Refused` or `Unreadable`.
    """
    store = writable(source.catalog.store)
    made = fork_document(source.document, source_id=source.id, branch=branch, edits=edits, run=run)
    checkpoint_id = new_id()
    location = store.write(dump(made), id=checkpoint_id, parent_id=source.id, branch=branch)
    return checkpoint_id, location, made


def fork_without_run(
    source: Source, edits: Edits, branch: str | None
) -> tuple[str, str, str, list[Decision]]:
    """A fork that is only written: ``(id, branch, location, decisions)``."""
    wish = Wish(action=FORK, edits=edits, branch=branch)
    chosen = branch_of(source, wish)
    decisions = decide_from_data(source, edits, project_of(source))
    checkpoint_id, location, _ = write_fork(source, edits, chosen, not_kept(decisions))
    return checkpoint_id, chosen, location, decisions


def project_of(source: Source) -> Project | None:
    """The project that a store lies in; None where its configuration cannot be read."""
    try:
        return find_project(os.path.abspath(source.catalog.store.location))
    except UsageProblem:
        return None
