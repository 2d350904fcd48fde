"""Nothing is read on the thread that draws; the work does not grow with the store."""

from __future__ import annotations

import builtins
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult

from crewcheck.engine.flow_graph import flow_graph
from crewcheck.engine.redaction import Redactor
from crewcheck.lineage import Forest
from crewcheck.tui import flow_graphs
from crewcheck.tui.glyphs import UNICODE
from crewcheck.tui.widgets.lineage_tree import LineageTree
from tests.tui.conftest import NOW, Running, press, screen_of
from tests.tui.flows import make_flow_project
from tests.tui.forests import chain


async def test_no_file_is_touched_on_the_ui_thread(
    running: Running, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = threading.main_thread()
    touched: list[str] = []

    def guarded(call: Callable[..., Any]) -> Callable[..., Any]:
        def checked(*args: Any, **more: Any) -> Any:
            if threading.current_thread() is main and str(small) in str(args[:1]):
                touched.append(f"{call.__name__}{args[:1]}")
                raise AssertionError("a file was touched on the UI thread")
            return call(*args, **more)

        return checked

    for owner, name in (
        (builtins, "open"),
        (os, "open"),
        (os, "scandir"),
        (os, "stat"),
        (os, "listdir"),
    ):
        monkeypatch.setattr(owner, name, guarded(getattr(owner, name)))
    async with running(small) as pilot:
        await press(
            pilot, "plus", "g", *["down"] * 8, "2", "3", "4", "5", "6", "tab", "down", "r", "y", "Y"
        )
        await press(pilot, "slash", *"done", "enter", "escape", "question_mark", "escape", "minus")
        assert not screen_of(pilot).has_class("-notice")
    assert touched == []


class TreeApp(App[None]):
    """Nothing but a tree."""

    def __init__(self, forest: Forest) -> None:
        super().__init__()
        self.forest = forest

    def compose(self) -> ComposeResult:
        yield LineageTree(glyphs=UNICODE, now=lambda: NOW, redactor=Redactor(), id="tree")

    def on_mount(self) -> None:
        self.query_one(LineageTree).show(self.forest)


async def lines_drawn(length: int) -> dict[str, int]:
    app = TreeApp(chain(length))
    drawn: dict[str, int] = {}
    async with app.run_test(size=(80, 24)) as pilot:
        tree = app.query_one(LineageTree)
        await pilot.pause()
        drawn["first"] = tree.drawn
        for key in ("home", "down", "down", "pagedown", "pagedown", "up", "end", "up", "left"):
            before = tree.drawn
            await pilot.press(key)
            await pilot.pause()
            drawn[key] = tree.drawn - before
    return drawn


async def test_a_hundred_thousand_rows_are_drawn_as_a_thousand() -> None:
    few, many = await lines_drawn(1_000), await lines_drawn(100_000)
    assert many == few
    assert many["down"] == 2
    assert many["up"] == 2
    assert many["first"] <= 48
    assert max(many.values()) <= 48


async def test_checkpoints_without_summary_are_asked_for_as_they_are_seen() -> None:
    app = TreeApp(chain(5_000, read=False))
    async with app.run_test(size=(80, 24)) as pilot:
        tree = app.query_one(LineageTree)
        await pilot.pause()
        wanted: list[str] = []
        tree.want = lambda checkpoint: wanted.append(checkpoint.id)
        await pilot.press("end")
        await pilot.pause()
        assert set(wanted) <= {f"id{number:06}" for number in range(24)} | {"id004999"}
        assert "id000000" in wanted


async def test_a_flows_graph_is_made_by_workers(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 20,000 calls that takes long: also when the class turns out to be another one."""
    threads: list[threading.Thread] = []

    def made(*args: Any, **more: Any) -> Any:
        threads.append(threading.current_thread())
        return flow_graph(*args, **more)

    monkeypatch.setattr(flow_graphs, "flow_graph", made)
    store = make_flow_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    async with running(store) as pilot:
        await press(pilot, "2", "tab", "down", "v", "v", "4", "2")
        graph = screen_of(pilot).shown_subject()
        assert graph is not None
        assert graph.graph is not None
        assert graph.graph.class_known
    assert threads
    assert threading.main_thread() not in threads
