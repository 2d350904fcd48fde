"""A project around a store whose runs are those of the fake child, and waiting for them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from crewcheck.tui.screens.launch import LaunchScreen
from tests import build
from tests.tui.conftest import screen_of, screen_text
from tests.tui.python import make_python

FAKE = str(Path(__file__).with_name("fake_crew.py"))
FAKE_FLOW = str(Path(__file__).with_name("fake_flow.py"))
S = TypeVar("S", bound=Screen[object])


def make_project(root: Path, *, python: bool = True) -> Path:
    """A project with a crew, and its store with a run and forks of it."""
    root.mkdir(parents=True, exist_ok=True)
    lines = ["[tool.crewcheck]", 'entry = "crew:crew"']
    if python:
        lines.append(f'python = "{make_python(root / "env")}"')
    (root / "pyproject.toml").write_text("\n".join(lines) + "\n")
    return build.small_store(root / "store")


def use_fake(
    pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch, *steps: str, boot: str = FAKE
) -> None:
    """Let the app's runs be the fake child's, with these steps."""
    screen_of(pilot).boot = boot
    monkeypatch.setenv("CREWCHECK_FAKE", "\n".join(steps))


async def until(pilot: Pilot[None], true: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for something that another process brings about."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise AssertionError(f"it did not come about:\n{screen_text(pilot)}")
        await asyncio.sleep(0.02)
        await pilot.pause(0)
    await pilot.pause(0)


async def until_text(pilot: Pilot[None], text: str, seconds: float = 20.0) -> None:
    await until(pilot, lambda: text in screen_text(pilot), seconds)


def launch_of(pilot: Pilot[None]) -> LaunchScreen:
    screen = pilot.app.screen
    assert isinstance(screen, LaunchScreen), screen
    return screen


async def until_ready(pilot: Pilot[None]) -> LaunchScreen:
    """Until the dialog has the exact plan."""
    launch = launch_of(pilot)
    await until(pilot, lambda: launch.phase == "ready")
    return launch


async def keys(pilot: Pilot[None], *pressed: str) -> None:
    """Press keys without waiting for workers: something runs all the time."""
    for key in pressed:
        await pilot.press(key)
        await pilot.pause(0)


async def go_to(pilot: Pilot[None], checkpoint_id: str) -> None:
    screen = screen_of(pilot)
    assert screen.go_to_checkpoint(checkpoint_id)
    await until(pilot, lambda: screen.detail.loaded is not None)
