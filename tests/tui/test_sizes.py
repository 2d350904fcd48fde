"""Windows of any size, and while one is resized."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from tests import build
from tests.tui.conftest import Running, drawn_lines, press, screen_of, screen_text, settle

SIZES = [(1, 1), (20, 5), (30, 8), (40, 10), (79, 24), (80, 24), (120, 40), (300, 100)]


@pytest.mark.parametrize("size", SIZES)
async def test_every_tab_at_every_size(
    running: Running, small: Path, size: tuple[int, int]
) -> None:
    async with running(small, size=size, first_hint="hello") as pilot:
        await press(pilot, "g", "down", "2", "tab", "3", "4", "5", "6", "1", "slash", "x", "escape")
        for line in drawn_lines(pilot):
            assert cell_len(line) == size[0]
        await press(pilot, "question_mark", "escape")


async def test_resizing_while_things_happen(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        for size in [*SIZES, *reversed(SIZES)]:
            await pilot.resize_terminal(*size)
            await press(pilot, "2", "tab", "escape")
        await press(pilot, "question_mark")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await settle(pilot)


async def test_too_small_is_said(running: Running, small: Path) -> None:
    async with running(small, size=(20, 5)) as pilot:
        assert "too small" in screen_text(pilot)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert "too small" not in screen_text(pilot)
        assert "newsroom" in screen_text(pilot)


async def test_one_pane_at_a_time_in_a_narrow_window(running: Running, small: Path) -> None:
    async with running(small, size=(60, 24)) as pilot:
        assert "task done" in screen_text(pilot)
        assert "Overview" not in screen_text(pilot)
        await press(pilot, "right")
        assert "Overview" in screen_text(pilot)
        assert build.ident(5) in screen_text(pilot)
        await press(pilot, "left")
        assert "Overview" not in screen_text(pilot)
        await press(pilot, "2")
        assert "Description" in screen_text(pilot)
        await press(pilot, "slash")
        assert "status:failed" in screen_text(pilot)
        await press(pilot, "escape", "tab", "tab", "tab")
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        assert "Runs" in screen_text(pilot)
        assert "Overview" in screen_text(pilot)


async def test_both_panes_at_80x24(running: Running, small: Path) -> None:
    async with running(small, size=(80, 24)) as pilot:
        text = screen_text(pilot)
        assert "17:00:05" in text
        assert "Overview Task Inpu Mess Even Diff Raw" in text
        assert screen_of(pilot).tree_view.room >= 32
