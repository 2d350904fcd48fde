"""One at a time, those that wait in the order of their numbers: a lock lets in anyone."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Takes turns. Of equal numbers who came first is first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._arrivals = itertools.count()
        self._waiting: list[tuple[int, int]] = []
        self._taken = False

    @contextmanager
    def turn(self, number: int) -> Iterator[None]:
        """While this holds, nobody else's does."""
        with self._changed:
            mine = (number, next(self._arrivals))
            heapq.heappush(self._waiting, mine)
            self._changed.wait_for(lambda: not self._taken and self._waiting[0] == mine)
            heapq.heappop(self._waiting)
            self._taken = True
        try:
            yield
        finally:
            with self._changed:
                self._taken = False
                self._changed.notify_all()
