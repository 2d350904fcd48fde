"""Big documents in the app: read by another process, shown as others are."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from crewcheck.tui import session
from crewcheck.tui.editing import target_of
from crewcheck.tui.screens.edit import EditScreen
from tests import build
from tests.build import crew, document, event, ident, task
from tests.tui.conftest import Running, press, screen_of, screen_text, settle

OUTPUT = "\n".join(f"line {number}" for number in range(4000))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(session, "BIG_BYTES", 30_000)
    events = [event(1, "tool_usage_finished", output=f"call {number}") for number in range(700)]
    for number, one in enumerate(events):
        one["event_id"] = f"e{number}"
        one["timestamp"] = f"2026-11-29T17:{number // 60:02}:{number % 60:02}Z"
    big = document(crew(task("a", output=OUTPUT), task("b")), events=events)
    build.write(tmp_path / "store", document(crew(task("a"))), ident(1))
    build.write(tmp_path / "store", big, ident(2), ident(1))
    return tmp_path / "store"


async def test_the_whole_of_a_text_comes_when_it_is_looked_at(
    running: Running, store: Path
) -> None:
    async with running(store) as pilot:
        detail = screen_of(pilot).detail
        assert "700 events" in screen_text(pilot)
        await press(pilot, "2", "tab", "tab", "end")
        assert "line 3999" in screen_text(pilot)
        assert "more characters" not in screen_text(pilot)
        assert detail.copied() == ("the task's output", OUTPUT)
        subject = screen_of(pilot).shown_subject()
        assert subject is not None
        assert target_of(subject, detail.page, 0, secrets=False).recorded == OUTPUT
        await press(pilot, "shift+tab", "i")
        assert isinstance(pilot.app.screen, EditScreen) or "editor" in screen_text(pilot)


async def test_events_come_as_they_are_seen(running: Running, store: Path) -> None:
    async with running(store) as pilot:
        await press(pilot, "5", "tab")
        assert "call 0" in screen_text(pilot)
        await press(pilot, "end")
        assert "call 699" in screen_text(pilot)
        await press(pilot, *["up"] * 5)
        assert "call 694" in screen_text(pilot)


async def test_small_ones_are_read_beside_it(running: Running, store: Path) -> None:
    async with running(store) as pilot:
        opened = screen_of(pilot).session
        assert opened is not None
        process = opened.documents._process
        assert process is not None
        await press(pilot, "down")
        assert "0 of 1 task" in screen_text(pilot)
        process.kill()
        process.wait()
        await press(pilot, "up", "2")
        await settle(pilot)
        assert "line 0" in screen_text(pilot)
    assert opened.documents._process is None


async def test_the_same_text_far_down_is_not_made_again(running: Running, tmp_path: Path) -> None:
    many = {f"key{number}": number for number in range(3_000)}
    build.write(tmp_path, build.document(build.flow("a", state={"id": "s"} | many)), build.ident(1))
    async with running(tmp_path) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "4", "tab", "tab", "G")
        view = screen.detail.text
        while not view.complete:
            await asyncio.sleep(0.01)
        lines = view._lines
        assert len(lines) > 3_000
        subject = screen.shown_subject()
        assert subject is not None
        screen.detail.show(subject)
        assert view._lines is lines
        assert "key2999" in screen_text(pilot)
