"""The State tab: a flow's state key by key, edited, added to, and as a whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import pytest
from textual.widgets import Button

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.inspect import inspect
from crewcheck.engine.redaction import Redactor
from crewcheck.model.edits import Edits
from crewcheck.model.json_path import REMOVED, Path
from crewcheck.tui.pages import pages_of
from crewcheck.tui.pages.state import StatePage
from tests.tui.conftest import Running, press, screen_of, screen_text, tree_lines
from tests.tui.flows import make_flow_project, road
from tests.tui.projects import launch_of, until
from tests.tui.test_editing import KEY, editor_of, edits_of, told, type_over
from tests.tui.test_pages import rows, said, subject


def page_of(state: dict[str, Any], edits: dict[Path, Any] | None = None) -> StatePage:
    page = pages_of(replace(subject(road(state=state)), edits=Edits(state=edits or {})))[3]
    assert isinstance(page, StatePage)
    return page


def test_the_state_key_by_key() -> None:
    page = page_of({"note": "العربية 🚀", "on": True, "gone": None})
    assert rows(page) == [
        "the whole state object 6 keys", "id text s", "size number 2",
        'plan object {"steps": ["a", "b"]}', "note text العربية 🚀", "on boolean true",
        "gone null null",
    ]  # fmt: skip
    assert said(page, 3).startswith("plan  object\n\n{\n")
    assert '"size": 2' in said(page, 0)
    assert page.copied(2) == ("the state's size", "2")
    assert page.copied(4) == ("the state's note", "العربية 🚀")


def test_edits_are_marked_where_they_are() -> None:
    page = page_of({}, {("size",): "two", ("plan", "steps", "1"): "c", ("new",): 1})
    # the whole has none of its own: three edits, three marks
    assert [row.startswith("✎") for row in rows(page)] == [False, False, True, True, True]
    text = said(page, 2)
    assert "size  two  was 2, a number: now a text" in text
    assert "plan" not in text
    assert "plan.steps[1]  c  was b" in said(page, 3)
    assert "new  1  new" in said(page, 4)
    for part in ("size  two", "plan.steps[1]  c", "new  1  new", '"size": "two"'):
        assert part in said(page, 0)


async def test_a_key_is_edited_and_keeps_or_changes_its_type(
    running: Running, tmp_path: FilePath
) -> None:
    async with running(make_flow_project(tmp_path)) as pilot:
        await press(pilot, "4", "tab", "g", "down", "down", "i")
        assert editor_of(pilot).area.text == "2"
        await type_over(pilot, "many")
        assert "should be a number" in screen_text(pilot)
        await press(pilot, "ctrl+t", "ctrl+t", "ctrl+t", "ctrl+t", "ctrl+t")
        assert editor_of(pilot).kind == "text"
        await type_over(pilot, "many")
        assert edits_of(pilot).state == {("size",): "many"}
        await press(pilot, "down", "i")
        await type_over(pilot, '{"steps": ["a", "c"]}')
        assert edits_of(pilot).state == {("size",): "many", ("plan", "steps", "1"): "c"}
        # giving back what was takes the one edit back, and leaves the other
        await press(pilot, "up", "i", "ctrl+t")
        await type_over(pilot, "2")
        assert edits_of(pilot).state == {("plan", "steps", "1"): "c"}
        await press(pilot, "u")
        assert edits_of(pilot).state[("size",)] == "many"


async def test_a_key_is_added(running: Running, tmp_path: FilePath) -> None:
    async with running(make_flow_project(tmp_path)) as pilot:
        await press(pilot, "4", "a", *"size", "enter")
        assert "There is a key size already" in told(pilot)
        await press(pilot, "a", *"note", "enter")
        assert "note of the state" in screen_text(pilot)
        await type_over(pilot, "new one")
        assert edits_of(pilot).state == {("note",): "new one"}
        # the cursor is on it
        assert screen_of(pilot).shown_page()[1] == 4
        await press(pilot, "i")
        assert editor_of(pilot).area.text == "new one"


async def test_a_key_is_taken_away_and_brought_back(
    running: Running, tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(make_flow_project(tmp_path / "p")) as pilot:
        await press(pilot, "4", "tab", "g", "down", "D")
        assert "without it CrewAI takes no state" in told(pilot)
        await press(pilot, "down", "D")
        assert edits_of(pilot).state == {("size",): REMOVED}
        assert "taken away" in screen_text(pilot)
        await press(pilot, "u")
        assert not edits_of(pilot)
        # in the editor of the whole it is left out
        await press(pilot, "g", "i")
        await type_over(pilot, '{"id": "s", "plan": {"steps": ["a", "b"]}}')
        assert edits_of(pilot).state == {("size",): REMOVED}
        # the row is still there, and typing a value brings the key back
        await press(pilot, "down", "down", "i")
        await type_over(pilot, "2")
        assert edits_of(pilot).state == {("size",): "2"}
        await press(pilot, "u", "f")
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused")
        assert "now  taken away" in screen_text(pilot)
        launch.query_one("#launch-write", Button).press()
        await until(pilot, lambda: any("forked" in one for one in tree_lines(pilot)))
    (made,) = [json.loads(one.read_text()) for one in (tmp_path / "p").rglob("*.json")
               if "fork/" in str(one)]  # fmt: skip
    assert set(made["entities"][0]["checkpoint_state"]) == {"id", "plan"}
    (edit,) = made["crewcheck"]["edits"]
    assert (edit["path"], edit["removed"]) == ("state.size", True)
    with open_catalog(str(tmp_path / "p" / "store")) as catalog:
        fork = next(one for one in catalog.forest.order if one.checkpoint.branch != "main")
        info = inspect(catalog, fork.checkpoint, Redactor())
    assert [(one.path, one.new) for one in info.edits] == [("state.size", None)]


async def test_the_whole_state_in_the_persons_editor(
    running: Running, tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "editor.py"
    script.write_text(
        "import json, sys\np = sys.argv[1]\ns = json.load(open(p))\ns['size'] = 7\n"
        "json.dump(s, open(p, 'w'))\n"
    )
    import sys

    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
    async with running(make_flow_project(tmp_path / "p")) as pilot:
        monkeypatch.setattr(type(pilot.app), "suspend", lambda _app: _Nothing())
        await press(pilot, "4", "o")
        assert edits_of(pilot).state == {("size",): 7}


class _Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


async def test_a_hidden_secret_of_a_key_is_not_written_back(
    running: Running, tmp_path: FilePath
) -> None:
    store = make_flow_project(tmp_path, road(state={"api_key": KEY}))
    async with running(store) as pilot:
        await press(pilot, "4", "tab", "end", "i")
        assert "that is hidden" in told(pilot)
        assert KEY not in screen_text(pilot)
        await press(pilot, "up", "i")
        state = json.loads(editor_of(pilot).area.text)
        await type_over(pilot, json.dumps(state | {"x": "<redacted openai key #cc86>"}))
        assert "holds a secret that is hidden" in screen_text(pilot)


async def test_what_an_agent_is_asked_is_edited(running: Running, tmp_path: FilePath) -> None:
    from tests import build

    agent = build.agent("Librarian", crew=None, id="a-1")
    events = [
        build.event(1, "lite_agent_execution_started", messages="Which?", agent_id="a-1"),
        build.event(2, "lite_agent_execution_completed", output="That one",
                    started_event_id="event-1"),
    ]  # fmt: skip
    document = build.document(agent, events=events, trigger="lite_agent_execution_completed")
    build.write(tmp_path / "store", document, build.ident(1))
    async with running(tmp_path / "store") as pilot:
        screen = screen_of(pilot)
        assert [page.title for page in screen.detail.pages] == [
            "Overview", "Answer", "Messages", "Events", "Diff", "Raw",
        ]  # fmt: skip
        await press(pilot, "2", "i")
        assert editor_of(pilot).area.text == "Which?"
        await type_over(pilot, "Which one is blue?")
        assert edits_of(pilot).inputs == {"question": "Which one is blue?"}
        shown = screen_text(pilot)
        assert "Your question" in shown
        assert "Recorded question" in shown
        await press(pilot, "i")
        await type_over(pilot, "Which?")
        assert not edits_of(pilot)
