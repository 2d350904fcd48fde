"""What comes from the child, as messages for the journal: its own, and what it printed."""

from __future__ import annotations

from collections import deque

from crewcheck.runtimes.log_lines import LogLines
from crewcheck.runtimes.wire import Message, Reader

#: Messages that only a supervisor writes.
_RESERVED = frozenset({"supervised", "go", "abort", "answer", "cancel", "exited"})
#: How much of a run's prints is kept, in characters, for each stream.
LOG_LIMIT = 32 << 20
_TAIL_LINES = 40


class ChildMessages:
    """The child's messages, without those that it must not send."""

    def __init__(self) -> None:
        self._reader = Reader()

    def feed(self, data: bytes) -> list[Message]:
        messages = self._reader.feed(data)
        return [one for one in messages if one["type"] not in _RESERVED]


class LogStream:
    """One stream of prints as `log` messages, up to a limit for the run."""

    def __init__(self, name: str, limit: int = LOG_LIMIT) -> None:
        self._name = name
        self._left = limit
        self._full = False
        self._lines = LogLines()
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)

    def feed(self, data: bytes) -> list[Message]:
        """The lines that ``data`` completes; no data is the end of the stream."""
        lines = self._lines.feed(data, end=not data)
        self._tail.extend(lines[-_TAIL_LINES:])
        if self._full:
            return []
        messages: list[Message] = []
        for line in lines:
            self._left -= len(line) + 64
            if self._left < 0:
                self._full = True
                messages.append(self._message("[more was printed than is kept of a run]"))
                break
            messages.append(self._message(line))
        return messages

    def tail(self, limit: int = 4000) -> str:
        """The last that was printed."""
        return "\n".join(self._tail)[-limit:]

    def _message(self, text: str) -> Message:
        return {"type": "log", "stream": self._name, "text": text}
