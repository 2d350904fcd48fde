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
from crewcheck.engine.choices import remember
from crewcheck.engine.data_plan import decide_from_data
from crewcheck.engine.earlier_runs import earlier_runs
from crewcheck.engine.entry import Entry, NoEntry, find_entry, holds, is_in
from crewcheck.engine.fork import dump, fork_document, new_id
from crewcheck.engine.fork_agent import check_edits
from crewcheck.engine.invalidation import KEEP, Decision, not_kept
from crewcheck.engine.kept_outputs import with_tasks_to_come
from crewcheck.engine.runs_beside import runs_beside
from crewcheck.engine.source import AGENT, CREW, Source
from crewcheck.engine.target import Target, target_of
from crewcheck.engine.unfinished import work_behind
from crewcheck.errors import Refused, UsageProblem
from crewcheck.model.crew import placeholders
from crewcheck.model.edits import Edits, changed_inputs
from crewcheck.model.harmless import name as shown
from crewcheck.model.json_path import REMOVED
from crewcheck.runtimes.declarations import is_declaration
from crewcheck.runtimes.interpreter import Interpreter, find_interpreter
from crewcheck.runtimes.project import Project, find_project
from crewcheck.runtimes.spawn import RunHandle, start_run
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message

RESUME, FORK = "resume", "fork"


@dataclass(slots=True)
class Wish:
    """What a person asks for. ``action`` is ``resume`` or ``fork``; None: not said.

    ``into`` is the store that a fork goes into, if not its source's own.
    """

    action: str = RESUME
    edits: Edits = field(default_factory=Edits)
    branch: str | None = None
    into: str | None = None
    entry: str | None = None
    script: str | None = None
    args: list[str] = field(default_factory=list)
    python: str | None = None
    allow_changed: bool = False
    allow_before: bool = False
    without_project: bool = False
    allow_losses: bool = False
    trust_endpoint: bool = False
    answers: list[str] = field(default_factory=list)
    max_attempts: int = attempts.MOST


@dataclass(slots=True)
class Prepared:
    """A run that can be started. ``origin`` says how the user's object was found, ``fitting``
    are all entries that fit, where they were looked for. ``target`` is where a fork goes,
    None for its source's own store."""

    source: Source
    wish: Wish
    branch: str
    project: Project
    interpreter: Interpreter
    spec: RunSpec
    origin: str
    notes: list[str]
    fitting: list[str] = field(default_factory=list)
    target: Target | None = None


def prepare(source: Source, wish: Wish) -> Prepared:
    """Find the project, its object and its Python; check what can be checked.

    Nothing of the user's is imported or run, and nothing is written. Raises `Refused`,
    `NotFound`, `UsageProblem` or `NoInterpreter`.
    """
    if source.kind == AGENT:
        check_edits(wish.edits)
    target = target_of(source, wish.into)
    branch = branch_of(source, wish, target)
    store = target.location
    project, found = _project_and_entry(source, wish, store)
    interpreter = find_interpreter(project, wish.python)
    spec = RunSpec(
        store=store,
        store_kind=target.store.kind,
        checkpoint_id=source.id,
        source_branch=source.checkpoint.branch,
        python=interpreter.path,
        cwd=project.cwd,
        kind=source.kind,
        name=source.name,
        total=source.total,
        path=[*found.path, *project.path],
        env=dict(project.env),
        entry=found.entry,
        script=found.script,
        args=found.args,
        action=wish.action,
        branch=branch,
        inputs=_inputs(source, wish.edits),
        outputs={str(index): value for index, value in wish.edits.outputs.items()},
        results={str(index): value for index, value in wish.edits.results.items()},
        state=[
            [list(path), *([] if value is REMOVED else [value])]
            for path, value in wish.edits.state.items()
        ],
        rerun=list(wish.edits.rerun),
        keep=list(wish.edits.keep),
        # how many tasks the crew has is not known: more than its last run has done, perhaps
        allow_changed=wish.allow_changed or source.partial,
        allow_before=wish.allow_before,
        trust_endpoint=wish.trust_endpoint,
        answers=list(wish.answers),
        validate=project.config.validate if wish.action == RESUME else None,
    )
    if found.script is not None:
        spec.earlier = earlier_runs(source)
        spec.beside = runs_beside(source)
    unasked = _unasked_inputs(source, wish.edits) if source.kind == CREW else []
    if source.inputs_from:
        unasked.append(f"the inputs are those that {shown(source.inputs_from)} tells")
    told = [*project.notes, *found.notes, *unasked]
    if not target.own:
        told.append(f"the fork goes into {store}")
    return Prepared(
        source, wish, branch, project, interpreter, spec, found.origin, told, found.fitting, target
    )


def _project_and_entry(source: Source, wish: Wish, store: str) -> tuple[Project, Entry]:
    """The project of a store, or, if the object is not in that, the one of the working folder."""
    project = find_project(store)
    here = project_of(None)
    if here is None or here.folder == project.folder:
        return project, _entry_in(source, wish, project)
    if wish.entry is not None or wish.script is not None:
        if not _holds(project, wish) and _holds(here, wish):
            project = here
        return project, _entry_in(source, wish, project)
    try:
        return project, _entry_in(source, wish, project)
    except NoEntry as error:
        try:
            return here, _entry_in(source, wish, here)
        except NoEntry as other:
            raise NoEntry(f"{error.message}, and {other.message}", error.hint) from None


