"""The last line: the keys that can be pressed now."""

from __future__ import annotations

from pathlib import Path

import pytest

from crewcheck.tui.bindings import SPARED
from crewcheck.tui.widgets.key_bar import Key, KeyBar, fitting
from tests.tui.conftest import Running, drawn_lines, press, screen_of, settle

KEYS = [
    Key(one, one, does, id)
    for one, does, id in (
        ("f", "Fork", "fork"), ("e", "Resume", "resume"), ("i", "Edit", "edit"),
        ("u", "Undo", "edit.undo"), ("x", "Cancel run", "run.cancel"),
        ("p", "Answer", "run.answer"), ("d", "Diff", "diff"), ("/", "Filter", "filter"),
        ("y", "Copy", "copy"), ("?", "Help", "help"), ("q", "Quit", "quit"),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("room", "shown"),
    [(120, "feiuxpd/y?q"), (76, "feiuxp?q"), (60, "fexp?q"), (10, "?"), (0, "?")],
)
def test_where_there_is_no_room_the_less_needed_ones_go(room: int, shown: str) -> None:
    assert "".join(key.shown for key in fitting(KEYS, SPARED, room)) == shown


async def test_help_and_quit_are_in_sight_at_80_columns(running: Running, small: Path) -> None:
    async with running(small, size=(80, 24)) as pilot:
        assert drawn_lines(pilot)[-1].strip() == (
            "f Fork  e Resume  d Diff  / Filter  y Copy  ? Help  q Quit"
        )
        await press(pilot, "2")
        assert "i Edit" in drawn_lines(pilot)[-1]


async def test_it_is_drawn_anew_only_if_it_has_changed(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        bar = screen_of(pilot).query_one(KeyBar)
        drawn = bar.drawn
        for _ in range(5):
            screen_of(pilot).refresh_bindings()
            await settle(pilot)
        assert bar.drawn == drawn


async def test_a_click_is_the_key(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        line = drawn_lines(pilot)[-1]
        await pilot.click(KeyBar, offset=(line.index("? Help"), 0))
        await settle(pilot)
        assert len(pilot.app.screen_stack) == 2
