"""Following a run by its journal, and finding runs: what the app and the commands use.

Nothing here talks to a supervisor: a journal can be followed by any number of readers,
during a run, after it, and after a crash of everything.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from crewcheck.errors import NotFound
from crewcheck.runtimes.journal import JournalReader
from crewcheck.runtimes.lock import is_held
from crewcheck.runtimes.run_state import RUNNING, RunState
from crewcheck.runtimes.spec import read_spec
from crewcheck.runtimes.state_dirs import run_folders
from crewcheck.runtimes.wire import LAST, Message

_SHORTEST, _LONGEST = 0.01, 0.25
#: How long a supervisor may take from its folder to its lock.
_BIRTH_SECONDS = 15.0


class Follower:
    """Reads what comes in; ``state`` is what it adds up to, ``over`` that nothing more will.

    Where the supervisor is gone without its last word, the follower says it in its place:
    a `failed` (unless the run had its last message) and an `exited`, both without ``n``.
    """

    def __init__(self, folder: Path, *, without_log: bool = False) -> None:
        self.folder = folder
        self.state = initial_state(folder)
        self.over = False
        self._reader = JournalReader(folder, without_log=without_log)
        self._last_seen = False

    def poll(self, limit: int | None = 1 << 22) -> list[Message]:
        """The messages since the last call, without waiting; about ``limit`` bytes of them."""
        messages: list[Message] = []
        while not messages and not self.over:
            lives = supervisor_lives(self.folder)
            # read after the look: its last words come before it lets go of its lock
            messages = self._take(self._reader.read(limit))
            if messages or not self._reader.drained:
                continue
            if lives:
                break
            messages = self._take(self._epitaph())
        return messages

    def _take(self, messages: list[Message]) -> list[Message]:
        for message in messages:
            self.state.take(message)
            self._last_seen = self._last_seen or message["type"] in LAST
            self.over = self.over or message["type"] == "exited"
        return messages

    def _epitaph(self) -> list[Message]:
        last: Message = {"type": "exited", "code": None, "signal": None, "crashed": True}
        if self._last_seen or not self.state.live:
            return [last]
        return [
            {
                "type": "failed",
                "error": f"the supervisor of run {self.folder.name} is gone without a word",
                "error_type": "SupervisorGone",
                "traceback": None,
                "hint": self.state.resume_hint(),
                "crashed": True,
            },
            last,
        ]


def follow(
    folder: Path, *, stop: threading.Event | None = None, timeout: float | None = None
) -> Iterator[Message]:
    """The messages of a run, from the first to `exited`, waiting for those to come.

    Ends early when ``stop`` is set, or when ``timeout`` seconds brought nothing.
    """
    follower = Follower(folder)
    pause = stop or threading.Event()
    wait, quiet_since = _SHORTEST, time.monotonic()
    while not follower.over:
        messages = follower.poll()
        yield from messages
        if messages:
            wait, quiet_since = _SHORTEST, time.monotonic()
            continue
        if timeout is not None and time.monotonic() - quiet_since >= timeout:
            return
        if pause.wait(wait):
            return
        wait = min(wait * 1.5, _LONGEST)


def supervisor_lives(folder: Path) -> bool:
    """Whether a run has a supervisor, or one may still be on its way."""
    held = is_held(folder / "lock")
    if held is not None:
        return held
    try:
        age = time.time() - os.stat(folder).st_mtime
    except OSError:
        return False
    return age < _BIRTH_SECONDS


def initial_state(folder: Path) -> RunState:
    """A run before its first message. Raises `NotFound` where there is none."""
    try:
        state = RunState.of(read_spec(folder / "spec.json"))
    except (OSError, ValueError) as error:
        raise NotFound(f"{folder} holds no run: {error}", "see `crewcheck runs`") from None
    state.run_id = folder.name
    return state


def run_state(folder: Path) -> RunState:
    """How a run stands now. Raises `NotFound` where there is none."""
    try:
        with open(folder / "status.json", "rb") as file:
            return RunState.from_dict(json.load(file))
    except (OSError, ValueError, TypeError, AttributeError):
        pass  # it goes on, or did not end in order: the journal knows
    follower = Follower(folder, without_log=True)
    while follower.poll(None):
        pass
    return follower.state


def list_runs(limit: int | None = None) -> list[RunState]:
    """All runs, newest first; folders that hold none are passed over."""
    states: list[RunState] = []
    for folder in run_folders():
        if limit is not None and len(states) >= limit:
            break
        try:
            states.append(run_state(folder))
        except NotFound:
            continue
    return states


def runs_of(store: str, checkpoint_id: str) -> list[RunState]:
    """The runs that began at a checkpoint or wrote it, newest first."""
    return [
        one
        for one in list_runs()
        if same_store(one.store, store)
        and (one.checkpoint_id == checkpoint_id or checkpoint_id in one.written)
    ]


def live_runs(store: str | None = None) -> list[RunState]:
    """The runs that have a supervisor now, newest first; of one store, or of all."""
    states: list[RunState] = []
    for folder in run_folders():
        if (folder / "status.json").exists() or not supervisor_lives(folder):
            continue
        try:
            state = run_state(folder)
        except NotFound:
            continue
        if state.live and (store is None or same_store(state.store, store)):
            states.append(state)
    return states


def running_checkpoints(store: str) -> frozenset[str]:
    """The checkpoints of a store whose status is ``running``: the newest of each live run."""
    return frozenset(one.newest for one in live_runs(store) if one.state == RUNNING)


def same_store(one: str, other: str) -> bool:
    """Whether two locations mean the same place."""
    if one == other:
        return True
    if "://" in one or "://" in other:
        return False
    return os.path.realpath(one) == os.path.realpath(other)
