"""Keys and sizes that come quicker than the screen follows: all goes on as if they had not."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.command import CommandList
from textual.events import Resize
from textual.geometry import Size

from crewcheck.tui.commands import Palette
from crewcheck.tui.screens.dialogs import AskScreen
from crewcheck.tui.screens.help import HelpScreen
from tests import build
from tests.tui.conftest import Running, closed, press, settle


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return build.small_store(tmp_path / "store")


async def test_a_dialog_is_closed_once(store: Path, running: Running) -> None:
    async with running(store) as pilot:
        for key in ("f", "e", "question_mark"):
            await press(pilot, key)
            assert not closed(pilot)
            for _ in range(3):
                pilot.app.simulate_key("escape")
            await settle(pilot)
            assert closed(pilot)
            assert pilot.app.is_running


async def test_a_dialog_that_ends_takes_what_lies_over_it_along(
    store: Path, running: Running
) -> None:
    answers: list[str | None] = []
    async with running(store) as pilot:
        dialog = AskScreen("Sure", [], [("", "No"), ("yes", "Yes")])
        pilot.app.push_screen(dialog, answers.append)
        await pilot.pause()
        pilot.app.push_screen(HelpScreen([]))
        await pilot.pause()
        dialog.dismiss("yes")
        await settle(pilot)
        assert closed(pilot)
        assert answers == ["yes"]


@pytest.mark.parametrize("key", ["escape", "f"])
async def test_two_sizes_at_once(store: Path, running: Running, key: str) -> None:
    """Each layout tells its screen of its size: that must not go to and fro."""
    async with running(store) as pilot:
        await press(pilot, key)
        screen = pilot.app.screen
        told: list[Size] = []
        laid_out = screen._refresh_layout

        def counted(size: Size | None = None, scroll: bool = False) -> None:
            told.append(size or Size())
            assert len(told) < 20
            laid_out(size, scroll)

        screen._refresh_layout = counted  # type: ignore[method-assign]
        for size in (Size(60, 20), pilot.app.size, Size(60, 20), pilot.app.size):
            screen.post_message(Resize(size, size))
            screen.call_later(lambda: None)  # else the last one takes the place of all
        for _ in range(20):
            await pilot.pause(0)
        assert screen.size == pilot.app.size


async def test_turning_pages_of_commands_before_they_are_laid_out(
    store: Path, running: Running
) -> None:
    async with running(store) as pilot:
        await press(pilot, "colon")
        palette = pilot.app.screen
        assert isinstance(palette, Palette)
        found = palette.query_one(CommandList)
        found.clear_options()
        found.add_options(["one", "two"])
        found.highlighted = 0
        pilot.app.simulate_key("pageup")
        pilot.app.simulate_key("pagedown")
        await pilot.pause()
        assert pilot.app.is_running
        await press(pilot, "escape")
        assert closed(pilot)
