"""Where our own records are kept: the state folder, with a folder for each run.

``CREWCHECK_STATE_DIR``, else the user's state folder of the platform. Only the user can
read it: journals hold what models and programs said.

    runs/RUN_ID/spec.json       what the run is to do
                journal.jsonl   what happened, a message a line
                work.jsonl      calls that were answered, until the run has finished
                lock            held by the supervisor as long as it lives
                control         the socket on which it takes orders
                control.path    where that socket is, if its path here would be too long
                document.json   the checkpoint, where the store has no file of it
                status.json     how it ended, once it has
                supervisor.log  what went wrong in the supervisor itself
"""

from __future__ import annotations

import os
import re
import secrets
import time
from pathlib import Path

from crewcheck.errors import CrewcheckError, NotFound

STATE_DIR_VARIABLE = "CREWCHECK_STATE_DIR"
_RUN_ID = re.compile(r"\d{8}T\d{6}_[0-9a-f]{6,}")


def state_dir() -> Path:
    """The state folder, which may not be there yet."""
    named = os.environ.get(STATE_DIR_VARIABLE)
    if named:
        return Path(os.path.abspath(os.path.expanduser(named)))
    from platformdirs import user_state_path

    return user_state_path("crewcheck", appauthor=False)


def make_state_dir(*parts: str) -> Path:
    """A folder in the state folder, made where it is missing; for the user's eyes only."""
    base = state_dir()
    folder = base.joinpath(*parts)
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        at = base
        for part in parts:
            at = at / part
            at.mkdir(mode=0o700, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, os.strerror(13))
    except OSError as error:
        raise _unusable(folder, error) from None
    return folder


def _unusable(folder: Path, error: OSError) -> CrewcheckError:
    reason = (error.strerror or str(error)).lower()
    return CrewcheckError(
        f"the state folder {folder} cannot be written: {reason}",
        f"set {STATE_DIR_VARIABLE} to a folder that can",
    )


def make_run_folder() -> Path:
    """A new folder for a run; its name is the run's id, and sorts by time."""
    runs = make_state_dir("runs")
    while True:
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        folder = runs / f"{stamp}_{secrets.token_hex(3)}"
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            raise _unusable(runs, error) from None
        return folder


def run_folders() -> list[Path]:
    """The folders of all runs, newest first."""
    try:
        names = os.listdir(state_dir() / "runs")
    except OSError:
        return []
    runs = state_dir() / "runs"
    return [runs / name for name in sorted(names, reverse=True) if _RUN_ID.fullmatch(name)]


def run_folder(run_id: str) -> Path:
    """The folder of a run by its id or a part of it that fits no other. Raises `NotFound`."""
    folders = run_folders()
    found = [one for one in folders if one.name == run_id]
    if not found and run_id:
        found = [one for one in folders if run_id in one.name]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(one.name for one in found[:5])
        raise NotFound(f'"{run_id}" fits {len(found)} runs', f"write more of the id: {names}")
    raise NotFound(f'there is no run "{run_id}"', "see `crewcheck runs`")
