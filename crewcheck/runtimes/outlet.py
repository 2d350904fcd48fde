"""Messages on their way to the child: kept until it reads them."""

from __future__ import annotations

import os
import selectors

from crewcheck.runtimes.wire import Message, dump


class Outlet:
    """The writing side of a pipe whose reader may take its time, or be gone."""

    def __init__(self, selector: selectors.BaseSelector, file: int) -> None:
        self._selector = selector
        self._file = file
        self._waiting = bytearray()
        self._registered = False
        self._broken = False

    def send(self, message: Message) -> None:
        """Send as soon as the other side can take it; to nobody, if it is gone."""
        if not self._broken:
            self._waiting += dump(message)
            self._flush(0)

    def _flush(self, _: int) -> None:
        try:
            while self._waiting:
                written = os.write(self._file, self._waiting[: 1 << 16])
                del self._waiting[:written]
        except BlockingIOError:
            if not self._registered:
                self._selector.register(self._file, selectors.EVENT_WRITE, self._flush)
                self._registered = True
            return
        except OSError:
            self._waiting.clear()
            self._broken = True
        if self._registered:
            self._selector.unregister(self._file)
            self._registered = False
