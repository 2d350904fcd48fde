"""Ending a process that may not want to: one signal after another, with time in between."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence


class Escalation:
    """Sends signals in turn; `next_at` is when `step` wants to be called again."""

    def __init__(self, send: Callable[[int], None]) -> None:
        self._send = send
        self._left: list[tuple[float, int]] = []
        self.next_at: float | None = None
        #: the signals that were sent
        self.sent: list[int] = []

    @property
    def begun(self) -> bool:
        return bool(self.sent or self._left)

    def begin(self, numbers: Sequence[int], grace: float, *, after: float = 0.0) -> None:
        """Send ``numbers``, ``grace`` seconds apart. Begun already: take the next step now."""
        if not self.begun:
            now = time.monotonic() + after
            self._left = [(now + grace * place, number) for place, number in enumerate(numbers)]
        elif self._left and self.next_at is not None:
            early = max(0.0, self.next_at - time.monotonic())
            self._left = [(at - early, number) for at, number in self._left]
        self.step()

    def step(self) -> None:
        """Send what is due."""
        while self._left and self._left[0][0] <= time.monotonic():
            _, number = self._left.pop(0)
            self.sent.append(number)
            self._send(number)
        self.next_at = self._left[0][0] if self._left else None


#: What a person's Cancel does.
GENTLY = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
#: For a child that has nothing to finish.
FIRMLY = (signal.SIGTERM, signal.SIGKILL)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
