"""The runs of a store: those that go on, those that ended lately, those that crashed unseen."""

from __future__ import annotations

import calendar
import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from crewcheck.errors import NotFound
from crewcheck.runtimes.follow import run_state, same_store, supervisor_lives
from crewcheck.runtimes.run_state import ABORTED, CRASHED, PLANNING, REFUSED, RunState
from crewcheck.runtimes.state_dirs import run_folders

#: How long an ended run is still of interest, and how many of them.
LATELY_SECONDS = 86_400.0
AT_MOST = 12
#: How many folders are looked into at most.
_LOOK = 200


@dataclass(frozen=True, slots=True)
class Found:
    """A run of a store. ``unseen``: it crashed, and nobody has been told so far."""

    folder: Path
    state: RunState
    unseen: bool = False


def runs_of_store(store: str, known: frozenset[str], now: float) -> list[Found]:
    """The runs of a store, newest first, that are not ``known`` by their ids.

    Runs that go on, and those that ended within a day; not those that have not begun.
    """
    found: list[Found] = []
    ended = 0
    for folder in run_folders()[:_LOOK]:
        if folder.name in known:
            continue
        settled = (folder / "status.json").exists()
        if settled and ended >= AT_MOST:
            continue
        try:
            state = run_state(folder)
        except NotFound:
            continue
        if not same_store(state.store, store) or state.state in (ABORTED, REFUSED):
            continue
        if state.live:
            if state.state != PLANNING and supervisor_lives(folder):
                found.append(Found(folder, state))
            continue
        if now - (_seconds(state.ended_at or state.created_at) or now) > LATELY_SECONDS:
            continue
        ended += 1
        found.append(Found(folder, state, unseen=state.state == CRASHED and not settled))
    return found


def note_crash(found: Found) -> None:
    """Write down that a run crashed, where its supervisor could not: it is told of once."""
    from crewcheck.runtimes.supervisor import write_status

    if not (found.folder / "status.json").exists() and not supervisor_lives(found.folder):
        with contextlib.suppress(OSError):
            write_status(found.folder, found.state.as_dict())


def _seconds(at: str | None) -> float | None:
    try:
        return float(calendar.timegm(time.strptime((at or "")[:19], "%Y-%m-%dT%H:%M:%S")))
    except ValueError:
        return None
