"""The app follows its store: what changes appears by itself, and nothing of a person's is lost.

Keys are given as actions: after a key the pilot waits for an idle process, and following
never is quite.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from textual.pilot import Pilot

from crewcheck.tui.screens.launch import LaunchScreen
from tests import build
from tests.tui.conftest import (
    Running,
    notice_text,
    press,
    screen_of,
    screen_text,
    settle,
    tree_lines,
)
from tests.writer import text_of, write_rows


async def until(what: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, what
        await asyncio.sleep(0.02)


def ids(pilot: Pilot[None]) -> list[str]:
    """The checkpoints that the screen knows, oldest first."""
    forest = screen_of(pilot).forest
    return [node.checkpoint.id for node in forest.order] if forest is not None else []


def under_cursor(pilot: Pilot[None]) -> str:
    node = screen_of(pilot).tree_view.node
    assert node is not None
    return node.checkpoint.id


def add(root: Path, number: int, parent: int | None = None) -> Path:
    """Another checkpoint of the run on `main`."""
    parent_id = build.ident(parent) if parent is not None else None
    done = build.crew(build.task("outline", output=f"Outline {number}"), build.task("draft"))
    return build.write(root, build.document(done, parent=parent_id), build.ident(number), parent_id)


def remove(root: Path, *numbers: int) -> None:
    for number in numbers:
        next(root.rglob(f"{build.ident(number)}_*")).unlink()


def notes(pilot: Pilot[None]) -> str:
    return "\n".join(note.message for note in pilot.app._notifications)


async def test_what_changes_appears_by_itself(running: Running, small: Path) -> None:
    async with running(small, following=True) as pilot:
        add(small, 6, 3)
        await until(lambda: build.ident(6) in ids(pilot))
        remove(small, 6)
        await until(lambda: build.ident(6) not in ids(pilot))
        assert len(ids(pilot)) == 5


async def test_the_cursor_stays_where_it_is(running: Running, tmp_path: Path) -> None:
    for number in range(1, 41):
        add(tmp_path, number, number - 1 if number > 1 else None)
    async with running(tmp_path, following=True) as pilot:
        tree = screen_of(pilot).tree_view
        assert under_cursor(pilot) == build.ident(40)
        # the newest is seen coming, the cursor does not go along
        add(tmp_path, 41, 40)
        await until(lambda: build.ident(41) in ids(pilot))
        await until(lambda: tree.count == 42)
        assert (under_cursor(pilot), tree.scroll_offset.y) == (build.ident(40), 0)
        tree.move_to(tree.count - 3)
        await settle(pilot)
        place = tree.cursor - tree.scroll_offset.y
        at = under_cursor(pilot)
        add(tmp_path, 42, 41)
        await until(lambda: tree.count == 43)
        assert (under_cursor(pilot), tree.cursor - tree.scroll_offset.y) == (at, place)
        # scrolled away from the cursor, the rows in sight stay
        tree.scroll_to(y=2, animate=False)
        await settle(pilot)
        before = tree.line_text(tree.scroll_offset.y).plain
        add(tmp_path, 43, 42)
        await until(lambda: tree.count == 44)
        assert tree.line_text(tree.scroll_offset.y).plain == before
        assert under_cursor(pilot) == at


async def test_folds_outlive_the_pruning_of_the_oldest(running: Running, tmp_path: Path) -> None:
    for number in range(1, 5):
        add(tmp_path, number, number - 1 if number > 1 else None)
    other = build.document(build.crew(build.task(), name="other", id="crew-2",
                                      checkpoint_kickoff_event_id="event-9"))  # fmt: skip
    build.write(tmp_path, other, build.ident(9), None, "other")
    async with running(tmp_path, following=True) as pilot:
        tree = screen_of(pilot).tree_view
        tree.action_fold_all()
        tree.move_to(1)
        tree.action_unfold()
        await settle(pilot)
        assert tree.count == 6
        remove(tmp_path, 1)
        await until(lambda: tree.count == 5)
        remove(tmp_path, 2)
        add(tmp_path, 5, 4)
        await until(lambda: ids(pilot)[:3] == [build.ident(n) for n in (3, 4, 5)])
        await until(lambda: tree.count == 5)
        # the run's own line is still the one under the cursor, and the other run is folded
        assert tree.line_text(tree.cursor).plain.startswith("▾")
        assert [line[0] for line in tree_lines(pilot)].count("▸") == 1


async def test_the_filter_goes_on(running: Running, small: Path) -> None:
    async with running(small, following=True) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "slash", *"outline")
        await press(pilot, "escape", "slash", *"main")
        assert screen.query_one("#left").border_subtitle == "3 of 5"
        add(small, 6, 3)
        await until(lambda: screen.query_one("#left").border_subtitle == "4 of 6")
        assert screen.query_text == "main"


async def test_the_detail_of_a_rewritten_checkpoint_is_read_again(
    running: Running, tmp_path: Path
) -> None:
    add(tmp_path, 1)
    async with running(tmp_path, following=True) as pilot:
        await press(pilot, "2")
        assert "Outline 1" in screen_text(pilot)
        done = build.crew(build.task("outline", output="Something else"), build.task("draft"))
        build.write(tmp_path, build.document(done), build.ident(1))
        await until(lambda: "Something else" in screen_text(pilot))
        assert "Outline 1" not in screen_text(pilot)


async def test_a_deleted_checkpoint_with_edits_loses_nothing(running: Running, small: Path) -> None:
    async with running(small, following=True) as pilot:
        screen = screen_of(pilot)
        tree = screen.tree_view
        await press(pilot, "g", "down", "2")
        assert under_cursor(pilot) == build.ident(3)
        subject = screen.shown_subject()
        assert subject is not None
        identity = subject.node.checkpoint.header.key, build.ident(3)
        screen.edits.set_output(identity, 2, "Mine", "The end", "the output")
        screen.show_edits()
        remove(small, 3)
        await until(lambda: "was deleted" in tree.line_text(tree.cursor).plain)
        said = f"{build.ident(3)} was deleted from the store. Its 1 edit is kept"
        await until(lambda: said in notes(pilot))
        await settle(pilot)
        assert "Mine" in screen_text(pilot)
        await press(pilot, "1")
        assert "gone  it was deleted from the store" in screen_text(pilot)
        await press(pilot, "f")
        assert "Nothing can go on from it" in notes(pilot)
        assert len(pilot.app.screen_stack) == 1
        # away from it, it stays, as long as it has edits
        await press(pilot, "escape", "down")
        add(small, 7, 2)
        await until(lambda: build.ident(7) in ids(pilot))
        assert build.ident(3) in ids(pilot)
        screen.edits.drop(identity)
        screen.hold()
        await until(lambda: build.ident(3) not in ids(pilot))


async def test_a_fork_of_what_was_pruned_meanwhile_is_refused(
    running: Running, small: Path
) -> None:
    async with running(small, following=True) as pilot:
        await press(pilot, "g", "down", "f")
        dialog = pilot.app.screen
        assert isinstance(dialog, LaunchScreen)
        await until(lambda: dialog.board is not None)
        remove(small, 3)
        dialog.confirm(False, "mine")
        await until(lambda: "is not there any more" in screen_text(pilot))
        assert not (small / "mine").exists()


async def test_a_store_that_comes_goes_and_comes(running: Running, tmp_path: Path) -> None:
    root = tmp_path / "store"
    async with running(root, following=True) as pilot:
        assert "cannot be shown" in notice_text(pilot)
        root.mkdir()
        await until(lambda: "holds no checkpoints yet" in notice_text(pilot))
        add(root, 1)
        await until(lambda: screen_of(pilot).has_store and ids(pilot) == [build.ident(1)])
        shutil.rmtree(root)
        await until(lambda: not screen_of(pilot).has_store)
        add(root, 2)
        await until(lambda: screen_of(pilot).has_store and ids(pilot) == [build.ident(2)])
        add(root, 3, 2)
        await until(lambda: len(ids(pilot)) == 2)


async def test_a_database_is_followed(running: Running, tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    write_rows(path, 2, 2)
    async with running(path, following=True) as pilot:
        assert len(ids(pilot)) == 2
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(
                "INSERT INTO checkpoints VALUES (?, ?, ?, 'main', ?)",
                (build.ident(3), "20261129T170003", build.ident(2), text_of(3)),
            )
        await until(lambda: ids(pilot)[-1] == build.ident(3))


async def test_a_file_in_the_making_becomes_whole(running: Running, small: Path) -> None:
    async with running(small, following=True) as pilot:
        path = add(small, 6, 3)
        whole = path.read_bytes()
        path.write_bytes(whole[:100])
        await until(lambda: any("being written" in line for line in tree_lines(pilot)))
        path.write_bytes(whole)
        await until(lambda: not any("being written" in line for line in tree_lines(pilot)))


async def test_following_can_be_held_still(running: Running, small: Path) -> None:
    async with running(small, following=True) as pilot:
        screen = screen_of(pilot)
        screen.action_pause()
        await settle(pilot)
        await until(lambda: all(one.is_finished for one in screen.workers))
        add(small, 6, 3)
        await asyncio.sleep(0.3)
        assert len(ids(pilot)) == 5
        screen.action_pause()
        await until(lambda: len(ids(pilot)) == 6)
        add(small, 7, 6)
        await until(lambda: len(ids(pilot)) == 7)
