"""SIGINT and SIGTERM end a run in order: what was written stays, and is named.

CrewAI's telemetry has handlers of its own, under which a run goes on; ours replace them.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType


class Interrupted(KeyboardInterrupt):
    """A signal came. Not an `Exception`, so that no retry of CrewAI takes it for one."""


#: How long a run has to leave its ``finally`` blocks. CrewAI waits there for threads that
#: wait for a model.
_SECONDS = 1.0


class Signals:
    """The first signal raises `Interrupted` in the main thread. A run that has not come to
    its end a moment later, or a second signal, is ended by `ends`."""

    def __init__(self) -> None:
        self.name: str | None = None
        self.ends: Callable[[str], None] = lambda name: None

    def install(self) -> None:
        """To be called in the main thread, after CrewAI's import."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._take)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self.name is not None:
            self.ends(self.name)
            return
        self.name = signal.Signals(number).name
        timer = threading.Timer(_SECONDS, self.ends, [self.name])
        timer.daemon = True
        timer.start()
        raise Interrupted(self.name)
