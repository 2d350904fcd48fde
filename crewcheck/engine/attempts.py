"""How often a run was tried to be resumed without getting further.

Written down before the child starts, so that what takes everything down with it counts as
well. What counts are resumes of a checkpoint on its branch, and of those before it that
were as far: a run that writes a checkpoint and dies at once would begin at a new one each
time. A resume that never began (not confirmed, refused) does not count; one that finished
starts the count anew. A fork is a branch of its own, and begins without attempts.

    attempts/STORE.jsonl    a line a resume, only ever appended to; STORE is a hash

A line is one write, so several processes can append; a torn or odd line is passed over.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crewcheck.errors import NotFound, Refused
from crewcheck.lineage import Node
from crewcheck.model.harmless import name as shown
from crewcheck.runtimes.follow import run_state, supervisor_lives
from crewcheck.runtimes.run_state import ABORTED, FINISHED, PLANNING, REFUSED
from crewcheck.runtimes.state_dirs import make_state_dir, state_dir

#: How many resumes that get no further are allowed unless a person says otherwise.
MOST = 5

_FOLDER = "attempts"
#: Outcomes of what never began.
_NEVER = frozenset({ABORTED, REFUSED})


@dataclass(frozen=True, slots=True)
class Attempt:
    """One resume. ``done``: how many tasks were done. ``outcome``: a state of `run_state`,
    or ``gone`` where its run has left nothing behind."""

    store: str
    checkpoint_id: str
    branch: str
    done: int
    run_id: str
    at: str
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Count:
    """``number`` resumes since it last got further, the newest at ``last_at`` (UTC ISO)."""

    number: int = 0
    last_at: str | None = None
    last_outcome: str | None = None


def note(
    store: str, checkpoint_id: str, branch: str, done: int, run_id: str, at: str | None = None
) -> None:
    """Write down that a resume begins. Raises `CrewcheckError` where that cannot be done."""
    told = {
        "checkpoint_id": checkpoint_id,
        "branch": branch,
        "done": done,
        "run_id": run_id,
    }
    _append(store, told, at)


def reset(store: str, checkpoint_ids: Iterable[str] | None = None) -> int:
    """Forget the attempts of some checkpoints, or of a whole store: how many there were."""
    wanted = None if checkpoint_ids is None else set(checkpoint_ids)
    known = {one.checkpoint_id for one in _attempts(_path(store))}
    gone = [one for one in sorted(known) if wanted is None or one in wanted]
    for one in gone:
        _append(store, {"reset": one}, None)
    return len(gone)


def count(store: str, node: Node, done: int) -> Count:
    """The attempts that got no further than a checkpoint, which has ``done`` tasks done."""
    branch = node.checkpoint.branch
    known = set(line(node))
    number, last = 0, None
    for one in reversed(_attempts(_path(store))):
        if one.branch != branch or one.checkpoint_id not in known or one.done < done:
            continue
        outcome = _outcome(one.run_id)
        if outcome == FINISHED:
            break
        if outcome in _NEVER:
            continue
        number += 1
        last = last or (one.at, outcome)
    return Count(number, *last) if last else Count()


def check(store: str, node: Node, done: int, most: int = MOST) -> Count:
    """The attempts so far. Raises `Refused` where there were as many as are allowed."""
    found = count(store, node, done)
    if found.number >= most:
        times = "once" if found.number == 1 else f"{found.number} times"
        raise Refused(
            f"{shown(node.checkpoint.id)} was resumed {times} without getting further "
            f"(the last time: {found.last_outcome})",
            f"look why (`crewcheck runs`), then allow more with --max-attempts {most + 1}, or "
            f"count anew: `crewcheck attempts reset {shown(node.checkpoint.id)}`",
        )
    return found


def stores() -> list[str]:
    """The stores of which attempts are known."""
    try:
        names = sorted(os.listdir(state_dir() / _FOLDER))
    except OSError:
        return []
    found = [_store_of(state_dir() / _FOLDER / one) for one in names if one.endswith(".jsonl")]
    return sorted(one for one in found if one is not None)


def attempts_of(store: str) -> list[Attempt]:
    """The attempts of a store that count, newest first, with their outcomes."""
    found: list[Attempt] = []
    over: set[tuple[str, str]] = set()
    for one in reversed(_attempts(_path(store))):
        outcome = _outcome(one.run_id)
        at = one.branch, one.checkpoint_id
        if outcome == FINISHED:
            over.add(at)
        if at in over or outcome in _NEVER:
            continue
        found.append(
            Attempt(one.store, one.checkpoint_id, one.branch, one.done, one.run_id, one.at, outcome)
        )
    return found


def line(node: Node) -> Iterator[str]:
    """A checkpoint's id and those before it on its branch, also of the first that is gone."""
    at: Node | None = node
    while at is not None and at.checkpoint.branch == node.checkpoint.branch:
        yield at.checkpoint.id
        if at.missing_parent is not None:
            yield at.missing_parent
        at = at.parent


def _outcome(run_id: str) -> str:
    folder = state_dir() / "runs" / run_id
    try:
        state = run_state(folder)
    except NotFound:
        return "gone"
    if state.state == PLANNING and supervisor_lives(folder):
        return ABORTED  # not confirmed so far
    if state.nothing_to_run:
        return REFUSED
    return state.state


def _identity(store: str) -> str:
    return store if "://" in store else os.path.realpath(os.path.expanduser(store))


def _path(store: str) -> Path:
    digest = hashlib.sha256(_identity(store).encode("utf-8", "surrogateescape")).hexdigest()
    return state_dir() / _FOLDER / f"{digest[:24]}.jsonl"


def _append(store: str, told: dict[str, Any], at: str | None) -> None:
    folder = make_state_dir(_FOLDER)
    when = at or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"store": _identity(store), "at": when, **told}).encode("ascii")
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
    file = os.open(folder / _path(store).name, flags, 0o600)
    try:
        # a line that was torn before must not take this one with it
        os.write(file, b"\n" + line + b"\n")
        with contextlib.suppress(OSError):
            os.fsync(file)
    finally:
        os.close(file)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        data = path.read_bytes()
    except OSError:
        return
    for line in data.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _attempts(path: Path) -> list[Attempt]:
    """The attempts that have not been reset, oldest first."""
    found: list[Attempt] = []
    for value in _lines(path):
        forgotten = value.get("reset")
        if isinstance(forgotten, str):
            found = [one for one in found if one.checkpoint_id != forgotten]
            continue
        texts = [value.get(key) for key in ("store", "checkpoint_id", "branch", "run_id", "at")]
        done = value.get("done")
        if not all(isinstance(one, str) for one in texts) or type(done) is not int:
            continue
        store, checkpoint_id, branch, run_id, at = map(str, texts)
        if os.sep in run_id:
            continue
        found.append(Attempt(store, checkpoint_id, branch, done, run_id, at))
    return found


def _store_of(path: Path) -> str | None:
    return next((one for value in _lines(path) if isinstance(one := value.get("store"), str)), None)
