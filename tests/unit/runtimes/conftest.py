from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crewcheck.runtimes.follow import supervisor_lives
from crewcheck.runtimes.spawn import RunHandle, start_run
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message

FAKE = str(Path(__file__).with_name("fake_child.py"))

Start = Callable[..., RunHandle]


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty state folder, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="cc-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("CREWCHECK_STATE_DIR", os.path.join(folder, "state"))
        yield Path(folder) / "state"


def spec(tmp_path: Path, *steps: str, **values: Any) -> RunSpec:
    """A run of the fake child."""
    values = {
        "store": str(tmp_path / ".checkpoints"),
        "checkpoint_id": "c0",
        "python": sys.executable,
        "cwd": str(tmp_path),
        "boot": FAKE,
        "grace_seconds": 5.0,
        "unattended_seconds": 20.0,
        **values,
    }
    return RunSpec(args=list(steps), **values)


@pytest.fixture
def start(state: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts runs of the fake child, and lets none live on."""
    handles: list[RunHandle] = []

    def begin(*steps: str, **values: Any) -> RunHandle:
        handle = start_run(spec(tmp_path, *steps, **values))
        handles.append(handle)
        return handle

    yield begin
    for handle in handles:
        if supervisor_lives(handle.folder) and handle.state().live:
            handle.cancel()
            until(handle, "exited")
        handle.close()


def until(handle: RunHandle, kind: str, **fields: Any) -> list[Message]:
    """The messages up to the first of a kind; fails if it does not come."""
    seen: list[Message] = []
    for message in handle.follow(timeout=30):
        seen.append(message)
        if message["type"] == kind and fields.items() <= message.items():
            return seen
    raise AssertionError(f"no {kind} {fields}: {[one['type'] for one in seen]} {seen[-3:]}")


def one(messages: list[Message], kind: str) -> Message:
    """The one message of a kind."""
    (found,) = [message for message in messages if message["type"] == kind]
    return found
