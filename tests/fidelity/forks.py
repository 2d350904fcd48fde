"""Our side of the zygote: starts it, and gives it jobs."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

_SCRIPT = Path(__file__).with_name("zygote.py")
_SECONDS = 120.0


class Job:
    """A fork at work, ``pid`` its process and the leader of its group."""

    def __init__(self, connection: socket.socket) -> None:
        self._lines = connection.makefile("rb")
        self._connection = connection
        line = self._lines.readline()
        if not line:
            raise RuntimeError("the zygote is gone")
        self.pid = int(line)

    def wait(self, seconds: float = _SECONDS) -> int:
        """The exit code, or minus the number of the signal that ended it."""
        self._connection.settimeout(seconds)
        try:
            return os.waitstatus_to_exitcode(int(self._lines.readline()))
        finally:
            self.close()

    def close(self) -> None:
        self._lines.close()
        self._connection.close()

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)


class Zygote:
    """A process of an interpreter that has crewai, and forks for each job."""

    def __init__(self, python: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="zygote-")
        self.path = os.path.join(self._folder.name, "socket")
        home = os.path.join(self._folder.name, "home")
        os.mkdir(home)
        self._process = subprocess.Popen(
            [python, str(_SCRIPT), self.path],
            stdin=subprocess.PIPE,
            env=environment(home),
            cwd=home,
        )
        self._reached = False

    def _connect(self) -> socket.socket:
        import time

        end = time.monotonic() + _SECONDS
        while True:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                connection.connect(self.path)
                return connection
            except OSError:
                connection.close()
                gone = self._process.poll()
                if gone is not None or time.monotonic() > end:
                    raise RuntimeError(f"the zygote does not answer (exit {gone})") from None
                time.sleep(0.02)

    def start(
        self,
        kind: str,
        *,
        cwd: str,
        env: Mapping[str, str],
        log: str,
        descriptors: Sequence[int] = (),
        **more: Any,
    ) -> Job:
        """Fork. ``log`` is the file for stdout and stderr."""
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        connection = self._connect()
        connection.settimeout(_SECONDS)
        message = {"kind": kind, "cwd": cwd, "env": dict(env), **more}
        try:
            data = json.dumps(message).encode() + b"\n"
            sent = socket.send_fds(connection, [data], [output, output, *descriptors])
            connection.sendall(data[sent:])
            return Job(connection)
        finally:
            os.close(output)

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def __enter__(self) -> Zygote:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def environment(home: str, **more: str) -> dict[str, str]:
    """What a run of a scenario is given: little of ours, and nothing that calls home."""
    inherited = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
    return {
        **inherited,
        "HOME": home,
        "CREWAI_DISABLE_TELEMETRY": "true",
        "CREWAI_TRACING_ENABLED": "false",
        "OTEL_SDK_DISABLED": "true",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }
