"""The journal of a run: one message a line, only ever appended to.

A line is out of our hands (written to the file) before the next message is looked at. A
supervisor that is killed can leave a torn last line, which readers do not see. On a full
disk messages wait in memory; what had to be dropped is counted and noted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from crewcheck.runtimes.wire import LAST, Message, Reader, dump

#: Bytes of `log` and `event` lines that wait for a full disk before they are dropped.
_BACKLOG = 4 << 20
_SYNCED = LAST | {"go", "started", "exited"}
_READ = 1 << 18


def now() -> str:
    """The time as messages have it: UTC ISO with milliseconds."""
    seconds = time.time()
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds * 1000) % 1000:03d}Z"


class Journal:
    """A journal that is being written. Only its supervisor has one."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self._file = os.open(path, flags, 0o600)
        self._waiting = b""
        self._dropped = 0
        self.count = 0
        #: the error that keeps it from being written at the moment
        self.problem: OSError | None = None

    def append(self, messages: Iterable[Message]) -> list[Message]:
        """Write messages down, and return them with ``n`` and ``at``. Never raises."""
        done: list[Message] = []
        lines: list[bytes] = []
        sync = False
        at = now()
        for message in messages:
            kind = message["type"]
            if kind in ("log", "event") and len(self._waiting) > _BACKLOG:
                self._dropped += 1
                continue
            self.count += 1
            # the type comes first, so that readers can pass over a log without parsing it
            numbered = {"type": kind, **message, "n": self.count, "at": at}
            lines.append(dump(numbered))
            done.append(numbered)
            sync = sync or kind in _SYNCED
        self._waiting += b"".join(lines)
        self.flush()
        if sync and self.problem is None:
            try:
                os.fsync(self._file)
            except OSError as error:
                self.problem = error
        return done

    def flush(self) -> bool:
        """Write what waits; whether all of it could be."""
        try:
            while self._waiting:
                written = os.write(self._file, self._waiting)
                self._waiting = self._waiting[written:]
        except OSError as error:
            self.problem = error
            return False
        self.problem = None
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            text = f"[{dropped} lines were lost: the disk was full]"
            self.append([{"type": "log", "stream": "stderr", "text": text}])
        return True

    def close(self) -> None:
        if self._file >= 0:
            self.flush()
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class JournalReader:
    """Reads a journal from the beginning on, also while it grows.

    ``without_log`` passes over what the user's program printed.
    """

    def __init__(self, folder: Path, *, without_log: bool = False) -> None:
        self.path = folder / "journal.jsonl"
        self._offset = 0
        self._lines = Reader()
        self._without_log = without_log
        self._rest = b""
        #: whether the last `read` came to the end of what there is
        self.drained = True

    @property
    def bad(self) -> int:
        """Lines that were no messages."""
        return self._lines.bad

    def read(self, limit: int | None = None) -> list[Message]:
        """The messages that have come in since, at most about ``limit`` bytes of them.

        None yet, or nothing new: an empty list. Raises `OSError` where the file is there
        but cannot be read.
        """
        try:
            with open(self.path, "rb", buffering=0) as file:
                file.seek(self._offset)
                return self._read(file.read, limit)
        except FileNotFoundError:
            return []

    def _read(self, read: Callable[[int], bytes], limit: int | None) -> list[Message]:
        messages: list[Message] = []
        taken = 0
        self.drained = False
        while limit is None or taken < limit:
            data = read(_READ)
            if not data:
                self.drained = True
                break
            taken += len(data)
            self._offset += len(data)
            messages += self._lines.feed(self._sifted(data))
        return messages

    def _sifted(self, data: bytes) -> bytes:
        """The bytes without the lines of a log, where those are not wanted."""
        if not self._without_log:
            return data
        head, end, rest = (self._rest + data).rpartition(b"\n")
        self._rest = rest
        lines = head.split(b"\n")
        kept = [line for line in lines if not line.startswith(b'{"type": "log"')]
        return b"\n".join(kept) + end


def read_journal(folder: Path, *, without_log: bool = False) -> list[Message]:
    """All whole messages of a run so far."""
    return JournalReader(folder, without_log=without_log).read()
