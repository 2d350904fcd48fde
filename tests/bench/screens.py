"""Measuring a Textual app without a terminal: the same for crewcheck and for CrewAI's.

Needs textual only, for CrewAI's app is measured by CrewAI's Python. An app must be of the
process that measures it, and of that alone: imports and caches are warm afterwards.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual import events
from textual.app import App

Number = dict[str, float]

SIZE = (140, 45)
#: Nothing takes longer but what hangs.
TIMEOUT = 1800.0


class Watch:
    """Tells when an app has painted what is waited for."""

    def __init__(self, app: App[Any]) -> None:
        self.painted = asyncio.Event()
        self.ready: Callable[[], bool] = lambda: False
        #: called after each paint
        self.after: Callable[[], None] = lambda: None
        display = app._display

        def watched(screen: Any, renderable: Any) -> None:
            display(screen, renderable)
            self.after()
            if not self.painted.is_set() and self.ready():
                self.painted.set()

        app._display = watched  # type: ignore[method-assign]

    async def until(self, ready: Callable[[], bool]) -> float:
        """Wait for a paint after which something holds; when that was."""
        self.ready = ready
        self.painted.clear()
        await asyncio.wait_for(self.painted.wait(), TIMEOUT)
        return time.perf_counter()


@asynccontextmanager
async def running(app: App[Any]) -> AsyncIterator[None]:
    """The app without a terminal. (A pilot waits until it is idle, which would be measured.)"""
    task = asyncio.ensure_future(app.run_async(headless=True, size=SIZE))
    try:
        yield
    finally:
        app.exit()
        await asyncio.wait_for(task, TIMEOUT)


def press(app: App[Any], key: str) -> None:
    """A key, as the terminal's driver gives it."""
    app.post_message(events.Key(key, None))


async def settled(quiet: float = 0.25) -> None:
    """Until the process has next to nothing to do."""
    while True:
        before = time.process_time()
        await asyncio.sleep(quiet)
        if time.process_time() - before < quiet * 0.05:
            return


async def cpu_per_key(app: App[Any], key: str, count: int, pause: float) -> float:
    """CPU seconds of a key and of what it brings about, the same as often."""
    await settled()
    before = time.process_time()
    began = time.perf_counter()
    for _ in range(count):
        press(app, key)
        await asyncio.sleep(pause)
    await settled()
    spent = time.process_time() - before
    return (spent - await _idle(time.perf_counter() - began)) / count


async def _idle(seconds: float) -> float:
    """What the app uses in so many seconds when nothing is done: blinking, clocks."""
    span = min(seconds, 1.0)
    before = time.process_time()
    await asyncio.sleep(span)
    return (time.process_time() - before) * seconds / span


class Keys:
    """Cursor keys at fixed times, and how long after its time each was painted.

    The times are kept by another thread, so that a loop that hangs makes no key late but
    slow, as for a person.
    """

    def __init__(self, app: App[Any], position: Callable[[], int]) -> None:
        self.app = app
        self.position = position
        self.waits: list[float] = []
        self._pending: list[tuple[int, float]] = []
        self._done = asyncio.Event()

    def _painted(self) -> None:
        now, at = time.perf_counter(), self.position()
        while self._pending and self._pending[0][0] <= at:
            self.waits.append(now - self._pending.pop(0)[1])
        if not self._pending:
            self._done.set()

    async def go(self, watch: Watch, count: int, every: float) -> None:
        """Press the key ``count`` times, a key each ``every`` seconds."""
        loop = asyncio.get_running_loop()
        began, first = time.perf_counter() + 0.01, self.position()
        watch.after = self._painted
        sent = threading.Event()

        def one(number: int, due: float) -> None:
            self._done.clear()
            self._pending.append((first + number, due))
            press(self.app, "down")

        def clock() -> None:
            for number in range(1, count + 1):
                due = began + (number - 1) * every
                time.sleep(max(0.0, due - time.perf_counter()))
                loop.call_soon_threadsafe(one, number, due)
            loop.call_soon_threadsafe(sent.set)

        threading.Thread(target=clock, daemon=True).start()
        while not sent.is_set():
            await asyncio.sleep(every)
        await asyncio.wait_for(self._done.wait(), 60)
        watch.after = lambda: None


def spread(waits: list[float]) -> Number:
    """Median, 95th percentile and worst of some times."""
    ordered = sorted(waits)
    return {
        "median": statistics.median(ordered),
        "p95": ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))],
        "worst": ordered[-1],
    }


def resident() -> float:
    """What the process holds in memory now, in bytes; its peak where that is not told."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return float(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return float(peak * (1 if sys.platform == "darwin" else 1024))
