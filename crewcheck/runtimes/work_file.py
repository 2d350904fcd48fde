"""What a run's child had done of work under way, kept for a later resume of the same checkpoint.

    work.jsonl    in the run's folder: an event a line, as the child tells it (`wire`)

A checkpoint tells what was done until it was written. What models and tools had said since is
paid for, too: a resume is answered from here what it asks again in the same words. The file is
of no use once the run has finished, and is taken away then. Stdlib only and Python 3.10: the
child reads it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

NAME = "work.jsonl"


class WorkFile:
    """Written by the supervisor. What cannot be written is done without."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._file = -1

    def append(self, event: object) -> None:
        """Write an event down. Never raises."""
        with contextlib.suppress(OSError):
            if self._file < 0:
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
                self._file = os.open(self._path, flags, 0o600)
            os.write(self._file, json.dumps(event, default=str).encode("ascii") + b"\n")

    def close(self, *, keep: bool) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if not keep:
            with contextlib.suppress(OSError):
                self._path.unlink()


def read_work(paths: Iterable[str], known: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The events in some files, in their order, each once, without those whose ids are known.

    A file that is gone, and a line that is torn, are passed over.
    """
    seen = set(known)
    found = []
    for path in paths:
        for event in _lines(path):
            event_id = event.get("event_id")
            if isinstance(event_id, str) and event_id not in seen:
                seen.add(event_id)
                found.append(event)
    return found


def _lines(path: str) -> Iterator[dict[str, Any]]:
    try:
        with open(path, "rb") as file:
            for line in file:
                with contextlib.suppress(ValueError):
                    value = json.loads(line)
                    if isinstance(value, dict):
                        yield value
    except OSError:
        return
