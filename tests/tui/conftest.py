"""Helpers of the app's tests: stores made by hand, and waiting for workers, not for time."""

from __future__ import annotations

import asyncio
import calendar
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from crewcheck.tui.app import CrewcheckApp
from crewcheck.tui.screens.browser import BrowserScreen
from tests import build

#: An hour after the checkpoints that `build` makes.
NOW = float(calendar.timegm((2026, 11, 29, 18, 0, 0)))

Running = Callable[..., AbstractAsyncContextManager[Pilot[None]]]


def screen_of(pilot: Pilot[None]) -> BrowserScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, BrowserScreen)
    return screen


def closed(pilot: Pilot[None]) -> bool:
    """Whether no dialog is open."""
    return len(pilot.app.screen_stack) == 1


async def settle(pilot: Pilot[None]) -> None:
    """Until nothing is being read and everything that was read has been drawn."""
    screen = screen_of(pilot)
    nodes = [pilot.app, screen, screen.tree_view, screen.detail, screen.detail.rows]
    quiet = 0
    while quiet < 3:
        await asyncio.sleep(0.002)
        busy = screen.busy or any(node.message_queue_size for node in nodes)
        quiet = 0 if busy else quiet + 1
    await pilot.pause(0)


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def tree_lines(pilot: Pilot[None]) -> list[str]:
    tree = screen_of(pilot).tree_view
    return [tree.line_text(index).plain for index in range(tree.count)]


def drawn_lines(pilot: Pilot[None]) -> list[str]:
    """The whole screen as text."""
    screen = pilot.app.screen
    return ["".join(part.text for part in strip) for strip in screen._compositor.render_strips()]


def screen_text(pilot: Pilot[None]) -> str:
    return "\n".join(drawn_lines(pilot))


def notice_text(pilot: Pilot[None]) -> str:
    return "\n".join(
        str(line.content) for line in screen_of(pilot).query("Notice Static").results(Static)
    )


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times on the screen are local: make that UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The working folder is a place where crews are looked for: not in this project's."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state folder of its own, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="cc-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("CREWCHECK_STATE_DIR", os.path.join(folder, "state"))
        yield Path(folder) / "state"


@pytest.fixture
def running() -> Running:
    """An app over a store, settled: ``async with running(path, size=...) as pilot``."""

    @asynccontextmanager
    async def run(
        location: Path | str | None, size: tuple[int, int] = (120, 40), **more: object
    ) -> AsyncIterator[Pilot[None]]:
        # the pilot waits for an idle process after each key: nothing is followed unless asked for
        options: dict[str, object] = {"now": lambda: NOW, "following": False} | more
        app = CrewcheckApp(None if location is None else str(location), **options)  # type: ignore[arg-type]
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            yield pilot

    return run


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A run of three checkpoints, a fork of its first, and a fork of that."""
    return build.small_store(tmp_path / "store")
