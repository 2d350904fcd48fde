"""A `crewcheck watch` that is at work, and what it has printed so far."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).resolve().parents[2])


def environment(home: Path) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "NO_COLOR"))}
    return clean | {"HOME": str(home), "PYTHONPATH": ROOT}


class Watch:
    """Started at once; to be ended by `stop` or by itself."""

    def __init__(self, folder: Path, *args: str | Path, **more: Any) -> None:
        self.out, self.err = folder / "watch.out", folder / "watch.err"
        with open(self.out, "w") as out, open(self.err, "w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "crewcheck", "watch", *map(str, args)],
                stdin=subprocess.DEVNULL,
                stdout=more.pop("stdout", out),
                stderr=err,
                env=environment(folder),
                **{"cwd": folder} | more,
            )

    def lines(self) -> list[str]:
        """The whole lines so far."""
        return self.out.read_text().split("\n")[:-1]

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines()]

    def until(self, number: int, seconds: float = 30) -> list[str]:
        """Wait for so many lines."""
        end = time.monotonic() + seconds
        while len(found := self.lines()) < number:
            assert time.monotonic() < end, (found, self.err.read_text())
            assert self.process.poll() is None, self.err.read_text()
            time.sleep(0.02)
        return found

    def until_said(self, said: str, seconds: float = 30) -> None:
        """Wait for words on stderr."""
        end = time.monotonic() + seconds
        while said not in self.err.read_text():
            assert time.monotonic() < end, self.err.read_text()
            time.sleep(0.02)

    def stop(self) -> int:
        """Ctrl+C; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
