"""A flow that has failed on a bad value: the value is put right in the app, and the fork runs,
with the real crewai."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Button

from crewcheck.demo import environment
from crewcheck.tui.screens.edit import EditScreen
from tests.tui.conftest import Running, press, screen_of, screen_text
from tests.tui.projects import go_to, keys, launch_of, until
from tests.tui.test_e2e_fork import until_ready_slowly
from tests.tui.test_editing import editor_of, edits_of, type_over

# `make test` has made the environment
PYTHON = os.environ.get("CREWCHECK_CREWAI_PYTHON") or environment.ready() or ""

FLOW = """
from crewai.flow.flow import Flow, listen, router, start
from pydantic import BaseModel, Field


class Bill(BaseModel):
    id: str = ""
    customer: str = "Mina"
    amount: str | float = "twelve"
    discount: int = Field(default=0, ge=0, le=100)
    lines: list[str] = []


class Billing(Flow[Bill]):
    @start()
    def collect(self):
        with open("collected.txt", "a") as file:
            file.write("x")
        self.state.lines.append("paper")
        return "1 line"

    @router(collect)
    def price(self):
        total = float(self.state.amount) * (100 - self.state.discount) / 100
        self.state.lines.append(f"total {total}")
        return "large" if total > 10 else "small"

    @listen("large")
    def approve(self):
        return f"approved {self.state.lines[-1]} for {self.state.customer}"

    @listen("small")
    def book(self):
        return f"booked {self.state.lines[-1]} for {self.state.customer}"
"""
PROGRAM = """
from billing import Billing
from crewai import CheckpointConfig

events = ["method_execution_finished", "method_execution_failed"]
Billing(checkpoint=CheckpointConfig(location="./store", on_events=events)).kickoff()
"""


def make_failed_run(root: Path) -> Path:
    """A project with the flow, and the store that its failed run has left."""
    (root / "pyproject.toml").write_text(f'[tool.crewcheck]\npython = "{PYTHON}"\n')
    (root / "billing.py").write_text(FLOW)
    program = root / "program"
    program.mkdir()
    (program / "main.py").write_text(PROGRAM)
    quiet = {"OTEL_SDK_DISABLED": "true", "CREWAI_DISABLE_TELEMETRY": "true",
             "CREWAI_TRACING_ENABLED": "false", "PYTHONPATH": str(root)}  # fmt: skip
    for _ in range(10):
        ended = subprocess.run(
            [PYTHON, str(program / "main.py")], cwd=root, env={**os.environ, **quiet},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        if "during iteration" not in ended.stderr:
            break
        shutil.rmtree(root / "store", ignore_errors=True)  # CrewAI itself fell over a write
    assert "could not convert string to float" in ended.stderr, ended.stderr
    return root / "store"


@pytest.mark.e2e
@pytest.mark.skipif(not PYTHON, reason="there is no environment with crewai")
@pytest.mark.timeout(300)
async def test_a_bad_value_is_put_right_and_the_fork_runs(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_failed_run(tmp_path)
    monkeypatch.chdir(tmp_path)
    async with running(store) as pilot:
        screen = screen_of(pilot)
        assert screen.forest is not None
        (failed,) = [one.checkpoint.id for one in screen.forest.order
                     if one.checkpoint.status == "failed"]  # fmt: skip
        await go_to(pilot, failed)
        await press(pilot, "2")
        await until(pilot, lambda: "could not convert" in screen_text(pilot))
        await press(pilot, "4")
        await edit(pilot, amount=12.5, discount=150)
        await keys(pilot, "f")
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused", 90)
        assert "discount: Input should be less than or equal to 100" in screen_text(pilot)
        launch.query_one("#launch-edit", Button).press()
        await until(pilot, lambda: isinstance(pilot.app.screen, EditScreen))
        state = json.loads(editor_of(pilot).area.text)
        await type_over(pilot, json.dumps(state | {"discount": 0}))
        assert edits_of(pilot).state == {("amount",): 12.5}
        await keys(pilot, "f")
        launch = await until_ready_slowly(pilot)
        assert launch.board is not None
        assert [(item.label, item.rule) for item in launch.board.items] == [
            ("collect", "recorded"), ("price", "failed"), ("approve", "may-come"),
            ("book", "may-come"),
        ]  # fmt: skip
        await keys(pilot, "right", "right", "enter")
        await until(pilot, lambda: screen.runs and not screen.runs[0].live, 120)
        (run,) = screen.runs
        assert (run.state.state, run.state.result) == ("finished", "approved total 12.5 for Mina")
        assert "approved total 12.5 for Mina" in screen_text(pilot)
    assert (tmp_path / "collected.txt").read_text() == "x"


async def edit(pilot: Any, **changes: Any) -> None:
    await press(pilot, "i")
    state = json.loads(editor_of(pilot).area.text)
    await type_over(pilot, json.dumps(state | changes))
