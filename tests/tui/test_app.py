"""The app over small stores: moving, folding, tabs, filter, refresh, copy, help."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from crewcheck.tui.edit_book import identity_of
from crewcheck.tui.glyphs import ASCII
from crewcheck.tui.screens import browser
from crewcheck.tui.screens.help import HelpScreen
from tests import build
from tests.tui.conftest import (
    Running,
    drawn_lines,
    notice_text,
    press,
    screen_of,
    screen_text,
    settle,
    tree_lines,
)


async def test_the_tree_at_first(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        assert tree_lines(pilot) == [
            "▾ ✓ newsroom · 5                3/3  59m ago",
            "├╴✓ task done                   3/3 17:00:03",
            "├╴○ task done                   2/3 17:00:02",
            "└╴○ task done                   1/3 17:00:01",
            "  └╴▾ ○ exp/hot soup · 2        2/3  59m ago",
            "    └╴○ task done               2/3 17:00:04",
            "      └╴▾ ✓ exp/hot soup/de…    3/3  59m ago",
            "        └╴✓ task done           3/3 17:00:05",
        ]
        node = screen_of(pilot).tree_view.node
        assert node is not None
        assert node.checkpoint.id == build.ident(5)


async def test_folding_by_keys(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        tree = screen_of(pilot).tree_view
        await press(pilot, "left")
        assert "soup/de" in tree.line_text(tree.cursor).plain
        await press(pilot, "h")
        assert tree.count == 7
        await press(pilot, "left")
        assert tree.cursor == 5
        await press(pilot, "left", "left", "left", "left")
        assert tree.cursor == 0
        await press(pilot, "left")
        assert tree.count == 1
        await press(pilot, "l")
        assert tree.count == 5
        await press(pilot, "enter")
        assert tree.count == 1
        await press(pilot, "plus")
        assert tree.count == 8
        await press(pilot, "minus", "right", "right")
        assert tree.cursor == 1


async def test_moving(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        tree = screen_of(pilot).tree_view
        walk = {"g": 0, "down": 1, "j": 2, "k": 1, "up": 0, "G": 7, "home": 0, "end": 7}
        moves = [*walk.items(), ("down", 7), ("pageup", 0), ("up", 0), ("pagedown", 7)]
        for key, at in moves:
            await pilot.press(key)
            assert tree.cursor == at, key


async def test_a_cursor_move_draws_two_lines(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        tree = screen_of(pilot).tree_view
        await press(pilot, "g")
        before = tree.drawn
        await press(pilot, "down")
        assert tree.drawn - before == 2


async def test_the_detail_follows_the_cursor(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        await press(pilot, "g", "down", "down")
        text = screen_text(pilot)
        assert build.ident(2) in text
        assert "○ stopped  next: edit" in text
        assert "2 of 3 tasks" in text
        await press(pilot, "down")
        assert "1 of 3 tasks" in screen_text(pilot)
        assert "exp/hot soup" in screen_text(pilot)


async def test_tabs(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        screen = screen_of(pilot)
        titles = [page.title for page in screen.detail.pages]
        assert titles == ["Overview", "Tasks", "Inputs", "Messages", "Events", "Diff", "Raw"]
        await press(pilot, "2")
        assert "The end" in screen_text(pilot)
        await press(pilot, "tab", "up")
        assert "Another draft" in screen_text(pilot) or "A draft" in screen_text(pilot)
        await press(pilot, "right_square_bracket")
        assert "bridges" in screen_text(pilot)
        await press(pilot, *["left_square_bracket"] * 5)
        assert screen.detail.tab == "events"
        assert "No events are recorded" in screen_text(pilot)
        await press(pilot, "9")
        assert screen.detail.tab == "events"


async def test_the_chosen_task_stays_while_moving_about(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "2", "tab", "g")
        assert screen.detail.rows.cursor == 0
        await press(pilot, "escape", "up", "up")
        assert screen.focused is screen.tree_view
        assert screen.detail.rows.cursor == 0


async def test_tab_goes_round(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        screen = screen_of(pilot)
        seen = []
        for _ in range(4):
            seen.append(screen.focused.id if screen.focused else None)
            await press(pilot, "tab")
        assert seen == ["tree", "text", "tree", "text"]
        await press(pilot, "2")
        for _ in range(3):
            await press(pilot, "shift+tab")
            seen.append(screen.focused.id if screen.focused else None)
        assert set(seen[4:]) == {"tree", "rows", "text"}


async def test_right_opens_and_left_goes_back(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "right")
        assert screen.detail.text.has_focus
        await press(pilot, "left")
        assert screen.tree_view.has_focus


async def test_the_filter(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "slash", *"branch", "colon", *"main", "space", *"done")
        assert screen.query_one("#left").border_subtitle == "3 of 5"
        assert screen.tree_view.count == 4
        await press(pilot, "enter")
        assert screen.focused is screen.tree_view
        assert screen.query_text == "branch:main done"
        await press(pilot, "escape")
        assert screen.tree_view.count == 8
        assert screen.query_one("#left").border_subtitle == ""


async def test_a_filter_that_is_no_question_says_so(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        screen = screen_of(pilot)
        said = screen.query_one("#filter-problem", Static)
        await press(pilot, "slash")
        field = screen.query_one(Input)
        for typed, hits, problem in (
            ("since:5", "0 of 5", "since:5: it is no time; write 30m, 2h"),
            ("since:59m is:leaf", "0 of 5", ""),
            ("since:1h is:leaf", "2 of 5", ""),
            ('branch:"hot soup"', "2 of 5", ""),
        ):
            field.value = typed
            await settle(pilot)
            assert screen.query_one("#left").border_subtitle == hits
            assert str(said.content).startswith(problem)
            assert said.display == bool(problem)
        field.value = "leaf:[red]x"
        await settle(pilot)
        assert "leaf:[red]x asks nothing" in screen_text(pilot).replace("\n", "")
        await press(pilot, "escape")
        assert not said.display
        assert screen.tree_view.count == 8


async def test_letters_in_the_filter_are_letters(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "slash", *"qr2y")
        assert screen.query_one(Input).value == "qr2y"
        assert screen.tree_view.count == 0
        assert screen.query_one("#left").border_subtitle == "0 of 5"
        await press(pilot, "right", "enter", "right", "left", "enter", "y", "2", "tab", "escape")
        assert screen.tree_view.count == 8


async def test_a_refresh_keeps_cursor_and_folds(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        tree = screen_of(pilot).tree_view
        await press(pilot, "left", "left")
        before = tree_lines(pilot)
        tree.move_to(2)
        await settle(pilot)
        await press(pilot, "r")
        assert tree_lines(pilot) == before
        assert tree.cursor == 2
        three = build.task("a", output="x")
        build.write(
            small,
            build.document(build.crew(three), parent=build.ident(3)),
            build.ident(9),
            build.ident(3),
        )
        await press(pilot, "r")
        assert tree.count == len(before) + 1
        assert tree.node is not None
        assert tree.node.checkpoint.id == build.ident(2)


async def test_what_is_gone_is_gone(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        tree = screen_of(pilot).tree_view
        for path in small.rglob(f"{build.ident(5)}*"):
            path.unlink()
        await press(pilot, "2", "r")
        # what the cursor is on stays in sight until it moves on
        assert tree.count == 8
        assert "was deleted" in tree.line_text(tree.cursor).plain
        await press(pilot, "f", "up", "up", "r")
        assert tree.count == 6
        assert tree.node is not None
        assert tree.node.checkpoint.id == build.ident(4)
        # a document that goes while it is looked at
        for path in small.rglob(f"{build.ident(2)}*"):
            path.unlink()
        await press(pilot, "g", "down", "down")
        await press(pilot, "r")
        shutil.rmtree(small)
        await press(pilot, "r")
        assert "cannot be shown" in notice_text(pilot)
        build.small_store(small)
        await press(pilot, "r")
        assert tree.count


async def test_copying(running: Running, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(small) as pilot:
        copied: list[str] = []
        monkeypatch.setattr(pilot.app, "copy_to_clipboard", copied.append)
        # on the screen a message goes after a while
        messages: list[str] = []
        monkeypatch.setattr(pilot.app, "notify", lambda said, **_more: messages.append(said))
        await press(pilot, "y", "Y", "2", "tab", "y")
        assert copied == [
            build.ident(5),
            str(small / "exp/hot soup/deeper" / f"{build.ident(5)}_p-{build.ident(4)}.json"),
            "The end",
        ]
        assert messages[0] == f"Copied the checkpoint's id: {build.ident(5)}"


async def test_selected_text_is_copied(
    running: Running, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(small) as pilot:
        copied: list[str] = []
        monkeypatch.setattr(pilot.app, "copy_to_clipboard", copied.append)
        text = screen_of(pilot).detail.text
        await pilot.mouse_down(text, offset=(0, 0))
        await pilot.hover(text, offset=(8, 0))
        await pilot.mouse_up(text, offset=(8, 0))
        await press(pilot, "y")
        assert [text.strip() for text in copied] == ["newsroom"]


async def test_the_mouse(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        tree = screen_of(pilot).tree_view
        await pilot.click(tree, offset=(10, 2))
        await settle(pilot)
        assert tree.cursor == 2
        await pilot.click(tree, offset=(10, 0), times=2)
        await settle(pilot)
        assert tree.count == 1
        tabs = screen_of(pilot).detail.tabs
        await pilot.click(tabs, offset=(16, 0))
        await settle(pilot)
        assert screen_of(pilot).detail.tab == "work"


async def test_help_lists_every_key(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HelpScreen)
        text = screen_text(pilot)
        for said in ("Look at the store again", "Copy the place", "1 - 9"):
            assert said in text
        await pilot.press("escape")
        await settle(pilot)
        assert not isinstance(pilot.app.screen, HelpScreen)


async def test_every_binding_says_what_it_does(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        screen = screen_of(pilot)
        for owner in (pilot.app, screen, screen.tree_view, screen.detail.rows, screen.detail.text):
            for _, binding in owner._bindings:
                if type(owner).__module__.startswith("crewcheck") and binding.id:
                    assert binding.tooltip, binding
        for name in ("filter", "refresh", "copy", "pane.next"):
            assert any(binding.id == name for _, binding in screen._bindings)


async def test_the_palette(running: Running, small: Path) -> None:
    async with running(small) as pilot:
        titles = [command.title for command in pilot.app.get_system_commands(screen_of(pilot))]
        assert "Tab: tasks" in titles
        assert "App: theme" in titles
        for command in list(pilot.app.get_system_commands(screen_of(pilot)))[:-2]:
            command.callback()
            screen_of(pilot).following = False
            screen_of(pilot).live()
            await settle(pilot)


async def test_the_first_hint(running: Running, small: Path) -> None:
    async with running(small, first_hint="↑↓ move [red]") as pilot:
        assert "↑↓ move [red]" in screen_text(pilot)
        await press(pilot, "escape")
        assert "↑↓ move" not in screen_text(pilot)


async def test_an_empty_store(running: Running, tmp_path: Path) -> None:
    async with running(tmp_path) as pilot:
        assert "No checkpoints yet" in notice_text(pilot)
        assert "crewcheck demo" in notice_text(pilot)
        build.small_store(tmp_path)
        await press(pilot, "r")
        assert screen_of(pilot).tree_view.count == 8
        assert screen_of(pilot).focused is screen_of(pilot).tree_view


async def test_a_missing_store(running: Running, tmp_path: Path) -> None:
    async with running(tmp_path / "[red]no[/x]") as pilot:
        assert "[red]no[/x]" in notice_text(pilot)
        await press(pilot, "r", "slash", "y", "2", "tab")
        assert "No such file or folder" in notice_text(pilot)


async def test_a_file_that_is_no_store(running: Running, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    async with running(path) as pilot:
        assert "no checkpoint store" in notice_text(pilot)


async def test_damaged_checkpoints_are_listed_with_the_reason(
    running: Running, tmp_path: Path
) -> None:
    build.small_store(tmp_path)
    for number, text in ((6, "{"), (7, ""), (8, '{"entities": []}')):
        path = build.write(tmp_path, text, build.ident(number), build.ident(3))
        import os

        os.utime(path, (1, 1))
    async with running(tmp_path) as pilot:
        await press(pilot, "g", "down")
        lines = [line for line in tree_lines(pilot) if "!" in line]
        assert len(lines) == 4
        assert "damaged" in screen_text(pilot)
        screen = screen_of(pilot)
        assert [page.title for page in screen.detail.pages] == ["Overview"]
        for _ in range(5):
            await press(pilot, "down", "2", "1")


async def test_signs_of_ascii_only(running: Running, small: Path) -> None:
    """Another one would come out as six, and push the rest of its line away."""
    async with running(small, glyphs=ASCII, size=(100, 24)) as pilot:
        for keys in ("1", "2", "tab", "tab", "i", "escape", "question_mark", "escape", "f",
                     "escape", "e", "escape", "3", "a", "escape", "4", "5", "6", "7"):  # fmt: skip
            await press(pilot, keys)
            pilot.app.notify("something has happened")
            await pilot.pause()
            odd = [line for line in drawn_lines(pilot) if not line.isascii()]
            assert odd == [], keys


async def test_what_is_too_long_for_a_clipboard_is_not_copied(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "MOST_COPIED", 100)
    document = build.document(build.crew(build.task(output="x" * 101)))
    build.write(tmp_path, document, build.ident(1))
    async with running(tmp_path) as pilot:
        copied: list[str] = []
        monkeypatch.setattr(pilot.app, "copy_to_clipboard", copied.append)
        await press(pilot, "2", "tab", "y")
        assert copied == []
        (note,) = pilot.app._notifications
        assert note.message.startswith("The task's output is too long for the clipboard")


async def test_the_cursor_is_on_the_latest_of_one_second(running: Running, tmp_path: Path) -> None:
    """By their names alone another one comes last."""
    older, latest = "20261129T170000_bbbbbbbb", "20261129T170000_aaaaaaaa"
    for at, one in enumerate((older, latest)):
        path = build.write(tmp_path, build.document(build.crew(build.task("a"))), one)
        os.utime(path, (1_000 + at, 1_000 + at))
    async with running(tmp_path) as pilot:
        tree = screen_of(pilot).tree_view
        assert tree.checkpoint is not None
        assert tree.checkpoint.id == latest
        assert not tree.opening
        await press(pilot, "down", "down", "r")
        assert tree.checkpoint.id == older


async def test_a_mark_of_edits_is_not_cut(running: Running, small: Path) -> None:
    long = build.document(build.crew(build.task("a", output="x")), trigger="a_very_long_name_of_it")
    build.write(small, long, build.ident(9))
    async with running(small, size=(80, 24)) as pilot:
        screen = screen_of(pilot)
        node = screen.tree_view.node
        assert node is not None
        screen.edits.set_output(identity_of(node.checkpoint), 0, "y", "x", "it")
        (line,) = [one for one in tree_lines(pilot) if "a very" in one]
        assert "✎1" in line
