"""Resuming and forking in the user's own program, by `resume` and `fork`.

from crewcheck.crewai import resume
result = resume(crew, "latest")
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from crewcheck.crewai.local import LocalChannel, run
from crewcheck.crewai.refusal import Aborted, Refusal
from crewcheck.crewai.session import NotRun, Session
from crewcheck.crewai.sessions import open_session
from crewcheck.engine import fallback
from crewcheck.engine.refs import Found, find
from crewcheck.engine.running import FORK, RESUME, Wish, branch_of, write_fork
from crewcheck.engine.source import AGENT, FLOW, Source, find_agent, find_call, read_source
from crewcheck.errors import CrewcheckError, Refused, UsageProblem
from crewcheck.model.edits import Edits, changed_inputs, find_task
from crewcheck.model.json_path import changed_at, parse_path
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message
from crewcheck.stores.base import writable

OnMessage = Callable[[Message], None]


def resume(
    target: Any,
    ref: str | None = None,
    *,
    location: str | None = None,
    allow_changed: bool = False,
    allow_losses: bool = False,
    response_format: type | None = None,
    on_message: OnMessage | None = None,
) -> Any:
    """Run the rest of a crew, flow or agent from a checkpoint, in this process.

    ``target`` is your own object (of a flow the class will do). ``ref`` names a checkpoint as
    on the command line, in the store at ``location`` or the default one; without it the newest
    valid checkpoint of the newest run is taken. ``response_format`` is what an agent is asked
    with: no checkpoint tells. ``allow_losses`` accepts what else it does not tell.
    ``on_message`` is called with each message of the run, from whatever thread: dicts with a
    ``type``, ``plan`` among them before anything runs.

    Returns what the object's own ``kickoff`` would. Of a finished run that is the recorded result,
    and nothing runs. Raises `Refused`, `NotFound` and the like of `crewcheck.errors` before
    anything has run, `CrewcheckError` where work that was to be done was not, and what your own
    code raises.
    """
    with _found(ref, location) as found:
        source = read_source(found.catalog, found.node)
        wish = Wish(action=RESUME, allow_changed=allow_changed, allow_losses=allow_losses)
        return _do(target, source, wish, response_format, on_message)


def fork(
    target: Any,
    ref: str | None = None,
    branch: str | None = None,
    *,
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str | int, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    location: str | None = None,
    allow_changed: bool = False,
    allow_losses: bool = False,
    response_format: type | None = None,
    on_message: OnMessage | None = None,
) -> Any:
    """Edit a checkpoint and run what depends on it, on a new branch, in this process.

    ``inputs`` are changed or added, ``outputs`` given to tasks (by name, id or position from 0)
    or calls of a flow's methods (``METHOD``, ``METHOD#2``), ``state`` set in a flow's state by
    path (``plan.steps[0].name``). An agent has one input, ``question``. Else as `resume`.
    """
    with _found(ref, location) as found:
        found.catalog.read_summaries()
        source = read_source(found.catalog, found.node)
        edits = _edits(source, inputs or {}, outputs or {}, state or {})
        wish = Wish(FORK, branch=branch, edits=edits, allow_changed=allow_changed)
        wish.allow_losses = allow_losses
        return _do(target, source, wish, response_format, on_message)


class _found:
    """The checkpoint that is meant, in its catalog: valid, or it is refused."""

    def __init__(self, ref: str | None, location: str | None) -> None:
        self._found = find(ref, location)
        try:
            if ref is None:
                self._found.node = fallback.choose(self._found.catalog, self._found.node).node
            else:
                fallback.insist(self._found.catalog, self._found.node)
        except BaseException:
            self._found.catalog.close()
            raise

    def __enter__(self) -> Found:
        return self._found

    def __exit__(self, *_: object) -> None:
        self._found.catalog.close()


def _edits(
    source: Source,
    inputs: Mapping[str, Any],
    outputs: Mapping[str | int, Any],
    state: Mapping[str, Any],
) -> Edits:
    edits = Edits(inputs=dict(inputs))
    for item, value in outputs.items():
        if source.kind == FLOW:
            edits.results[find_call(source.calls, str(item))] = value
            continue
        if isinstance(item, int):
            if not 0 <= item < len(source.tasks):
                raise UsageProblem(f"this crew has no task at position {item}")
            place = item
        elif source.kind == AGENT:
            place = find_agent(source, item)
        else:
            place = find_task(source.tasks, item)
        edits.outputs[place] = value if isinstance(value, str) else _json(value)
    if state and source.kind != FLOW:
        raise UsageProblem(f"state is for flows, and this is a {source.kind}")
    for path, value in state.items():
        steps = parse_path(path)
        changed_at(source.state, steps, value, "the state")
        edits.state[steps] = value
    return edits


def _json(value: Any) -> str:
    import json

    dump = getattr(value, "model_dump_json", None)
    return str(dump()) if callable(dump) else json.dumps(value)


def _do(
    target: Any,
    source: Source,
    wish: Wish,
    response_format: type | None,
    on_message: OnMessage | None,
) -> Any:
    _refuse_loop()
    branch = branch_of(source, wish)
    store = writable(source.catalog.store)
    inputs = changed_inputs(source.inputs, wish.edits)
    spec = RunSpec(
        store=os.path.abspath(store.location),
        store_kind=store.kind,
        checkpoint_id=source.id,
        source_branch=source.checkpoint.branch,
        python=sys.executable,
        cwd=os.getcwd(),
        kind=source.kind,
        name=source.name,
        action=wish.action,
        branch=branch,
        inputs=inputs,
        outputs={str(index): value for index, value in wish.edits.outputs.items()},
        results={str(index): value for index, value in wish.edits.results.items()},
        state=[[list(path), value] for path, value in wish.edits.state.items()],
        allow_changed=wish.allow_changed,
    )

    def confirm(running: list[int]) -> dict[str, Any]:
        told: dict[str, Any] = {"branch": branch, "checkpoint_id": source.id}
        if wish.action == FORK:
            told["checkpoint_id"], _, told["document"] = write_fork(
                source, wish.edits, branch, running
            )
        return {**told, "outputs": spec.outputs, "results": spec.results, "inputs": inputs or None}

    try:
        session: Session[Any] = open_session(
            LocalChannel(on_message, confirm, wish.allow_losses), spec, source.document
        )
        made = session.kind.made_of(target, type(target).__name__)
        session.asked_with(response_format)
        if session.nothing_to_run:
            session.say_plan(made)  # or it is another object's
            return session.recorded(made)
        return run(session, made, type(target).__name__)
    except Refusal as refusal:
        raise _refused(refusal) from None
    except Aborted as error:
        raise Refused(str(error)) from None
    except NotRun as error:
        raise CrewcheckError(str(error)) from None


def _refused(refusal: Refusal) -> Refused:
    lines = "".join(f"\n  {line}" for line in refusal.differences)
    return Refused(refusal.message + lines, refusal.hint)


def _refuse_loop() -> None:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise Refused(
        "an event loop is running in this thread",
        "call it in another one: `await asyncio.to_thread(resume, crew, ref)`",
    )
