"""Flows that are forked and resumed from the app, with a child that only looks like one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Button

from crewcheck.tui.screens.edit import EditScreen
from crewcheck.tui.screens.launches import LaunchingScreen
from tests.tui.conftest import Running, closed, press, screen_of, screen_text, tree_lines
from tests.tui.flows import make_flow_project
from tests.tui.projects import FAKE_FLOW, keys, launch_of, until, until_ready, until_text
from tests.tui.test_editing import edits_of, type_over
from tests.tui.test_flows import edit_result, edit_state, plan_of
from tests.tui.test_runs import lines_of


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_flow_project(tmp_path / "p", runs=True)


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LaunchingScreen, "boot", FAKE_FLOW)
    monkeypatch.setenv("CREWCHECK_FAKE", "")


async def test_an_edited_state_is_forked_and_run(
    running: Running, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREWCHECK_FAKE", "nested\nwork")
    async with running(store) as pilot:
        await edit_state(pilot, size=5)
        await keys(pilot, "f")
        launch = await until_ready(pilot)
        assert [action for _, action in plan_of(launch)] == ["keep", "keep", "keep", "run"]
        assert launch.table.cursor == 3
        assert "crewai 9.9" in screen_text(pilot)
        await keys(pilot, "right", "right", "enter")
        await until_text(pilot, "the end, with 5")
        (run,) = screen_of(pilot).runs
        assert (run.state.state, run.state.kind, run.state.done) == (
            "finished",
            "flow",
            [0, 1, 2, 3],
        )
        shown = screen_text(pilot)
        for part in ("✓ begin  recorded", "✓ go_left  recorded", "● end", "  ● research  Scout",
                     "✓ end  300ms · 37 tokens", "4 calls done"):  # fmt: skip
            assert part in shown, part
        assert not edits_of(pilot)
        await keys(pilot, "n")
        await until(pilot, lambda: not screen_of(pilot)._expected)
        node = screen_of(pilot).tree_view.node
        assert node is not None
        assert node.checkpoint.id == run.state.newest
        assert node.checkpoint.branch == run.state.branch
        made = json.loads(Path(node.checkpoint.header.location).read_text())
        assert made["entities"][0]["checkpoint_state"]["size"] == 5


async def test_the_other_route_runs(running: Running, store: Path) -> None:
    async with running(store) as pilot:
        await edit_result(pilot, 1, "right")
        await keys(pilot, "f")
        launch = await until_ready(pilot)
        route = [("begin", "keep"), ("choose", "keep"), ("go_left", "drop"), ("end", "drop"),
                 ("go_right", "run"), ("end", "run")]  # fmt: skip
        assert plan_of(launch) == route
        await keys(pilot, "right", "right", "enter")
        await until_text(pilot, "the end, with 2")
        (run,) = screen_of(pilot).runs
        assert run.state.done == [0, 1, 4, 5]
        assert "go_left" not in "".join(line for line in screen_text(pilot).splitlines()
                                        if "recorded" in line)  # fmt: skip


async def test_a_failed_flow_is_resumed_on_its_branch(running: Running, store: Path) -> None:
    async with running(store) as pilot:
        await keys(pilot, "e")
        launch = await until_ready(pilot)
        assert plan_of(launch)[-1] == ("end", "run")
        assert "it goes on there" in screen_text(pilot)
        await keys(pilot, "right", "enter")
        await until_text(pilot, "the end, with 2")
        await until(pilot, lambda: len(tree_lines(pilot)) == 3)
        (run,) = screen_of(pilot).runs
        assert (run.state.branch, run.state.action) == ("main", "resume")


async def test_a_state_that_its_class_does_not_take(
    running: Running, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREWCHECK_FAKE", "state:size: must be below 5 [red]")
    async with running(store) as pilot:
        await edit_state(pilot, size=50)
        await keys(pilot, "f")
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused")
        shown = screen_text(pilot)
        for part in ("does not fit RoadState", "size: must be below 5 [red]", "Edit the state"):
            assert part in shown, part
        launch.query_one("#launch-edit", Button).press()
        await until(pilot, lambda: isinstance(pilot.app.screen, EditScreen))
        assert edits_of(pilot).state == {("size",): 50}
        await type_over(pilot, '{"id": "s", "size": 3, "plan": {"steps": ["a", "b"]}}')
        assert edits_of(pilot).state == {("size",): 3}
        assert closed(pilot)


async def test_a_flow_that_waits_for_a_person(
    running: Running, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"message": "Good [/]enough?", "output": "the draft", "outcomes": ["yes", "no"]}
    monkeypatch.setenv("CREWCHECK_FAKE", f"pause:{json.dumps(asked)}")
    async with running(store) as pilot:
        await keys(pilot, "e")
        await until_ready(pilot)
        await keys(pilot, "right", "enter")
        await until_text(pilot, "It waits for a person")
        (run,) = screen_of(pilot).runs
        assert run.state.state == "paused"
        shown = screen_text(pilot)
        for part in ("Good [/]enough?", "in end", "yes, no", "the draft",
                     "p answers, and it goes on"):  # fmt: skip
            assert part in shown, part
        notes = pilot.app._notifications
        await until(pilot, lambda: "Run waits" in [note.title for note in notes])
        again = json.dumps({**asked, "method": "end"})
        monkeypatch.setenv("CREWCHECK_FAKE", f"ask:{again}\nwork")
        await keys(pilot, "p")
        launch = await until_ready(pilot)
        assert not launch.is_fork
        await keys(pilot, "right", "enter")
        await until_text(pilot, "Your flow asks you")
        # tab takes one of the outcomes after the other
        await keys(pilot, "tab", "tab", "tab", "tab", "enter")
        await until_text(pilot, "heard no")
        await until_text(pilot, "the end, with 2")


async def test_the_run_of_a_flow_fails_and_its_newest_checkpoint_is_gone_on_from(
    running: Running, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREWCHECK_FAKE", "work\nfail:no [red]road")
    async with running(store) as pilot:
        await keys(pilot, "e")
        await until_ready(pilot)
        await keys(pilot, "right", "enter")
        await until_text(pilot, "Why it ended")
        assert "no [red]road" in screen_text(pilot)
        await press(pilot, "n")
        await until(pilot, lambda: not screen_of(pilot)._expected)


async def test_a_flow_does_not_go_on_without_its_class(running: Running, store: Path) -> None:
    (store.parent / "pyproject.toml").write_text("[tool.crewcheck]\n")
    (store.parent / "road.py").unlink()
    async with running(store) as pilot:
        await keys(pilot, "e")
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused")
        await pilot.pause()
        assert "No flow in" in screen_text(pilot)
        assert not launch.query_one("#launch-outside", Button).display
        await keys(pilot, "escape")


def test_the_lines_of_a_flows_run() -> None:
    of = {"type": "event", "replayed": False}
    inner = {**of, "task": None, "method": "write"}
    assert lines_of(
        {**of, "event": "method_execution_finished", "task": 0, "task_name": "begin",
         "method": "begin", "replayed": True},
        {**of, "event": "method_execution_started", "task": 1, "task_name": "write",
         "method": "write"},
        {**inner, "event": "task_started", "task_name": "research", "agent": "Scout"},
        {**inner, "event": "llm_call_completed", "task_name": "research", "tokens": 40},
        {**inner, "event": "task_completed", "task_name": "research", "seconds": 1.0},
        {**inner, "event": "method_execution_failed", "task_name": "Inner.go", "error": "no\nway"},
        {**of, "event": "method_execution_finished", "task": 1, "task_name": "write",
         "method": "write", "seconds": 2.0},
        {**of, "event": "method_execution_paused", "task": 2, "task_name": "ask", "method": "ask"},
        {**of, "event": "method_execution_failed", "task": 3, "task_name": "end", "method": "end",
         "error": "bad value"},
    ) == [
        "         ✓ begin  recorded",
        "         ● write",
        "           ● research  Scout",
        "           · model answered  40 tokens",
        "           ✓ research  1.0s",
        "           ✗ Inner.go failed  no way",
        "         ✓ write  2.0s · 40 tokens",
        "         ‖ ask waits for a person",
        "         ✗ end failed  bad value",
    ]  # fmt: skip
