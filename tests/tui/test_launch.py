"""Forking and resuming from the app, with a child that only looks like one."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input

from crewcheck.cli.console import Console
from crewcheck.cli.demo import _look_around
from crewcheck.runtimes.follow import list_runs
from crewcheck.tui.launching import Launch
from crewcheck.tui.layout import text_of
from crewcheck.tui.screens.launch import LaunchScreen
from tests import build
from tests.tui.conftest import Running, closed, press, screen_of, screen_text, settle, tree_lines
from tests.tui.projects import (
    go_to,
    keys,
    launch_of,
    make_project,
    until,
    until_ready,
    until_text,
    use_fake,
)
from tests.tui.test_editing import edits_of, told, type_over


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "p")


def plan_of(launch: LaunchScreen) -> list[str]:
    assert launch.board is not None
    return [item.action for item in launch.board.items]


async def test_a_fork_is_planned_and_run(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(3))
        await press(pilot, "2", "tab", "g", "i")
        await type_over(pilot, "My outline")
        await keys(pilot, "f")
        launch = launch_of(pilot)
        yes = launch.query_one("#launch-yes", Button)
        assert yes.disabled is (launch.phase != "ready")
        assert launch.focused is launch.query_one("#launch-no")
        await until_ready(pilot)
        shown = screen_text(pilot)
        assert plan_of(launch) == ["keep", "run", "run"]
        assert "its output is yours" in shown
        assert "it depends on outline" in shown
        for part in ("An outline", "My outline", "crewai 9.9", "crew:crew", "gpt-4o-mini"):
            assert part in shown, part
        assert "1 kept, 2 run" in shown
        await keys(pilot, "b", "home", *["delete"] * 200, *"what-if", "enter", "enter")
        await until(pilot, lambda: closed(pilot))
        await until_text(pilot, "all is done")
        await until(pilot, lambda: "what-if" in "\n".join(tree_lines(pilot)))
        await until(pilot, lambda: any("3/3" in one for one in tree_lines(pilot)[:4]))
        assert not edits_of(pilot)
        screen = screen_of(pilot)
        assert screen.edits.total == 0
        (run,) = screen.runs
        assert (run.state.state, run.state.branch, run.state.tokens) == ("finished", "what-if", 200)
        await keys(pilot, "n")
        await until(pilot, lambda: not screen._expected)
        node = screen.tree_view.node
        assert node is not None
        assert node.checkpoint.id == run.state.newest
        document = json.loads(Path(node.checkpoint.header.location).read_text())
        outputs = [task["output"]["raw"] for task in document["entities"][0]["tasks"]]
        assert outputs[0] == "My outline"
        assert outputs[1] == "draft after My outline"
        notes = pilot.app._notifications
        await until(pilot, lambda: "Run finished" in [note.title for note in notes])


async def test_a_plan_can_be_switched(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(3))
        await keys(pilot, "f")
        launch = await until_ready(pilot)
        assert plan_of(launch) == ["keep", "keep", "keep"]
        await keys(pilot, "space")
        assert plan_of(launch) == ["run", "run", "run"]
        await keys(pilot, "down", "space")
        assert plan_of(launch) == ["run", "keep", "keep"]
        await keys(pilot, "up", "space")
        assert plan_of(launch) == ["keep", "keep", "keep"]
        await keys(pilot, "down", "down", "space")
        assert plan_of(launch) == ["keep", "keep", "run"]
        await keys(pilot, "right", "right", "enter")
        await until_text(pilot, "all is done")
        (run,) = screen_of(pilot).runs
        assert run.state.done == [0, 1, 2]
        assert run.state.tokens == 100


async def test_costs_follow_the_plan(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = []
    for place, name in enumerate(("outline", "draft", "edit")):
        at = 10 * place
        usage = {"total_tokens": 1000 * (place + 1)}
        events += [
            build.event(at + 1, "task_started", task_id=f"task-{name}"),
            build.event(at + 2, "llm_call_completed", task_id=f"task-{name}", usage=usage),
            build.event(at + 4, "task_completed", task_id=f"task-{name}",
                        started_event_id=f"event-{at + 1}"),
        ]  # fmt: skip
    tasks = [build.task(name, output=name) for name in ("outline", "draft", "edit")]
    build.write(project, build.document(build.crew(*tasks), events=events), build.ident(9))
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(9))
        await keys(pilot, "f")
        await until_ready(pilot)
        await until_text(pilot, "spent 6,000 tokens, 23.0s so far")
        assert "repeats" not in screen_text(pilot)
        assert "2,000 tokens, 3.0s" in screen_text(pilot)
        await keys(pilot, "down", "space")
        await until_text(pilot, "repeats what cost 5,000 tokens, 6.0s")
        await keys(pilot, "down", "space")
        await until_text(pilot, "repeats what cost 2,000 tokens, 3.0s")
        await keys(pilot, "escape")


async def test_escape_runs_nothing(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(project.rglob("*.json"))
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await keys(pilot, "f")
        await until_ready(pilot)
        await keys(pilot, "escape")
        await until(pilot, lambda: [one.state for one in list_runs()] == ["aborted"])
        await keys(pilot, "f", "escape")
        await until(pilot, lambda: not any(one.live for one in list_runs()))
        await settle(pilot)
        assert screen_of(pilot).runs == []
    assert sorted(project.rglob("*.json")) == before


async def test_enter_at_first_is_a_no(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await keys(pilot, "f")
        await until_ready(pilot)
        await keys(pilot, "enter")
        assert closed(pilot)
        await until(pilot, lambda: [one.state for one in list_runs()] == ["aborted"])


async def test_a_fork_that_is_only_written(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(3))
        await press(pilot, "2", "tab", "g", "i")
        await type_over(pilot, "Mine")
        await keys(pilot, "f")
        await until_ready(pilot)
        await keys(pilot, "right", "enter")
        await until(pilot, lambda: any("forked" in one for one in tree_lines(pilot)))
        await until(pilot, lambda: not any(one.live for one in list_runs()))
        assert screen_of(pilot).runs == []
        assert "Forked to fork/" in told(pilot)
        node = screen_of(pilot).tree_view.node
        assert node is not None
        assert node.checkpoint.parent_id == build.ident(3)


async def test_branch_names_are_checked_while_they_are_typed(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await keys(pilot, "f")
        launch = await until_ready(pilot)
        field = launch.query_one("#branch", Input)
        yes = launch.query_one("#launch-yes", Button)
        for name, said in (("main", "exists already"), ("", "is empty"), ("../x", "would leave"),
                           ("MAIN", "exists already"), ("a[/]b", None)):  # fmt: skip
            field.value = name
            await pilot.pause()
            assert yes.disabled is (said is not None), name
            assert (said or "a new branch") in screen_text(pilot)
        await keys(pilot, "escape")


@pytest.mark.parametrize("action", ["f", "e"])
async def test_no_python_is_said_and_another_one_taken(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    project = make_project(tmp_path / "p", python=False)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setattr("crewcheck.runtimes.interpreter.own_crewai", lambda: None)
    make_project(tmp_path / "other")
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(4))
        await keys(pilot, action)
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused")
        assert "No Python with crewai" in screen_text(pilot)
        assert launch.query_one("#launch-yes", Button).disabled
        await until(pilot, lambda: launch.focused is launch.query_one("#way", Input))
        await keys(pilot, *"/no/where", "enter")
        await until(pilot, lambda: "does not exist" in screen_text(pilot))
        assert "name another Python below" in screen_text(pilot)
        field = launch.query_one("#way", Input)
        await until(pilot, lambda: launch.focused is field)
        # what was typed is selected
        await keys(pilot, *str(tmp_path / "other" / "env"), "enter")
        await until_ready(pilot)
        await keys(pilot, "escape")
        # it is remembered while the app is open
        await keys(pilot, action)
        await until_ready(pilot)
        await keys(pilot, "escape")


async def test_the_demo_says_how_it_can_be_run(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: dict[str, str] = {}

    def open_app(_console: Console, **options: str) -> int:
        opened.update(options)
        return 0

    monkeypatch.setattr("crewcheck.cli.app.open_app", open_app)
    _look_around(Console())
    monkeypatch.chdir(tmp_path)
    build.small_store(tmp_path / "store")
    async with running(tmp_path / "store", missing_hint=opened["missing_hint"]) as pilot:
        await go_to(pilot, build.ident(4))
        await keys(pilot, "f")
        launch = launch_of(pilot)
        await until_text(pilot, "Name it below as module:attr")
        assert "crewcheck demo --crewai" in screen_text(pilot)
        field = launch.query_one("#way", Input)
        await until(pilot, lambda: launch.focused is field)
        await keys(pilot, "escape")


async def test_no_python_leaves_who_types_a_branch_alone(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path / "p", python=False)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setattr("crewcheck.runtimes.interpreter.own_crewai", lambda: None)
    typed = threading.Event()
    begin = Launch.begin

    def begin_late(self: Launch) -> None:
        typed.wait(20)
        begin(self)

    monkeypatch.setattr(Launch, "begin", begin_late)
    async with running(project, missing_hint="Or set [one] up.") as pilot:
        await go_to(pilot, build.ident(4))
        await keys(pilot, "f", "b", "x")
        launch = launch_of(pilot)
        typed.set()
        await until(pilot, lambda: launch.phase == "refused")
        await keys(pilot, "y")
        assert launch.branch.endswith("xy")
        shown = screen_text(pilot)
        assert shown.index("Name a Python") < shown.index("Or set [one] up.")
        await keys(pilot, "escape")


async def test_a_refusal_of_the_child(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = {
        "reason": "changed",
        "message": "the project has changed [/b]",
        "hint": "allow it with --allow-changed",
        "differences": ["draft: \x1b[2Jold, new", "key: sk-fake-0123456789abcdef0123456789"],
    }
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, f"refuse:{json.dumps(refusal)}")
        await keys(pilot, "f")
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused")
        await pilot.pause()
        shown = screen_text(pilot)
        assert "sk-fake" not in shown
        assert "The project has changed [/b]" in shown
        assert "\u241b[2Jold" in shown
        assert launch.query_one("#launch-accept").display
        use_fake(pilot, monkeypatch)
        launch.query_one("#launch-accept", Button).press()
        await until_ready(pilot)
        assert launch.launch.wish.allow_changed
        await keys(pilot, "escape")


async def test_several_crews_are_a_question(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyproject = project.parent / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('entry = "crew:crew"\n', ""))
    tasks = ", ".join(
        f'Task(description="Write an outline about {{topic}}", expected_output="text", name="{n}", '
        "agent=a)"
        for n in ("outline", "draft", "edit")
    )
    for name in ("one", "two"):
        (project.parent / f"{name}.py").write_text(
            "from crewai import Agent, Crew, Task\n"
            'a = Agent(role="Writer", goal="Write", backstory="Was there")\n'
            f"crew = Crew(agents=[a], tasks=[{tasks}])\n"
        )
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await keys(pilot, "f")
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused")
        await pilot.pause()
        assert launch.entries == ["one:crew", "two:crew"], screen_text(pilot)
        await keys(pilot, "down", "enter")
        await until_ready(pilot)
        assert launch.launch.wish.entry == "two:crew"
        # another one can be chosen after all
        await keys(pilot, "o")
        assert launch.entries == ["one:crew", "two:crew"]
        await keys(pilot, "down", "up", "enter")
        await until_ready(pilot)
        assert launch.launch.wish.entry == "one:crew"
        launch.query_one("#launch-yes", Button).press()
        await until_text(pilot, "all is done")
        await until(pilot, lambda: closed(pilot))
        # it is remembered, and can still be changed
        await keys(pilot, "f")
        launch = await until_ready(pilot)
        assert launch.launch.wish.entry is None
        assert "chosen before" in screen_text(pilot)
        await keys(pilot, "o", "down", "enter")
        await until_ready(pilot)
        assert launch.launch.wish.entry == "two:crew"
        await keys(pilot, "escape")


async def test_another_entry_can_be_named(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await keys(pilot, "f")
        launch = await until_ready(pilot)
        await keys(pilot, "o")
        assert "Name one below" in screen_text(pilot)
        await keys(pilot, *"a:b", "enter")
        await until_ready(pilot)
        assert launch.launch.wish.entry == "a:b"
        await keys(pilot, "escape")


async def test_resuming(running: Running, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(2))
        await keys(pilot, "e")
        launch = await until_ready(pilot)
        assert plan_of(launch) == ["keep", "keep", "run"]
        assert "newer checkpoints" in screen_text(pilot)
        await keys(pilot, "right", "enter")
        await until_text(pilot, "all is done")
        (run,) = screen_of(pilot).runs
        assert run.state.branch == "main"


async def test_resuming_what_is_finished(running: Running, project: Path) -> None:
    async with running(project) as pilot:
        await go_to(pilot, build.ident(3))
        await keys(pilot, "e")
        await until_text(pilot, "nothing to resume")
        assert "The end" in screen_text(pilot)
        await keys(pilot, "enter")
        assert closed(pilot)
    assert list_runs() == []


async def test_edits_need_a_fork(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(4))
        await press(pilot, "2", "tab", "g", "i")
        await type_over(pilot, "Mine")
        await keys(pilot, "e")
        await until_text(pilot, "a resume takes none")
        await keys(pilot, "right", "enter")
        launch = await until_ready(pilot)
        assert launch.is_fork
        assert plan_of(launch) == ["keep", "run", "run"]
        await keys(pilot, "escape")
        assert edits_of(pilot).outputs == {0: "Mine"}


async def test_what_cannot_be_forked(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build.write(tmp_path, build.document({"entity_type": "robot"}), build.ident(1))
    build.write(tmp_path, '{"cut', build.ident(2))
    async with running(tmp_path) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(1))
        await keys(pilot, "f")
        await until_text(pilot, "only crews, flows and agents")
        await keys(pilot, "escape")
        screen_of(pilot).go_to_checkpoint(build.ident(2))
        await settle(pilot)
        await keys(pilot, "f")
        assert closed(pilot)
        assert "damaged" in told(pilot)


async def test_the_endpoint_is_told_first(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {
        "warnings": [
            {"rule": "agent-changed", "where": "edit", "message": "another goal"},
            {"rule": "endpoint-changed", "where": "draft", "message": "asks at http://evil[/]"},
        ],
        "losses": [{"rule": "x", "where": "", "message": "lost \x1b]0;x\x07 thing"}],
        "loaded": {"endpoint": "http://evil[/]"},
    }
    async with running(project, size=(80, 24)) as pilot:
        use_fake(pilot, monkeypatch, f"plan:{json.dumps(plan)}")
        await keys(pilot, "f")
        launch = await until_ready(pilot)
        await pilot.pause()
        shown = screen_text(pilot)
        assert "asks at http://evil[/]" in shown
        view = launch.query_one("#launch-facts")
        lines = "\n".join(text_of(line) for line in view._lines)  # type: ignore[attr-defined]
        assert lines.index("evil") < lines.index("another goal")
        assert "\x1b" not in lines
        await keys(pilot, "escape")


@pytest.mark.parametrize("size", [(1, 1), (30, 8), (80, 24), (160, 50)])
async def test_the_dialog_at_any_size(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    async with running(project, size=size) as pilot:
        use_fake(pilot, monkeypatch)
        await keys(pilot, "f")
        await until_ready(pilot)
        await pilot.resize_terminal(80, 24)
        await pilot.resize_terminal(*size)
        await keys(pilot, "down", "space", "pagedown", "escape")
        assert closed(pilot)


async def test_nothing_of_it_is_done_on_the_ui_thread(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crewcheck.tui.launching import Launch

    main = threading.main_thread()
    called: list[str] = []
    for name in ("look", "begin", "listen", "go"):
        real = getattr(Launch, name)

        def checked(self: Launch, *args: object, _real: object = real, _name: str = name) -> object:
            assert threading.current_thread() is not main
            called.append(_name)
            return _real(self, *args)  # type: ignore[operator]

        monkeypatch.setattr(Launch, name, checked)
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await keys(pilot, "f")
        await until_ready(pilot)
        await keys(pilot, "right", "right", "enter")
        await until_text(pilot, "all is done")
    assert set(called) == {"look", "begin", "listen", "go"}


async def test_hostile_names_in_the_dialog(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = "[/b][red] \x1b[2J\x1b]0;x\x07 [@click=app.quit]x[/]"
    project = make_project(tmp_path / "p")
    tasks = [build.task(hostile, output=hostile), build.task(f"2 {hostile}")]
    crew = build.crew(*tasks, name=hostile, checkpoint_inputs={hostile: hostile, "topic": "x"})
    build.write(project, build.document(crew), build.ident(9))
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch)
        await go_to(pilot, build.ident(9))
        await press(pilot, "3", "tab", "i")
        # its value cannot be edited here, so another name is given one
        await press(pilot, "a")
        await keys(pilot, *"more", "enter")
        await type_over(pilot, "[/x] [bold]")
        await keys(pilot, "f")
        await until_ready(pilot)
        await pilot.pause()
        shown = screen_text(pilot)
        assert "\x1b" not in shown
        assert "[/b][red] \u241b[2J" in shown
        assert "[/x] [bold]" in shown
        await keys(pilot, "space", "down", "space", "right", "right", "enter")
        await until_text(pilot, "all is done")
        assert "\x1b" not in screen_text(pilot)


UNKNOWN = {
    "rule": "condition",
    "where": "edit",
    "message": "whether it has a condition is not in the checkpoint",
    "doubt": True,
}


def without_entry(project: Path) -> None:
    pyproject = project.parent / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('entry = "crew:crew"\n', ""))


async def refused_outside(
    pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch, refusal: dict[str, str]
) -> LaunchScreen:
    """A fork that goes on without the project, and what the child says to that."""
    use_fake(pilot, monkeypatch, f"refuse:{json.dumps(refusal)}")
    await keys(pilot, "f")
    launch = launch_of(pilot)
    await until(pilot, lambda: launch.phase == "refused")
    launch.query_one("#launch-outside", Button).press()
    return launch


async def test_without_the_project_what_is_unknown_needs_a_yes_of_its_own(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_entry(project)
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, "plan:" + json.dumps({"losses": [UNKNOWN]}))
        await go_to(pilot, build.ident(2))
        await keys(pilot, "e")
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused")
        await until_text(pilot, "or go on without the project")
        outside = launch.query_one("#launch-outside", Button)
        assert outside.display
        outside.press()
        await until_ready(pilot)
        await until_text(pilot, "whether it has a condition is not in the checkpoint")
        assert launch.launch.wish.without_project
        assert launch.launch.prepared is not None
        assert launch.launch.prepared.spec.entry is None
        yes = launch.query_one("#launch-yes", Button)
        accept = launch.query_one("#launch-unknown", Button)
        assert (yes.disabled, accept.display, outside.display) == (True, True, False)
        accept.press()
        await until(pilot, lambda: not yes.disabled)
        assert not accept.display
        assert launch.focused is yes
        await keys(pilot, "enter")
        await until_text(pilot, "all is done")


async def test_a_named_object_is_taken_after_all(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_entry(project)
    refusal = {
        "reason": "tool-lost",
        "message": "the tool lookup of Writer is not in the checkpoint",
        "hint": "go on with the project: --entry MODULE:ATTR or --script FILE",
    }
    async with running(project) as pilot:
        launch = await refused_outside(pilot, monkeypatch, refusal)
        await until_text(pilot, "The tool lookup of Writer is not in the checkpoint")
        use_fake(pilot, monkeypatch)
        field = launch.query_one("#way", Input)
        assert field.display
        field.value = "a:b"
        field.focus()
        await keys(pilot, "enter")
        await until_ready(pilot)
        assert (launch.launch.wish.entry, launch.launch.wish.without_project) == ("a:b", False)
        await keys(pilot, "escape")


async def test_an_address_of_the_checkpoint_needs_a_yes(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_entry(project)
    refusal = {
        "reason": "endpoint-not-trusted",
        "message": "Writer would ask at http://elsewhere/v1",
        "hint": "if it is yours, say so with --trust-endpoint",
    }
    async with running(project) as pilot:
        launch = await refused_outside(pilot, monkeypatch, refusal)
        await until_text(pilot, "Writer would ask at http://elsewhere/v1")
        use_fake(pilot, monkeypatch)
        launch.query_one("#launch-trust", Button).press()
        await until_ready(pilot)
        wish = launch.launch.wish
        assert (wish.without_project, wish.trust_endpoint) == (True, True)
        await keys(pilot, "escape")


async def test_without_the_project_what_is_to_run_again_is_built_for_it(
    running: Running, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_entry(project)
    async with running(project) as pilot:
        use_fake(pilot, monkeypatch, "plan:" + json.dumps({"losses": [UNKNOWN]}))
        await go_to(pilot, build.ident(3))
        await keys(pilot, "f")
        launch = launch_of(pilot)
        await until(pilot, lambda: launch.phase == "refused")
        launch.query_one("#launch-outside", Button).press()
        await until_ready(pilot)
        launch.query_one("#launch-unknown", Button).press()
        yes = launch.query_one("#launch-yes", Button)
        await until(pilot, lambda: not yes.disabled)
        assert plan_of(launch) == ["keep", "keep", "keep"]
        await keys(pilot, "down", "space")
        await until(pilot, lambda: launch.launch.wish.edits.rerun == {1})
        await until_ready(pilot)
        assert plan_of(launch) == ["keep", "run", "run"]
        # there is another plan, and so another question
        assert yes.disabled
        assert launch.launch.prepared is not None
        assert launch.launch.prepared.spec.rerun == [1]
        await keys(pilot, "escape")
