"""Starting a run: its folder, and the supervisor that goes on without us."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crewcheck.errors import CrewcheckError, Refused
from crewcheck.runtimes import detach
from crewcheck.runtimes.control import Control
from crewcheck.runtimes.follow import Follower, follow, run_state
from crewcheck.runtimes.run_state import RunState
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.state_dirs import make_run_folder, run_folder
from crewcheck.runtimes.wire import Message


class RunHandle:
    """A run of ours, going on or over. Closing it lets go of the run, and stops nothing.

    While a handle is attached the supervisor waits for `go`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_id = folder.name
        self._attached: Control | None = None

    def attach(self) -> None:
        """Let the supervisor know that somebody is there. Raises `NotFound` if it is gone."""
        if self._attached is None:
            control = Control(self.folder)
            try:
                control.send({"type": "attach"})
            except CrewcheckError:
                control.close()
                raise
            self._attached = control

    def send(self, message: Message) -> Message:
        """Give an order (`go`, `abort`, `answer`, `cancel`), and return the reply.

        Raises `Refused` where it cannot be done now, `NotFound` where the run has ended.
        """
        if self._attached is not None:
            return self._attached.send(message)
        with Control(self.folder) as control:
            return control.send(message)

    def go(self, **values: Any) -> None:
        """Let the child begin; ``values`` are those of `go` in the wire protocol."""
        self.send({"type": "go", **values})

    def keep_document(self, document: Mapping[str, Any]) -> str:
        """Keep a fork's document in the run's folder, for a store without files; its path."""
        path = self.folder / "fork.json"
        with _private(path) as file:
            json.dump(document, file)
        return str(path)

    def abort(self) -> None:
        self.send({"type": "abort"})

    def cancel(self) -> None:
        self.send({"type": "cancel"})

    def answer(self, prompt_id: object, text: str | None) -> None:
        """Answer a question; None: nobody is there to answer it."""
        self.send({"type": "answer", "id": prompt_id, "text": text})

    def follow(
        self, *, stop: threading.Event | None = None, timeout: float | None = None
    ) -> Iterator[Message]:
        """All messages from the first to `exited`, waiting for those to come."""
        return follow(self.folder, stop=stop, timeout=timeout)

    def follower(self) -> Follower:
        """For a front end with a clock of its own: `Follower.poll` never waits."""
        return Follower(self.folder)

    def state(self) -> RunState:
        """How the run stands now."""
        return run_state(self.folder)

    def close(self) -> None:
        if self._attached is not None:
            self._attached.close()
            self._attached = None

    def __enter__(self) -> RunHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def start_run(
    spec: RunSpec,
    document: Mapping[str, Any] | None = None,
    begins: Callable[[str], None] = lambda _: None,
) -> RunHandle:
    """Start a run, and return when its supervisor takes orders.

    ``document`` is written into the run's folder where the store has no file of the
    checkpoint. ``begins`` is told the run's id before any process starts. Raises
    `CrewcheckError` where the supervisor cannot be started; what fails later is in the
    journal.
    """
    if not hasattr(os, "fork"):
        raise Refused("runs need Linux or macOS", "here checkpoints can be read, not run")
    folder = make_run_folder()
    spec.run_id = folder.name
    seconds = time.time()
    spec.created_at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    spec.created_at += f".{int(seconds * 1000) % 1000:03d}Z"
    try:
        if document is not None:
            spec.document_path = str(folder / "document.json")
            with _private(folder / "document.json") as file:
                json.dump(document, file)
        with _private(folder / "spec.json") as file:
            file.write(spec.to_json().decode("ascii"))
        begins(folder.name)
        _start_supervisor(spec, folder)
    except OSError as error:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
        reason = (error.strerror or str(error)).lower()
        what = error.filename or folder
        raise CrewcheckError(f"the run cannot be started: {what}: {reason}") from None
    handle = RunHandle(folder)
    with contextlib.suppress(CrewcheckError):
        # else it is over already, and the journal tells why
        handle.attach()
    return handle


def open_run(run_id: str) -> RunHandle:
    """A run by its id or an unmistakable part of it. Raises `NotFound`."""
    return RunHandle(run_folder(run_id))


def _private(path: Path) -> Any:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    return open(file, "w", encoding="ascii")


def _start_supervisor(spec: RunSpec, folder: Path) -> None:
    # isolated and without site-packages: it needs neither, and starts faster
    command = [sys.executable, "-I", "-S", detach.__file__, str(folder)]
    with (
        open(folder / "supervisor.log", "ab") as log,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, **spec.env},
            close_fds=True,
        ) as starting,
    ):
        assert starting.stdout is not None
        said = starting.stdout.readline().decode("utf-8", "replace").strip()
    if said != "ready":
        raise CrewcheckError(
            f"the supervisor of the run cannot be started: {said or 'it said nothing'}",
            f"see {folder / 'supervisor.log'}",
        )
