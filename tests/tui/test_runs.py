"""Runs in the app: streaming, cancelling, questions, several at once, found again."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input

from crewcheck.engine.redaction import Redactor
from crewcheck.engine.runs import runs_of_store
from crewcheck.runtimes.follow import list_runs
from crewcheck.runtimes.state_dirs import run_folder
from crewcheck.tui.glyphs import UNICODE
from crewcheck.tui.layout import Line, Pieces, text_of
from crewcheck.tui.run_lines import RunLines
from crewcheck.tui.runs import Run, began
from crewcheck.tui.screens.answering import AnswerScreen
from crewcheck.tui.screens.dialogs import AskScreen
from crewcheck.tui.widgets.text_view import TextView
from tests import build
from tests.tui.conftest import Running, closed, screen_of, screen_text, tree_lines
from tests.tui.projects import go_to, keys, make_project, until, until_ready, until_text, use_fake
from tests.tui.test_editing import told

HOSTILE = "[/b] [red] \x1b[2J\x1b]0;x\x07 \u202e [@click=app.quit]x[/]"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "p")


async def fork(pilot: Pilot[None], branch: str) -> Run:
    """Fork the checkpoint under the cursor and run it; the run."""
    before = len(screen_of(pilot).runs)
    await keys(pilot, "f")
    launch = await until_ready(pilot)
    launch.query_one("#branch", Input).value = branch
    await keys(pilot, "right", "right", "enter")
    await until(pilot, lambda: len(screen_of(pilot).runs) > before)
    return max(screen_of(pilot).runs, key=began)


async def end_all(pilot: Pilot[None]) -> None:
    for run in screen_of(pilot).runs:
        if run.live:
            run.cancel()
    await until(pilot, lambda: not any(one.live for one in list_runs()))


async def test_a_run_streams_while_browsing_goes_on(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, "print:hello from it", f"gate:{gate}", "work")
        await go_to(pilot, build.ident(1))
        await fork(pilot, "exp/a")
        await until_text(pilot, "hello from it")
        shown = screen_text(pilot)
        assert "● exp/a" in shown
        assert "x cancels" in shown
        assert "outline  recorded" in shown
        await until(pilot, lambda: any("● forked" in one for one in tree_lines(pilot)))
        await keys(pilot, "1", "up", "up", "2")
        assert "Description" in screen_text(pilot)
        gate.touch()
        await until(pilot, lambda: not screen_of(pilot).runs[0].live)
        await keys(pilot, "8")
        await until_text(pilot, "all is done")
        assert "200 tokens" in screen_text(pilot)
        await until(pilot, lambda: "● exp/a" not in screen_text(pilot))
        await until(pilot, lambda: not any("●" in one for one in tree_lines(pilot)))


async def test_cancelling_asks(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, "hang")
        await go_to(pilot, build.ident(1))
        run = await fork(pilot, "exp/a")
        await until(pilot, lambda: run.state.state == "running")
        await keys(pilot, "x")
        assert isinstance(pilot.app.screen, AskScreen)
        await keys(pilot, "enter")
        assert run.live
        await keys(pilot, "x", "right", "enter")
        await until(pilot, lambda: not run.live)
        assert run.state.state == "interrupted"
        await until_text(pilot, "you cancelled it")
        await keys(pilot, "x")
        assert closed(pilot)


async def test_a_run_that_fails_says_why(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, f"fail:it broke {HOSTILE}")
        await go_to(pilot, build.ident(1))
        run = await fork(pilot, "exp/a")
        await until(pilot, lambda: not run.live)
        await until_text(pilot, "it broke [/b] [red] \u241b[2J")
        shown = screen_text(pilot)
        for part in ("Why it ended", "try again", "Traceback"):
            assert part in shown
        assert "\x1b" not in shown
        assert "it broke" in told(pilot)


async def test_a_question_is_answered(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, f"ask:Is it good? {HOSTILE}")
        await go_to(pilot, build.ident(1))
        await fork(pilot, "exp/a")
        await until(pilot, lambda: isinstance(pilot.app.screen, AnswerScreen))
        await until_text(pilot, "Is it good? [/b] [red] \u241b[2J")
        await keys(pilot, "escape")
        await until_text(pilot, "asks you")
        await keys(pilot, "p")
        await keys(pilot, *"yes", "enter")
        await until_text(pilot, "heard yes")
        await until_text(pilot, "all is done")


async def test_a_question_shows_what_it_is_about(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = {
        "task": "draft",
        "agent": "Writer",
        "output": f"A draft.\nOf {HOSTILE}",
        "message": "Ok?",
    }
    again = {"task": "draft", "agent": "Writer", "output": "A shorter draft.", "message": "Ok?"}
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, f"ask:{json.dumps(about)}", f"ask:{json.dumps(again)}")
        await go_to(pilot, build.ident(1))
        await fork(pilot, "exp/a")
        await until(pilot, lambda: isinstance(pilot.app.screen, AnswerScreen))
        for part in ("task draft", "agent Writer", "A draft.", "[/b] [red] \u241b[2J", "Ok?"):
            await until_text(pilot, part)
        # an answer of two lines, and the same question again
        await keys(pilot, *"one", "ctrl+j", *"two", "enter")
        await until_text(pilot, "A shorter draft.")
        await keys(pilot, "enter")
        await until_text(pilot, "all is done")
    (run,) = list_runs()
    answers = [
        json.loads(line)["text"]
        for line in (run_folder(run.run_id) / "journal.jsonl").read_text().splitlines()
        if json.loads(line)["type"] == "answer"
    ]
    assert answers == ["one\ntwo", ""]


async def test_a_run_that_waits_asks_again_in_another_app(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, "ask:Is it good?")
        await go_to(pilot, build.ident(1))
        await fork(pilot, "exp/a")
        await until_text(pilot, "Is it good?")
        await keys(pilot, "escape")
    (waiting,) = list_runs()
    assert [one["message"] for one in waiting.prompts] == ["Is it good?"]
    async with running(project) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, AnswerScreen))
        await keys(pilot, *"yes", "enter")
        await until(pilot, lambda: not screen_of(pilot).runs[0].live)
    (ended,) = list_runs()
    assert ended.state == "finished"


async def test_two_runs_at_once(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, "print:one", "hang")
        await go_to(pilot, build.ident(1))
        await fork(pilot, "exp/a")
        use_fake(pilot, monkeypatch, "print:two", "hang")
        await go_to(pilot, build.ident(2))
        await fork(pilot, "exp/b")
        screen = screen_of(pilot)
        await until(pilot, lambda: [r.state.state for r in screen.runs] == ["running"] * 2)
        await until_text(pilot, "● 2 runs")
        assert {run.state.branch for run in screen.runs} == {"exp/a", "exp/b"}
        await keys(pilot, "8", "tab", "end")
        other = screen.chosen_run()
        await keys(pilot, "home")
        first = screen.chosen_run()
        assert first is not None
        assert other is not None
        assert first is not other
        await keys(pilot, "x", "right", "enter")
        await until(pilot, lambda: not first.live)
        assert other.live
        await end_all(pilot)


async def test_runs_go_on_without_the_app_and_are_found_again(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, "print:before", f"gate:{gate}", "work")
        await go_to(pilot, build.ident(1))
        run = await fork(pilot, "exp/a")
        await until(pilot, lambda: run.state.state == "running")
        await keys(pilot, "q")
        said = pilot.app._exit_renderables
        assert "1 run goes on" in str(said[0])
    async with running(project) as pilot:
        screen = screen_of(pilot)
        await until(pilot, lambda: screen.runs and screen.runs[0].live)
        assert "still goes on" in told(pilot)
        await keys(pilot, "8")
        await until_text(pilot, "before")
        gate.touch()
        await until_text(pilot, "all is done")
        notes = pilot.app._notifications
        await until(pilot, lambda: "Run finished" in [note.title for note in notes])
    async with running(project) as pilot:
        await until(pilot, lambda: screen_of(pilot).runs)
        assert told(pilot) == ""


async def test_a_crash_is_told_once(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, "hang")
        await go_to(pilot, build.ident(1))
        run = await fork(pilot, "exp/a")
        await until(pilot, lambda: run.state.state == "running")
        supervisor, child = run.state.supervisor, run.state.pid
    assert supervisor is not None
    assert child is not None
    for pid in (supervisor, child):
        os.kill(pid, signal.SIGKILL)
    async with running(project) as pilot:
        await until(pilot, lambda: screen_of(pilot).runs)
        assert "A run has crashed" in [note.title for note in pilot.app._notifications]
        await keys(pilot, "8")
        await until_text(pilot, "gone without a word")
        assert "e goes on from there" in screen_text(pilot)
    async with running(project) as pilot:
        await until(pilot, lambda: screen_of(pilot).runs)
        assert told(pilot) == ""


async def test_a_crash_while_the_app_looks_on(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, "hang")
        await go_to(pilot, build.ident(1))
        run = await fork(pilot, "exp/a")
        await until(pilot, lambda: run.state.state == "running")
        assert run.state.supervisor is not None
        assert run.state.pid is not None
        os.kill(run.state.supervisor, signal.SIGKILL)
        os.kill(run.state.pid, signal.SIGKILL)
        await until(pilot, lambda: run.state.state == "crashed")
        await until(pilot, lambda: "A run has crashed" in
                    [note.title for note in pilot.app._notifications])  # fmt: skip
    (found,) = runs_of_store(str(project), frozenset(), 0.0)
    assert not found.unseen


async def test_runs_of_other_stores_are_not_shown(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = make_project(tmp_path / "other")
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(1))
        await fork(pilot, "exp/a")
        await until_text(pilot, "all is done")
    async with running(other) as pilot:
        await until(pilot, lambda: screen_of(pilot).sought)
        assert screen_of(pilot).runs == []


@pytest.mark.parametrize("size", [(1, 1), (40, 10), (60, 24), (80, 24), (200, 60)])
async def test_the_run_tab_at_any_size(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, f"print:{HOSTILE}", "hang")
        await go_to(pilot, build.ident(1))
        run = await fork(pilot, "exp/a")
        await until(pilot, lambda: run.state.state == "running")
        await pilot.resize_terminal(*size)
        await keys(pilot, "8", "tab", "down", "tab", "end", "home", "x", "escape", "n")
        await end_all(pilot)


def lines_of(*messages: dict[str, object]) -> list[str]:
    """What messages look like."""
    maker = RunLines(UNICODE, Redactor().text)
    blocks = [block for message in messages for block in maker.of(message)]
    return [text_of(line).rstrip() for block in blocks for line in block.lines(100)]


def test_the_lines_of_a_run() -> None:
    at = "2026-11-29T17:00:0{}.500Z"
    assert lines_of(
        {"type": "supervised", "at": at.format(0)},
        {"type": "go", "at": at.format(1)},
        {"type": "started", "checkpoint_id": "c0", "at": at.format(1)},
        {"type": "event", "event": "task_completed", "task": 0, "task_name": "a", "replayed": True,
         "at": at.format(1)},
        {"type": "event", "event": "task_started", "task": 1, "task_name": "b", "agent": "Writer",
         "at": at.format(2)},
        {"type": "event", "event": "llm_call_started", "task": 1, "at": at.format(2)},
        {"type": "event", "event": "llm_call_completed", "task": 1, "model": "m", "tokens": 70,
         "seconds": 1.5, "at": at.format(3)},
        {"type": "event", "event": "tool_usage_error", "task": 1, "tool": "web", "error": "no\nway",
         "at": at.format(3)},
        {"type": "event", "event": "task_completed", "task": 1, "task_name": "b", "seconds": 2.0,
         "at": at.format(4)},
        {"type": "checkpoint", "id": "c1", "at": at.format(4)},
        {"type": "checkpoint", "id": None, "lost": "disk full", "at": at.format(4)},
        {"type": "log", "stream": "stdout", "text": "key sk-proj-Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0",
         "at": at.format(4)},
        {"type": "log", "text": "╭──── 🌊 Flow Started ────╮", "at": at.format(4)},
        {"type": "log", "text": "│                         │", "at": at.format(4)},
        {"type": "log", "text": "│  Name: X │ Y            │", "at": at.format(4)},
        {"type": "log", "text": "╰─────────────────────────╯", "at": at.format(4)},
        {"type": "log", "text": "- a list │", "at": at.format(4)},
        {"type": "finished", "result": "r", "at": at.format(5)},
        {"type": "odd", "at": None},
    ) == [
        " 0:00.0  ● begins  after c0",
        " 0:00.0  ✓ a  recorded",
        " 0:01.0  ● b  Writer",
        " 0:02.0    · model answered  m  1.5s · 70 tokens",
        " 0:02.0    ✗ tool failed  web  no way",
        " 0:03.0  ✓ b  2.0s · 70 tokens",
        " 0:03.0    ◆ checkpoint c1",
        " 0:03.0  ! a checkpoint was lost: disk full",
        " 0:03.0  │ key <redacted openai key #cc86>",
        " 0:03.0  │ 🌊 Flow Started",
        " 0:03.0  │ Name: X │ Y",
        " 0:03.0  │ - a list │",
        " 0:04.0  ✓ finished",
    ]  # fmt: skip


def test_messages_of_any_shape_make_lines() -> None:
    odd: list[object] = [None, 3, "x", [], {}, True, "\x1b[2J", 10**30]
    for kind in ("hello", "started", "event", "checkpoint", "log", "prompt", "answer", "failed"):
        for value in odd:
            for event in ("task_started", "task_completed", "task_failed", "llm_call_completed"):
                message = dict.fromkeys(
                    ("at", "task", "task_name", "agent", "tokens", "seconds", "error", "text",
                     "message", "id", "crewai", "lost", "model"), value
                )  # fmt: skip
                for line in lines_of({**message, "type": kind, "event": event}):
                    assert "\x1b" not in line
    assert json.dumps(odd)


class TextApp(App[None]):
    """Nothing but a text."""

    def compose(self) -> ComposeResult:
        yield TextView(id="text")


async def test_the_end_of_what_grows_is_followed() -> None:
    app = TextApp()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(TextView)
        for count in (5, 20, 40):
            view.show([Line([(f"{at}", "")]) for at in range(count)], keep_place=True, tail=True)
            await pilot.pause()
            assert view.scroll_offset.y == max(0, count - 10)
        await pilot.resize_terminal(40, 7)
        view.show([Line([(f"{at}", "")]) for at in range(50)], keep_place=True, tail=True)
        await pilot.pause()
        assert view.scroll_offset.y == 43
        view.focus()
        await pilot.press("up", "up")
        view.show([Line([(f"{at}", "")]) for at in range(60)], keep_place=True, tail=True)
        await pilot.pause()
        assert view.scroll_offset.y == 41
        view.show([Line([(f"{at}", "")]) for at in range(70)], keep_place=True)
        await pilot.pause()
        assert view.scroll_offset.y == 0


async def test_a_text_that_grows_lays_out_what_is_new_only() -> None:
    laid: list[str] = []

    class Counted(Line):
        def lines(self, width: int) -> Iterator[Pieces]:
            laid.append(text_of(self.pieces))
            return super().lines(width)

    class TextApp(App[None]):
        def compose(self) -> ComposeResult:
            yield TextView(id="text")

    app = TextApp()
    async with app.run_test(size=(40, 10)) as pilot:
        view = app.query_one(TextView)
        blocks = [Counted([(f"line {number}", "")]) for number in range(50)]
        view.show(blocks, tail=True)
        await pilot.pause()
        laid.clear()
        blocks = [*blocks[5:], Counted([("new", "")])]
        view.show(blocks, keep_place=True, tail=True)
        assert laid == ["new"]
        assert view.line_count == 46
        await pilot.resize_terminal(30, 10)
        await pilot.pause()
        assert len(laid) == 47
