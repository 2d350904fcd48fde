"""An output is edited in the app and forked, with the real crewai and the demo's model."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from crewcheck.demo import environment, playground
from crewcheck.tui.screens.launch import LaunchScreen
from tests.tui.conftest import Running, press, screen_of, screen_text, settle, tree_lines
from tests.tui.projects import keys, launch_of, until, until_ready
from tests.tui.test_editing import type_over

# `make test` has made the environment
PYTHON = os.environ.get("CREWCHECK_CREWAI_PYTHON") or environment.ready() or ""
FACTS = "1. **A lamp must be silent.** Nobody asked for another noise.\n\nNothing else matters."


@pytest.mark.e2e
@pytest.mark.skipif(not PYTHON, reason="there is no environment with crewai")
@pytest.mark.timeout(240)
async def test_an_edited_output_is_forked_and_run(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = playground.make_project(tmp_path / "demo", PYTHON)
    monkeypatch.setenv("DEMO_MODEL_URL", "")
    with playground.model():
        async with running(store) as pilot:
            await press(pilot, "2", "tab", "g", "i")
            await type_over(pilot, FACTS)
            await keys(pilot, "f")
            launch = await until_ready_slowly(pilot)
            assert launch.board is not None
            assert [item.action for item in launch.board.items] == ["keep", "run", "run", "run"]
            assert "crewai " in screen_text(pilot)
            launch.query_one("#branch", Input).value = "what-if/silent"
            await keys(pilot, "right", "right", "enter")
            screen = screen_of(pilot)
            await until(pilot, lambda: screen.runs and not screen.runs[0].live, 120)
            (run,) = screen.runs
            assert run.state.state == "finished", run.state
            assert run.state.tokens > 0
            await until(pilot, lambda: any("what-if/silent" in line for line in tree_lines(pilot)))
            await keys(pilot, "n")
            await until(pilot, lambda: at(pilot) == run.state.newest)
            await settle(pilot)
            node = screen.tree_view.node
            assert node is not None
            assert node.checkpoint.branch == "what-if/silent"
            assert node.checkpoint.status == "finished"
            document = json.loads(Path(node.checkpoint.header.location).read_text())
            crew = next(e for e in document["entities"] if e.get("entity_type") == "crew")
            outputs = [task["output"]["raw"] for task in crew["tasks"]]
            assert outputs[0] == FACTS
            assert "A lamp must be silent" in outputs[1]
            assert run.state.result == outputs[-1]


def at(pilot: Pilot[None]) -> str:
    """The checkpoint under the cursor."""
    node = screen_of(pilot).tree_view.node
    return node.checkpoint.id if node is not None else ""


async def until_ready_slowly(pilot: Pilot[None]) -> LaunchScreen:
    """Importing crewai takes its time."""
    launch = launch_of(pilot)
    await until(pilot, lambda: launch.phase in ("ready", "refused"), 90)
    return await until_ready(pilot)
