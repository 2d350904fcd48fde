"""Texts that would like to be more than texts, at every place of the app."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests import build
from tests.tui.conftest import Running, drawn_lines, press, screen_of, screen_text, settle

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
HOSTILE = [
    "[red]x[/y]",
    "[@click=app.quit]x[/]",
    "[link=x]",
    "[bold",
    "\\[x]",
    "=1,b=2]",
    "ends in [",
    "\x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x07",
    "\x9b31m\x0e\r\b\x7f",
    "\u202eabc\u2066def",
    "شركة الأخبار العربية",
    FAMILY + "☎️🇩🇪e\u0301",
    "日本語のとても長いクルー名",
    "\ud800half\udfff",
    "tab\there\nline",
    "",
    " ",
    "a b  c",
    "x" * 5000,
]


def documents(text: str) -> dict[str, Any]:
    """The text wherever a crew, a flow and an agent may have one."""
    error = {"task_id": "task-last", "error": text}
    tasks = [
        build.task(text, output=text, description=text + " {topic}", agent=text),
        build.task("last", description=text, agent=text, tools=[{"name": text}]),
    ]
    events = [
        build.event(1, "task_started", task_id="task-last", task_name=text),
        build.event(2, "task_failed", started_event_id="event-1", **error),
        build.event(3, text or "odd", message=text, agent_role=text, parent_event_id="event-1"),
    ]
    crew = build.crew(
        *tasks, name=text, agents=[build.agent(text, goal=text)], checkpoint_inputs={text: text}
    )
    flow = build.flow("a", name=text, state={"id": text, text: [text]})
    flow_events = [
        build.event(1, "method_execution_started", method_name=text, flow_name=text),
        build.event(2, "method_execution_finished", method_name=text, flow_name=text, result=text),
        build.event(3, "method_execution_paused", method_name="ask", message=text, flow_name=text),
    ]
    agent_events = [
        build.event(1, "lite_agent_execution_started", messages=text),
        build.event(2, "lite_agent_execution_completed", output=text),
    ]
    return {
        "crew": build.document(crew, events=events, trigger=text or None, version=text or None),
        "flow": build.document(flow, events=flow_events, trigger="method_execution_paused"),
        "agent": build.document(build.agent(text, crew=None), events=agent_events, trigger=None),
    }


@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_it_is_shown_and_does_nothing(running: Running, tmp_path: Path, number: int) -> None:
    text = HOSTILE[number]
    for place, doc in enumerate(documents(text).values()):
        doc["branch"] = text
        build.write(tmp_path, doc, build.ident(place + 1))
    async with running(tmp_path) as pilot:
        await press(pilot, "plus", "g")
        screen = screen_of(pilot)
        assert screen.tree_view.count == 6
        for row in range(screen.tree_view.count):
            screen.tree_view.move_to(row)
            await settle(pilot)
            for tab in range(len(screen.detail.pages)):
                screen.detail.choose(tab)
                page = screen.detail.page
                assert page is not None
                for line in range(page.count):
                    screen.detail.rows.move_to(line)
                    await asyncio.sleep(0)
                await pilot.pause(0)
                shown = screen_text(pilot)
                for sign in ("\x1b", "\x9b", "\x07", "\x0e", "\u202e", "\u2066", "\ud800"):
                    assert sign not in shown
                for drawn in drawn_lines(pilot):
                    assert cell_len(drawn) == 120
            screen.detail.choose(0)
        await press(pilot, "y", "tab", "2", "y", "slash", *"[", "enter", "r")
        assert pilot.app.is_running


async def test_markup_is_shown_as_it_is(running: Running, tmp_path: Path) -> None:
    build.write(tmp_path, documents("[@click=app.quit]x[/]")["crew"], build.ident(1))
    async with running(tmp_path) as pilot:
        assert "[@click=app.quit]x[/]" in screen_text(pilot)
        for x in range(2, 40, 3):
            await pilot.click(screen_of(pilot).detail.text, offset=(x, 0))
        assert pilot.app.is_running


async def test_two_megabytes_in_one_line(running: Running, tmp_path: Path) -> None:
    done = build.task("big", output="word " * 400_000)
    build.write(tmp_path, build.document(build.crew(done)), build.ident(1))
    async with running(tmp_path) as pilot:
        await press(pilot, "2")
        text = screen_of(pilot).detail.text
        assert text.drawn < 500
        assert "word word" in screen_text(pilot)
        await press(pilot, "tab", "tab", "pagedown", "pagedown", "end")
        assert text.complete
        assert "Expected output" in screen_text(pilot)


async def test_many_lines_are_made_as_far_as_they_are_seen(
    running: Running, tmp_path: Path
) -> None:
    done = build.task("long", output="\n".join(map(str, range(200_000))))
    build.write(tmp_path, build.document(build.crew(done)), build.ident(1))
    async with running(tmp_path) as pilot:
        text = screen_of(pilot).detail.text
        page = screen_of(pilot).detail
        page.choose(1)
        assert not text.complete
        assert len(text._lines) < 500
        await asyncio.sleep(0.3)
        assert len(text._lines) < 15_000
        await press(pilot, "tab", "tab", "G")
        while not text.complete:
            await asyncio.sleep(0.01)
        await settle(pilot)
        assert "199999" in screen_text(pilot)
        assert text.complete


async def test_secrets_are_hidden(running: Running, tmp_path: Path) -> None:
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"
    build.write(tmp_path, documents(key)["crew"], build.ident(1))
    async with running(tmp_path) as pilot:
        for tab in "1234":
            await press(pilot, tab)
            assert key not in screen_text(pilot)
    async with running(tmp_path, show_secrets=True) as pilot:
        await press(pilot, "2")
        assert key in screen_text(pilot)
        assert "secrets are shown" in screen_text(pilot)