def _entry_in(source: Source, wish: Wish, project: Project) -> Entry:
    if wish.without_project:
        return Entry("without the project")
    return find_entry(source, project, entry=wish.entry, script=wish.script, args=wish.args)


def _holds(project: Project, wish: Wish) -> bool:
    """Whether what the person named is a file of a project."""
    if wish.script is not None:
        return is_in(project, os.path.abspath(wish.script))
    return wish.entry is not None and holds(project, wish.entry)


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


def goes_on(source: Source, wish: Wish) -> bool:
    """Whether a resume has anything to do: work that is pending, or a program that goes on
    behind the kickoff of the checkpoint."""
    if source.pending or wish.script is not None:
        return True
    if wish.entry is not None or wish.without_project:
        return False
    config = find_project(source.catalog.store.location).config
    return config.entry is None and config.script is not None


def branch_of(source: Source, wish: Wish, target: Target | None = None) -> str:
    """The branch that is gone on with, or that of a fork (without a target: in the source's
    store). Raises as `check_branch`."""
    if wish.action == RESUME:
        return source.checkpoint.branch
    if target is None or target.own:
        taken = {one.branch for one in source.catalog.checkpoints}
    else:
        taken = target.branches()
    return check_branch(wish.branch or new_branch(source.id), taken)


def start(prepared: Prepared) -> RunHandle:
    """Begin the run: its child loads the user's object and plans, then waits.

    A resume is counted before anything of it runs (`attempts`).
    """
    header = prepared.source.checkpoint.header
    document = None
    if prepared.source.catalog.store.kind == "json" and not prepared.source.mended:
        prepared.spec.document_path = os.path.abspath(header.location)
    else:
        document = prepared.source.document
    prepared.spec.work = work_behind(prepared.spec.store, attempts.line(prepared.source.node))
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
    # a project that has changed may have a task elsewhere than the checkpoint, or anew
    places = [item.get("saved", item["index"]) for item in items if item.get("action") != KEEP]
    run = [place for place in places if place is not None]
    values: dict[str, Any] = {"keep": keep, "branch": prepared.branch}
    if prepared.wish.action == FORK:
        checkpoint_id, location, made = write_fork(
            prepared.source, prepared.wish.edits, prepared.branch, run, prepared.target, len(items)
        )
        values["location"] = location
        # the child goes on with the fork's own events, not with the source's
        values["document"] = os.path.abspath(location)
        if prepared.spec.store_kind != "json":
            values["document"] = handle.keep_document(made)
    else:
        checkpoint_id = prepared.source.id
    if prepared.wish.entry is not None:
        _remember(prepared, prepared.wish.entry)
    handle.go(
        **values,
        checkpoint_id=checkpoint_id,
        outputs=prepared.spec.outputs,
        results=prepared.spec.results,
        inputs=prepared.spec.inputs or None,
    )
    return checkpoint_id


def _remember(prepared: Prepared, entry: str) -> None:
    """Remember what the person chose; files as the project sees them."""
    source, folder = prepared.source, prepared.project.folder
    full = prepared.spec.entry or entry
    place = full if is_declaration(full) else full.rpartition(":")[0]
    if os.path.isabs(place) and is_in(prepared.project, place):
        entry = os.path.relpath(place, folder) + full[len(place) :]
    remember(folder, source.kind, source.name, entry)


def write_fork(
    source: Source,
    edits: Edits,
    branch: str,
    run: list[int],
    target: Target | None = None,
    total: int = 0,
) -> tuple[str, str, dict[str, Any]]:
    """Write the fork's own checkpoint: ``(id, location, document)``. ``run`` are the
    positions that are not kept; without a target it goes into the source's store.
    ``total``: how many tasks the project's crew has, where the source does not know.

    Raises `Refused` or `Unreadable`.
    """
    target = target or target_of(source)
    made = fork_document(
        with_tasks_to_come(source.document, total) if source.partial else source.document,
        source_id=source.id,
        branch=branch,
        edits=edits,
        run=run,
        root=not target.own,
    )
    checkpoint_id = new_id()
    parent_id = source.id if target.own else None
    location = target.store.write(dump(made), id=checkpoint_id, parent_id=parent_id, branch=branch)
    return checkpoint_id, location, made


def fork_without_run(
    source: Source, edits: Edits, branch: str | None, into: str | None = None
) -> tuple[str, str, str, list[Decision]]:
    """A fork that is only written: ``(id, branch, location, decisions)``."""
    wish = Wish(action=FORK, edits=edits, branch=branch)
    target = target_of(source, into)
    if source.partial:
        raise Refused(
            "which tasks the crew has is not known: it was not found in the project for certain",
            "run the fork at once, without --no-run, and name the crew with --entry",
        )
    chosen = branch_of(source, wish, target)
    decisions = decide_from_data(source, edits, project_of(source))
    checkpoint_id, location, _ = write_fork(source, edits, chosen, not_kept(decisions), target)
    return checkpoint_id, chosen, location, decisions


def project_of(source: Source | None) -> Project | None:
    """The project that a checkpoint's store lies in (None: that of the working folder); None
    where its configuration cannot be read."""
    store = None if source is None else os.path.abspath(source.catalog.store.location)
    try:
        return find_project(store)
    except UsageProblem:
        return None
