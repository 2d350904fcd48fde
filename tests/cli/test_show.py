"""``show``: parts of a checkpoint, piped, as JSON and on a terminal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crewcheck.model.reports import InfoReport, ShowReport
from tests.build import Json, agent, crew, document, event, flow, ident, task, write
from tests.cli.conftest import Run, environment
from tests.talks import ANSWER, flow_with_crew, version_1_14_7, version_1_15_30

KEY = "sk-fake-0123456789abcdef0123456789"
NASTY = "\x1b]0;title\x07\x1b[2J\u202egnp [red]x[/y]"


@pytest.fixture
def run(call: Run) -> Run:
    """None of these needs a process of its own."""
    return call


@pytest.fixture
def store(tmp_path: Path) -> Path:
    write(tmp_path / "store", version_1_15_30(), ident(1))
    return tmp_path / "store"


def test_sections_as_json_keep_their_promise(run: Run, store: Path) -> None:
    args = ["--task", "facts", "--inputs", "--state", "--agents", "--messages", "--events"]
    done = run("show", "-l", store, *args, "--json")
    assert done.returncode == 0
    told = ShowReport.model_validate_json(done.stdout)
    assert set(json.loads(done.stdout)) == {
        "id", "branch", "location", "task", "inputs", "state", "agents", "messages", "events",
    }  # fmt: skip
    assert told.task is not None
    assert (told.task.label, told.task.output) == ("facts", ANSWER)
    assert told.inputs == {"topic": "bridges"}
    assert told.messages is not None
    assert told.messages[0].messages[2].tool_calls[0].arguments == {"a": 6, "b": 7}
    assert told.events is not None
    assert [(one.name, one.tokens.total) for one in told.events.tasks] == [
        ("facts", 45), ("draft", 0),
    ]  # fmt: skip
    assert set(json.loads(run("show", "-l", store, "--inputs", "--json").stdout)) == {
        "id", "branch", "location", "inputs",
    }  # fmt: skip


def test_piped_sections_are_lines(run: Run, store: Path) -> None:
    done = run("show", "-l", store, "--task", "1", "--inputs")
    lines = dict(line.split("\t") for line in done.stdout.splitlines())
    assert lines["task.output"] == ANSWER
    assert lines["inputs.topic"] == "bridges"
    events = [line.split("\t") for line in run("show", "-l", store, "--events").stdout.splitlines()]
    assert len(events) == 12
    assert events[4] == [
        "5", "2026-11-29T17:42:05.000000Z", "2", "llm_call_completed", "Researcher", "1.0", "15",
        '[{"id": "call_0a", "type": "function", "function": {"name": "multiply", '
        '"arguments": "{\\"a\\": 6, \\"b\\": 7}"}}]',
    ]  # fmt: skip
    said = [line.split("\t") for line in run("show", "-l", store, "--messages").stdout.splitlines()]
    assert said[3] == ["facts", "1", "Researcher", "tool", "multiply", "42 pears", ""]
    assert json.loads(said[2][6])[0]["arguments"] == {"a": 6, "b": 7}
    assert said[5][:4] == ["look at prices", "", "Analyst", "system"]


def test_a_terminal_gets_headings_and_whole_texts(run: Run, tmp_path: Path) -> None:
    long = "\n".join(f"line {number}" for number in range(200))
    doc = document(crew(task("a", output=long)))
    write(tmp_path, doc, ident(1))
    shown = run("--color", "always", "show", "-l", tmp_path, COLUMNS="80", NO_COLOR="1").stdout
    assert "line 199" in shown
    shown = run(
        "--color", "always", "show", "-l", tmp_path, "--task", "a", "--messages", "--events",
        COLUMNS="80", NO_COLOR="1",
    ).stdout  # fmt: skip
    for said in ("line 199", "Description", "It holds no messages", "It holds no events"):
        assert said in shown


def test_a_conversation_and_a_timeline_on_a_terminal(run: Run, store: Path) -> None:
    shown = run("--color", "always", "show", "-l", store, "--messages", "--events",
                COLUMNS="90", NO_COLOR="1").stdout  # fmt: skip
    lines = [re.sub("\x1b\\[[0-9;]*m", "", line).rstrip() for line in shown.splitlines()]
    assert any("1. facts" in line and "2 calls  2.0s  30 tokens" in line for line in lines)
    assert "      42 pears" in lines
    assert any(line.split()[:6] == ["4.0s", "model", "answered", "Researcher", "1.0s", "15"]
               for line in lines)  # fmt: skip
    assert any(line.split() == ["facts", "1", "10.0s", "30", "15", "45"] for line in lines)


def test_without_an_option_it_is_all_of_info(run: Run, store: Path) -> None:
    told = run("show", "-l", store, "--json").stdout
    InfoReport.model_validate_json(told)
    assert told == run("info", "-l", store, "--json").stdout


def test_methods_and_states_of_flows(run: Run, tmp_path: Path) -> None:
    write(tmp_path, flow_with_crew(), ident(1))
    told = ShowReport.model_validate_json(
        run("show", "-l", tmp_path, "--task", "order", "--state", "--json").stdout
    )
    assert told.method is not None
    assert (told.method.name, told.state) == ("order", {"id": "state-1"})
    assert "method.name\tmake" in run("show", "-l", tmp_path, "--task", "2").stdout


def test_one_value(run: Run, store: Path) -> None:
    at = "entities[0].tasks[0].output"
    assert run("show", "-l", store, "--path", f"{at}.raw").stdout == f"{ANSWER}\n"
    assert run("show", "-l", store, "--path", f"{at}.raw", "--json").stdout == f'"{ANSWER}"\n'
    assert json.loads(run("show", "-l", store, "--path", at).stdout)["raw"] == ANSWER
    assert run("show", "-l", store, "--path", "/entities/0/name").stdout == "newsroom\n"


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["--path", "entities[0].taks"], 3, 'entities[0] has no "taks"; there are tasks, '),
        (["--path", "entities[7]"], 3, "entities has no [7]; there is [0] only"),
        (["--path", "entities["], 2, "is no path"),
        (["--raw", "--task", "1"], 2, "--raw and --path stand alone"),
        (["--raw", "--path", "a"], 2, "--raw and --path stand alone"),
        (["--path", "a", "--events"], 2, "--raw and --path stand alone"),
        (["--task", "nope"], 3, 'no task "nope"; there are: 1 facts, 2 draft'),
        (["--task", "3"], 3, 'no task "3"'),
        (["--task", "\x1b[2J"], 3, "no task"),
        (["--state"], 0, "holds no state"),
    ],
)
def test_what_is_not_there(run: Run, store: Path, args: list[str], code: int, says: str) -> None:
    done = run("show", "-l", store, *args)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_raw_is_what_is_stored_byte_for_byte(tmp_path: Path) -> None:
    data = json.dumps(version_1_14_7(), indent=1).encode() + b"\r\n"
    write(tmp_path, data, ident(1))
    done = subprocess.run(
        [sys.executable, "-m", "crewcheck", "show", "-l", str(tmp_path), "--raw"],
        capture_output=True, env=environment(tmp_path), check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (data, b"")


def with_secrets() -> Json:
    return document(
        crew(
            task("a", output=f"key {KEY}", description=f"use {KEY}"),
            agents=[agent(llm={"model": "m", "api_key": KEY}, goal=KEY)],
            checkpoint_inputs={"token": KEY},
        ),
        events=[
            event(1, "llm_call_started", call_id="1", agent_role="W", messages=f"my key is {KEY}"),
            event(2, "llm_call_failed", call_id="1", agent_role="W", error=f"bad key {KEY}"),
        ],
    )


def test_no_key_is_shown_unless_asked_for(run: Run, tmp_path: Path) -> None:
    write(tmp_path, with_secrets(), ident(1))
    for args in (
        ["--task", "1"], ["--inputs"], ["--agents"], ["--messages"], ["--events"], ["--raw"],
        ["--path", "entities[0]"], ["--path", "entities[0].agents[0].llm.api_key"], [],
    ):  # fmt: skip
        for form in ([], ["--json"]):
            done = run("show", "-l", tmp_path, *args, *form)
            assert done.returncode == 0
            assert KEY not in done.stdout
            open_one = run("--show-secrets", "show", "-l", tmp_path, *args, *form)
            assert KEY in open_one.stdout
            assert open_one.stderr == ""
            hides = args[:1] in (["--raw"], ["--path"])
            assert ("masked: --show-secrets" in done.stderr) == hides
        assert KEY not in run("--color", "always", "show", "-l", tmp_path, *args).stdout
    name = run("show", "-l", tmp_path, "--path", "entities[0].name")
    assert (name.stdout, name.stderr) == ("newsroom\n", "")


def test_hostile_text_does_not_reach_a_terminal(run: Run, tmp_path: Path) -> None:
    write(
        tmp_path,
        document(
            crew(
                task("a", output=NASTY, description=NASTY, agent=NASTY),
                agents=[agent(NASTY, goal=NASTY)],
                checkpoint_inputs={NASTY: NASTY},
            ),
            events=[
                {"event_id": "1", "type": NASTY, "agent_role": NASTY, "timestamp": NASTY},
                {"event_id": "2", "type": "llm_call_started", "agent_role": NASTY,
                 "messages": [{"role": NASTY, "content": NASTY, "name": NASTY, "tool_calls": [
                     {"function": {"name": NASTY, "arguments": NASTY}}]}]},
                {"event_id": "3", "type": "llm_call_failed", "agent_role": NASTY, "model": NASTY,
                 "error": NASTY},
            ],
        ),
        ident(1),
    )  # fmt: skip
    parts = ["--task", "1", "--inputs", "--agents", "--messages", "--events"]
    for args in (parts, ["--messages"], ["--events"], ["--raw"], ["--path", "entities[0]"],
                 ["--path", "entities[0].tasks[0].output.raw"]):  # fmt: skip
        shown = run("--color", "always", "show", "-l", tmp_path, *args, NO_COLOR="1").stdout
        assert not {"\x07", "\u202e"} & set(shown)
        assert "\x1b]" not in shown
        assert "\x1b[2J" not in shown
        assert "[red]x[/y]" in "".join(shown.split("\n")) or args == ["--events"]
    for args in (parts, ["--messages"], ["--events"]):
        assert not {"\x1b", "\x07", "\u202e"} & set(run("show", "-l", tmp_path, *args).stdout)


def test_a_damaged_document_can_be_had_as_it_is(run: Run, tmp_path: Path) -> None:
    write(tmp_path, b'{"entities": [', ident(1))
    done = run("show", "-l", tmp_path, "--raw")
    assert (done.returncode, done.stdout) == (4, "")
    done = run("--show-secrets", "show", "-l", tmp_path, "--raw")
    assert (done.returncode, done.stdout) == (0, '{"entities": [')


def test_numbers_that_are_no_json(run: Run, tmp_path: Path) -> None:
    write(tmp_path, document(flow("a", state={"id": "s", "w": float("nan")})), ident(1))
    told = run("show", "-l", tmp_path, "--state", "--json").stdout
    assert json.loads(told, parse_constant=lambda name: pytest.fail(name))["state"]["w"] == "NaN"
    path = "entities[0].checkpoint_state"
    assert '"NaN"' in run("show", "-l", tmp_path, "--path", path, "--json").stdout
