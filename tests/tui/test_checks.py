"""Checks, attempts and the last valid checkpoint in the app."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests import build
from tests.tui.conftest import Running, closed, screen_of, screen_text, tree_lines
from tests.tui.projects import (
    go_to,
    keys,
    launch_of,
    make_project,
    until,
    until_ready,
    until_text,
    use_fake,
)
from tests.tui.test_editing import told


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose newest run is pending, and whose newest checkpoint is cut short."""
    store = make_project(tmp_path / "p")
    tasks = [build.task("outline", output="An outline"), build.task("draft")]
    crew = build.crew(*tasks, checkpoint_kickoff_event_id="event-9")
    build.write(store, build.document(crew), build.ident(7))
    path = build.write(store, b'{"entities": [', build.ident(8), build.ident(7))
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return store


async def test_a_run_goes_on_from_its_newest_valid_checkpoint(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        assert screen_of(pilot).go_to_checkpoint(build.ident(8))
        await keys(pilot, "e")
        await until(pilot, lambda: "takes the newest valid one" in told(pilot))
        assert closed(pilot)
        tree = screen_of(pilot).tree_view
        while not tree.on_a_run:
            await keys(pilot, "up")
        assert " 2 " in tree_lines(pilot)[tree.cursor]
        await keys(pilot, "e")
        launch = await until_ready(pilot)
        assert launch.node.checkpoint.id == build.ident(7)
        text = screen_text(pilot)
        assert f"{build.ident(8)} is not valid: cut short after 14 bytes" in text
        assert f"going on from {build.ident(7)} (1 of 2 tasks done)" in text
        await keys(pilot, "right", "enter")
        await until_text(pilot, "all is done")
    made = [one for one in project.rglob("*.json") if "20261129T17" not in one.name.split("_p-")[0]]
    assert any(one.stem.endswith(f"_p-{build.ident(7)}") for one in made)


async def test_attempts_are_shown_and_come_to_their_end(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crewcheck.engine import attempts

    for number in range(4):
        attempts.note(str(project), build.ident(7), "main", 1, f"20261129T17000{number}_abcdef")
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(7))
        await until_text(pilot, "Resumed      4 times  without getting further")
        await keys(pilot, "e")
        await until_ready(pilot)
        assert "resumed 4 times without getting further" in screen_text(pilot)
        await keys(pilot, "escape")
        await until(pilot, lambda: closed(pilot))
        attempts.note(str(project), build.ident(7), "main", 1, "20261129T170005_abcdef")
        await keys(pilot, "e")
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused")
        await until_text(pilot, "was resumed 5 times without getting further")


async def test_checks_in_the_overview_and_of_the_store(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = next(project.rglob(f"{build.ident(7)}_*.json"))
    doc = json.loads(path.read_text())
    doc["entities"][0]["tasks"][1]["agent"] = {"role": "[bold]Spy"}
    path.write_text(json.dumps(doc))
    async with running(project) as pilot:
        await go_to(pilot, build.ident(7))
        screen = screen_of(pilot)
        loaded = screen.detail.loaded
        assert loaded is not None
        assert loaded.info is not None
        assert [check.rule for check in loaded.info.checks] == ["agent-unlisted"]
        screen.action_verify()
        await until(pilot, lambda: not closed(pilot))
        await until_text(pilot, "7 checkpoints read whole: damage in 1 place, 1 warning")
        text = screen_text(pilot)
        assert "cut short after 14 bytes" in text
        assert "draft is for [bold]Spy, who is not in the crew" in text
        await keys(pilot, "escape")
        assert closed(pilot)
