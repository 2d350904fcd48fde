"""Flows in the app: edits of results, state and inputs, and forks that are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Button

from crewcheck.runtimes.follow import list_runs
from crewcheck.tui.glyphs import ASCII
from crewcheck.tui.screens.edit import EditScreen
from crewcheck.tui.screens.launch import LaunchScreen
from crewcheck.tui.screens.launches import LaunchingScreen
from tests import build
from tests.tui.conftest import Running, closed, press, screen_of, screen_text, settle, tree_lines
from tests.tui.flows import make_flow_project, road
from tests.tui.projects import FAKE_FLOW, keys, launch_of, until, until_text
from tests.tui.test_editing import KEY, editor_of, edits_of, told, type_over


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return make_flow_project(tmp_path / "p", runs=True)


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LaunchingScreen, "boot", FAKE_FLOW)
    monkeypatch.setenv("CREWCHECK_FAKE", "")


def plan_of(launch: LaunchScreen) -> list[tuple[str, str]]:
    assert launch.board is not None
    return [(item.label, item.action) for item in launch.board.items]


async def until_planned(pilot: Pilot[None]) -> LaunchScreen:
    launch = launch_of(pilot)
    await until(pilot, lambda: launch.phase in ("ready", "refused"))
    return launch


async def edit_state(pilot: Pilot[None], **changes: Any) -> None:
    """On the State tab, set keys of the state as it stands in the editor."""
    await press(pilot, "4", "i")
    state = json.loads(editor_of(pilot).area.text)
    await type_over(pilot, json.dumps(state | changes))


async def edit_result(pilot: Pilot[None], row: int, text: str) -> None:
    await press(pilot, "2")
    screen_of(pilot).detail.rows.focus()
    await press(pilot, "g", *["down"] * row, "i")
    await type_over(pilot, text)


def fork_in(store: Path) -> dict[str, Any]:
    (path,) = [one for one in store.rglob("*.json") if build.ident(1) not in one.name[:24]]
    made: dict[str, Any] = json.loads(path.read_text())
    return made


async def test_an_edited_state_is_forked(running: Running, store: Path) -> None:
    async with running(store) as pilot:
        await edit_state(pilot, size=5, plan={"steps": ["a", "c"]}, note="new")
        assert edits_of(pilot).state == {
            ("size",): 5,
            ("plan", "steps", "1"): "c",
            ("note",): "new",
        }
        shown = screen_text(pilot)
        for part in ("Your state", "plan.steps[1]", "was b", "3 edits", '"size": 5'):
            assert part in shown, part
        assert any("✎3" in line for line in tree_lines(pilot))
        await keys(pilot, "f")
        launch = await until_planned(pilot)
        assert plan_of(launch) == [
            ("begin", "keep"), ("choose", "keep"), ("go_left", "keep"), ("end", "run"),
        ]  # fmt: skip
        shown = screen_text(pilot)
        for part in ("state plan.steps[1]", "was  b", "now  c", "3 kept, 1 run",
                     "spent 60 tokens, 13.0s so far",
                     "repeats what cost 30 tokens, 4.0s"):  # fmt: skip
            assert part in shown, part
        assert launch.query_one("#launch-yes", Button).display
        await keys(pilot, "right", "enter")
        await until(pilot, lambda: any("forked" in one for one in tree_lines(pilot)))
        assert edits_of(pilot).state == {}
        assert "Forked to fork/" in told(pilot)
        assert "e runs it" in told(pilot)
    made = fork_in(store)
    state = made["entities"][0]["checkpoint_state"]
    # the fork's state has an id of its own
    assert state.pop("id") != "s"
    assert state == {"size": 5, "plan": {"steps": ["a", "c"]}, "note": "new"}
    assert made["parent_id"] == build.ident(1)
    assert [one["path"] for one in made["crewcheck"]["edits"]] == [
        "state.size", "state.plan.steps[1]", "state.note",
    ]  # fmt: skip
    assert [one.state for one in list_runs()] == ["aborted"]


async def test_another_route_is_planned_and_its_items_switched(
    running: Running, store: Path
) -> None:
    async with running(store) as pilot:
        await edit_result(pilot, 1, "right")
        assert edits_of(pilot).results == {1: "right"}
        assert "Your result" in screen_text(pilot)
        await keys(pilot, "f")
        launch = await until_planned(pilot)
        other_way = [
            ("choose", "keep"), ("go_left", "drop"), ("end", "drop"),
            ("go_right", "run"), ("end", "run"),
        ]  # fmt: skip
        assert plan_of(launch) == [("begin", "keep"), *other_way]
        shown = screen_text(pilot)
        for part in ("2 kept, 2 run, 2 dropped", "⊘", "the new route does not lead there",
                     "result of choose", "was  left", "now  right"):  # fmt: skip
            assert part in shown, part
        assert "repeats" not in shown
        assert launch.table.cursor == 4
        await keys(pilot, *["up"] * 4, "space")
        assert plan_of(launch) == [("begin", "run"), *other_way]
        await until_text(pilot, "repeats what cost 10 tokens, 2.0s")
        await keys(pilot, "space")
        assert plan_of(launch)[0] == ("begin", "keep")
        await until(pilot, lambda: "repeats" not in screen_text(pilot))
        # what is edited, dropped or has not been done cannot be switched
        for said in ("its output is yours", "does not come there", "does not come there",
                     "no output that could be kept", "no output that could be kept"):  # fmt: skip
            await keys(pilot, "down", "space")
            assert said in told(pilot).lower()
            assert plan_of(launch) == [("begin", "keep"), *other_way]
        await keys(pilot, "right", "enter")
        await until(pilot, lambda: any("forked" in one for one in tree_lines(pilot)))
    entity = fork_in(store)["entities"][0]
    assert entity["checkpoint_completed_methods"] == ["begin", "choose"]
    assert entity["checkpoint_method_outputs"][-1] == {"method": "choose", "output": "right"}


async def test_without_the_class_the_plan_says_what_it_does_not_know(
    running: Running, tmp_path: Path
) -> None:
    # there is no Python to ask either
    async with running(make_flow_project(tmp_path, known=False)) as pilot:
        await edit_result(pilot, 1, "right")
        await keys(pilot, "f")
        launch = await until_planned(pilot)
        assert [action for _, action in plan_of(launch)] == ["keep", "keep", "run", "run"]
        assert "class was not found" in screen_text(pilot)
        await keys(pilot, "escape")
        assert closed(pilot)


async def test_a_switched_item_is_taken_out_of_the_fork(running: Running, store: Path) -> None:
    async with running(store) as pilot:
        await keys(pilot, "f")
        launch = await until_planned(pilot)
        await keys(pilot, "up", "space")
        assert [action for _, action in plan_of(launch)] == ["keep", "keep", "run", "run"]
        await until_text(pilot, "repeats what cost 50 tokens, 6.0s")
        await keys(pilot, "right", "enter")
        await until(pilot, lambda: any("forked" in one for one in tree_lines(pilot)))
    made = fork_in(store)
    assert made["entities"][0]["checkpoint_completed_methods"] == ["begin", "choose"]
    assert made["crewcheck"]["dropped"] == ["go_left"]


async def test_edits_of_a_flow_stay_and_are_undone(running: Running, store: Path) -> None:
    build.write(store, road(), build.ident(2), build.ident(1))
    async with running(store) as pilot:
        assert screen_of(pilot).go_to_checkpoint(build.ident(1))
        await settle(pilot)
        await edit_state(pilot, size=5)
        await edit_result(pilot, 2, "mine")
        await edit_result(pilot, 4, "given")
        assert edits_of(pilot).results == {2: "mine", 3: "given"}
        await press(pilot, "escape", "up", "up")
        screen_of(pilot).go_to_checkpoint(build.ident(2))
        await settle(pilot)
        assert not edits_of(pilot)
        screen_of(pilot).go_to_checkpoint(build.ident(1))
        await settle(pilot)
        assert screen_of(pilot).edits.total == 3
        assert "3 edits" in screen_text(pilot)
        await edit_result(pilot, 2, "the left road")
        assert edits_of(pilot).results == {3: "given"}
        await press(pilot, "u", "u", "u")
        assert (edits_of(pilot).results, edits_of(pilot).state) == ({}, {("size",): 5})
        await press(pilot, "4")
        assert "Your state" in screen_text(pilot)
        await edit_state(pilot, size=2)
        assert not edits_of(pilot)
        await press(pilot, "u")
        assert edits_of(pilot).state == {("size",): 5}
        await press(pilot, "u")
        assert not edits_of(pilot)
        assert "✎" not in screen_text(pilot)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"size": 2, "plan": {"steps": ["a", "b"]}}', 'the key "id" is gone'),
        ("[1]", "should be an object"),
        ('{"id": "s",', "at line 1"),
        ('{"id": NaN}', "NaN"),
    ],
)
async def test_a_state_that_cannot_be(running: Running, store: Path, text: str, said: str) -> None:
    async with running(store) as pilot:
        await press(pilot, "4", "i")
        await type_over(pilot, text)
        assert said in screen_text(pilot)
        assert isinstance(pilot.app.screen, EditScreen)
        assert not edits_of(pilot)


async def test_a_result_keeps_its_type(running: Running, store: Path) -> None:
    async with running(store) as pilot:
        await edit_result(pilot, 0, "[1]")
        assert "should be an object" in screen_text(pilot)
        await type_over(pilot, '{"way": 2}')
        assert edits_of(pilot).results == {0: {"way": 2}}
        assert "✎" in screen_text(pilot)


async def test_the_last_call_of_a_loop_is_edited(running: Running, tmp_path: Path) -> None:
    document = road()
    nodes = document["event_record"]["nodes"]
    for number, kind, more in (
        (15, "started", {"triggered_by_event_id": "event-6"}),
        (16, "finished", {"started_event_id": "event-15", "result": "again left"}),
    ):
        one = build.event(number, f"method_execution_{kind}", flow_name="Road",
                          method_name="go_left", **more)  # fmt: skip
        nodes[one["event_id"]] = {"event": one, "edges": {}}
    async with running(make_flow_project(tmp_path, document)) as pilot:
        await press(pilot, "2", "tab", "g", "down", "down", "i")
        assert editor_of(pilot).area.text == "again left"
        await type_over(pilot, "mine")
        assert edits_of(pilot).results == {4: "mine"}
        assert "of go_left#2" in screen_text(pilot)


async def test_inputs_of_a_flow(running: Running, store: Path) -> None:
    async with running(store) as pilot:
        await press(pilot, "3", "tab", "i")
        await type_over(pilot, "7")
        assert edits_of(pilot).inputs == {"size": 7}
        await keys(pilot, "f")
        launch = await until_planned(pilot)
        assert {action for _, action in plan_of(launch)} == {"run"}
        assert "input size, which changes" in screen_text(pilot)
        await keys(pilot, "right", "enter")
        await until(pilot, lambda: any("forked" in one for one in tree_lines(pilot)))
    state = fork_in(store)["entities"][0]["checkpoint_state"]
    assert state["size"] == 7


async def test_inputs_that_the_record_does_not_tell(running: Running, tmp_path: Path) -> None:
    document = road()
    del document["event_record"]["nodes"]["event-1"]["event"]["inputs"]
    async with running(make_flow_project(tmp_path, document)) as pilot:
        await press(pilot, "3", "a")
        assert closed(pilot)
        assert "does not say which inputs its flow began with" in told(pilot)


async def test_the_state_to_edit_is_what_a_fork_goes_on_with(
    running: Running, tmp_path: Path
) -> None:
    document = road()
    document["entities"][0]["checkpoint_state"] = {"id": "s", "size": 2, "ahead": True}
    store = make_flow_project(tmp_path, document)
    async with running(store) as pilot:
        await press(pilot, "4")
        shown = screen_text(pilot)
        assert '"ahead": true' in shown
        assert "State after the last finished method" in shown
        await press(pilot, "i")
        assert "ahead" not in editor_of(pilot).area.text
        await press(pilot, "escape")
        await edit_state(pilot, plan=None)
        await keys(pilot, "f")
        launch = await until_planned(pilot)
        launch.query_one("#launch-write", Button).press()
        await until(pilot, lambda: any("forked" in one for one in tree_lines(pilot)))
    state = fork_in(store)["entities"][0]["checkpoint_state"]
    assert state == {"id": state["id"], "size": 2, "plan": None}


async def test_edits_of_a_flow_need_a_fork(running: Running, store: Path) -> None:
    async with running(store) as pilot:
        await edit_result(pilot, 1, "right")
        await keys(pilot, "e")
        await until_text(pilot, "You have edits here, and a resume takes none")
        await keys(pilot, "right", "enter")
        launch = await until_planned(pilot)
        assert launch.is_fork
        await keys(pilot, "escape")


@pytest.mark.parametrize("shown", [False, True])
async def test_hidden_secrets_of_a_flow_are_not_written_back(
    running: Running, tmp_path: Path, shown: bool
) -> None:
    document = road(state={"api_key": KEY, "keys": [KEY]})
    document["event_record"]["nodes"]["event-6"]["event"]["result"] = f"use {KEY}"
    store = make_flow_project(tmp_path, document)
    async with running(store, show_secrets=shown) as pilot:
        await press(pilot, "2", "tab", "g", "down", "i")
        assert closed(pilot) is not shown
        if not shown:
            assert "that is hidden" in told(pilot)
        await press(pilot, "escape", "escape")
        # what is hidden stays as it is where it is left alone
        await edit_state(pilot, size=5)
        assert edits_of(pilot).state == {("size",): 5}
        await press(pilot, "i")
        text = editor_of(pilot).area.text
        assert (KEY in text) is shown
        state = json.loads(text)
        await type_over(pilot, json.dumps(state | {"keys": [*state["keys"], "more"]}))
        if shown:
            assert edits_of(pilot).state[("keys",)] == [KEY, "more"]
        else:
            assert "keys holds a secret that is hidden" in screen_text(pilot)
            await press(pilot, "escape", "escape")
            assert edits_of(pilot).state == {("size",): 5}
        await keys(pilot, "f")
        launch = await until_planned(pilot)
        launch.query_one("#launch-write", Button).press()
        await until(pilot, lambda: any("forked" in one for one in tree_lines(pilot)))
    state = fork_in(store)["entities"][0]["checkpoint_state"]
    assert (state["size"], state["api_key"]) == (5, KEY)
    assert state["keys"] == ([KEY, "more"] if shown else [KEY])


async def test_hostile_texts_of_a_flow(running: Running, tmp_path: Path) -> None:
    hostile = "[/b][red] \x1b[2J\x1b]0;x\x07 [@click=app.quit]x[/]"
    document = road(state={hostile: {hostile: hostile}})
    for node in document["event_record"]["nodes"].values():
        if node["event"].get("method_name") == "go_left":
            node["event"]["method_name"] = hostile
            node["event"]["result"] = {hostile: hostile}
    document["entities"][0]["checkpoint_completed_methods"][2] = hostile
    async with running(make_flow_project(tmp_path, document)) as pilot:
        await edit_result(pilot, 2, '{"[/x]": "[bold]"}')
        await edit_state(pilot, **{hostile: "[/x] \x1b[1m"})
        shown = screen_text(pilot)
        assert "\x1b" not in shown
        assert "[red] \\u001b[2J" in shown
        await keys(pilot, "f")
        await until_planned(pilot)
        await keys(pilot, *["down"] * 2, "space")
        shown = screen_text(pilot)
        assert "\x1b" not in shown
        assert "drop" not in shown
        assert "[/b][red] \u241b[2J" in shown
        await keys(pilot, "escape")


async def test_a_state_of_great_depth(running: Running, tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(400):
        deep = [deep]
    async with running(make_flow_project(tmp_path, road(state={"deep": deep}))) as pilot:
        await press(pilot, "4", "i")
        if isinstance(pilot.app.screen, EditScreen):
            await type_over(pilot, editor_of(pilot).area.text.replace('"size": 2', '"size": 3'))
            assert edits_of(pilot).state == {("size",): 3}


@pytest.mark.parametrize("size", [(1, 1), (30, 8), (80, 24), (160, 50)])
async def test_the_dialog_of_a_flow_at_any_size(
    running: Running, store: Path, size: tuple[int, int]
) -> None:
    async with running(store, size=size, glyphs=ASCII) as pilot:
        await keys(pilot, "f")
        await until_planned(pilot)
        await pilot.resize_terminal(80, 24)
        await pilot.resize_terminal(*size)
        await keys(pilot, "down", "space", "pagedown", "escape")
        assert closed(pilot)
