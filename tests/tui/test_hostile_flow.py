"""Flows that would like to be more than flows: on the Methods and State tab, and in questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.flow_graph import flow_graph
from crewcheck.engine.flow_rails import rows
from crewcheck.engine.inspect import inspect
from crewcheck.engine.redaction import Redactor
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.static_values import Step
from crewcheck.tui.glyphs import UNICODE
from crewcheck.tui.layout import text_of
from crewcheck.tui.runs import LONGEST_OUTPUT, Run
from crewcheck.tui.screens.answering import question_blocks
from crewcheck.tui.screens.edit import EditScreen
from tests import build
from tests.tui.conftest import Running, drawn_lines, press, screen_of, screen_text, settle
from tests.tui.test_hostile import HOSTILE

KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"
SIGNS = ("\x1b", "\x9b", "\x07", "\x0e", "\u202e", "\u2066", "\ud800", KEY)


def event(number: int, kind: str, **more: Any) -> dict[str, Any]:
    made = build.event(number, kind, flow_name="Odd", **more)
    return made | {"timestamp": f"2026-11-29T17:42:00.{number:06}Z"}


def flow_of(methods: list[str], state: dict[str, Any], result: Any = None) -> dict[str, Any]:
    """A flow whose methods set each other off."""
    events = [event(1, "flow_started")]
    cause = None
    for at, name in enumerate(methods):
        first = 2 + 2 * at
        of = {"method_name": name, "triggered_by_event_id": cause, "parent_event_id": "event-1"}
        events.append(event(first, "method_execution_started", **of))
        events.append(event(first + 1, "method_execution_finished", result=result or name,
                            started_event_id=f"event-{first}", state=state, **of))  # fmt: skip
        cause = f"event-{first + 1}"
    flow = build.flow(*dict.fromkeys(methods), state=state)
    return build.document(flow, events=events, trigger="method_execution_finished")


@pytest.mark.parametrize("text", [*HOSTILE, KEY])
async def test_odd_methods_and_keys(running: Running, tmp_path: Path, text: str) -> None:
    state = {"id": "s", text or "empty": text, "deep": {text: [text]}, **{text + "2": 1}}
    document = flow_of(["begin", text, text, "end"], state, {"said": text})
    build.write(tmp_path, document, build.ident(1))
    async with running(tmp_path) as pilot:
        detail = screen_of(pilot).detail
        for tab in ("2", "4"):
            await press(pilot, tab, "tab")
            assert detail.page is not None
            for row in range(detail.page.count):
                detail.rows.move_to(row)
                await press(pilot, "v" if tab == "2" else "i")
                looked_at(pilot)
                if isinstance(pilot.app.screen, EditScreen):
                    await press(pilot, "escape")
            await press(pilot, "escape")
        await press(pilot, "f")
        looked_at(pilot)
        await press(pilot, "escape")


def looked_at(pilot: Any) -> None:
    shown = screen_text(pilot)
    assert [sign for sign in SIGNS if sign in shown] == []
    assert {cell_len(line) for line in drawn_lines(pilot)} == {120}


async def test_a_loop_of_thousands_of_rounds(running: Running, tmp_path: Path) -> None:
    names = ["begin", *["count", "enough"] * 3_000, "end"]
    build.write(tmp_path, flow_of(names, {"id": "s"}, "again"), build.ident(1))
    async with running(tmp_path) as pilot:
        await press(pilot, "2", "tab", "g", "down")
        assert "called 3,000 times" in screen_text(pilot)
        assert "the last 12 of 3,000: v lists them all" in screen_text(pilot)
        await press(pilot, "v")
        await press(pilot, "G", "up", "up")
        assert screen_of(pilot).detail.rows.drawn < 1_000
        assert "count#3000" in screen_text(pilot)


async def test_hundreds_of_methods_with_conditions_of_all_of_them(
    running: Running, tmp_path: Path
) -> None:
    """No rails are drawn where nobody could follow them, and that is found out at once."""
    names = [f"method_{number}" for number in range(600)]
    steps = [Step(name, "listen", tuple(names[:at:3])) for at, name in enumerate(names)]
    build.write(tmp_path, flow_of(names, {"id": "s"}), build.ident(1))
    with open_catalog(str(tmp_path)) as catalog:
        (checkpoint,) = catalog.checkpoints
        graph = flow_graph(inspect(catalog, checkpoint, Redactor()).calls, steps)
    drawn = rows(graph)
    assert {row.cells for row in drawn} == {((" ", False),)}
    assert [row.node for row in drawn] == list(range(len(graph.nodes)))
    assert len(graph.into(len(graph.nodes) - 1)) >= 190
    async with running(tmp_path) as pilot:
        await press(pilot, "2", "tab", "G", "up")
        await settle(pilot)
        assert "method_598" in screen_text(pilot)


def test_a_question_is_without_secrets_and_not_endless(tmp_path: Path) -> None:
    spec = RunSpec(
        store="s", checkpoint_id="c", python="", cwd="", kind="flow", name="Odd", total=1
    )
    (tmp_path / "spec.json").write_bytes(spec.to_json())
    run = Run(tmp_path, Redactor(), UNICODE)
    state = run.state
    state.prompts = [
        {"id": 1, "method": f"\x1b[2J {KEY}", "message": f"[red]use {KEY}?", "outcomes": [KEY],
         "output": f"{KEY} " + "x" * (2 * LONGEST_OUTPUT)},
    ]  # fmt: skip
    (shown,) = run._snapshot(state).prompts
    assert run._snapshot(state).prompts[0] is shown
    lines = [text_of(line) for block in question_blocks(shown, "main") for line in block.lines(80)]
    text = "\n".join(lines)
    assert KEY not in text
    assert "\x1b" not in text
    assert "[red]use <redacted" in text
    assert "It is longer than can be shown here." in text
    assert len(text) < 1.1 * LONGEST_OUTPUT
