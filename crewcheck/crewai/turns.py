"""One at a time, in the order in which they were announced: a lock lets in anyone."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Takes turns. Who comes unannounced is behind all that were announced before.

    An announced one that does not come is waited for no longer than `patience` seconds in
    which nobody had the turn: what is announced must not be able to stop the others for good.
    """

    def __init__(self, patience: float = 5.0) -> None:
        self._patience = patience
        self._changed = threading.Condition()
        self._numbers = itertools.count()
        self._ahead: set[int] = set()
        self._taken = False

    def announce(self) -> int:
        """Somebody will come: the number to take a `turn` with, or to `withdraw`."""
        with self._changed:
            number = next(self._numbers)
            self._ahead.add(number)
            return number

    def withdraw(self, number: int) -> None:
        """Who was announced does not come, or has come: nobody waits for it."""
        with self._changed:
            self._ahead.discard(number)
            self._changed.notify_all()

    @contextmanager
    def turn(self, number: int | None = None) -> Iterator[None]:
        """While this holds, nobody else's does."""
        mine = self.announce() if number is None else number
        with self._changed:
            while self._taken or min(self._ahead, default=mine) < mine:
                if not self._changed.wait(self._patience) and not self._taken:
                    break
            self._ahead.discard(mine)
            self._taken = True
        try:
            yield
        finally:
            with self._changed:
                self._taken = False
                self._changed.notify_all()
