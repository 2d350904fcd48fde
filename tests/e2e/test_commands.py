"""`resume`, `fork` and `runs` as a shell would call them, on the demo's project."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import crewcheck.demo
from crewcheck.demo.model_server import ModelServer, serve

ROOT = Path(__file__).resolve().parents[2]
DEMO = Path(crewcheck.demo.__file__).parent
FAILED = "20261129T195623_5f426d9e"
FINISHED = "20261129T195055_7be91ac4"
SECONDS = 100


class Shell:
    """A project folder with the demo's crew and store, and a home of its own."""

    def __init__(self, folder: Path, python: str, url: str) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        shutil.copyfile(DEMO / "project" / "crew.py", self.project / "crew.py")
        shutil.copytree(DEMO / "store", self.project / ".checkpoints")
        self.python = python
        kept = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
        self.env = kept | {
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT),
            "DEMO_MODEL_URL": url,
            "CREWAI_DISABLE_TELEMETRY": "true",
            "CREWAI_TRACING_ENABLED": "false",
            "OTEL_SDK_DISABLED": "true",
        }

    def start(self, *args: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "crewcheck", *args],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *args: str) -> tuple[int, str, str]:
        with self.start(*args) as process:
            out, err = process.communicate(timeout=SECONDS)
        return process.returncode, out, err

    def stream(self, *args: str) -> tuple[int, list[dict[str, Any]], str]:
        code, out, err = self.run(*args, "--json")
        return code, [json.loads(line) for line in out.splitlines()], err

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.project)): path.read_bytes()
            for path in sorted((self.project / ".checkpoints").rglob("*.json"))
        }

    def status(self, ref: str) -> str:
        status: str = json.loads(self.run("info", ref, "--json")[1])["status"]
        return status


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with serve(seconds_per_word=0.01) as server:
        yield server


@pytest.fixture
def shell(tmp_path: Path, crewai_python: str, model: ModelServer) -> Shell:
    model.recover()
    return Shell(tmp_path, crewai_python, model.url)


def types(messages: list[dict[str, Any]]) -> set[str]:
    return {message["type"] for message in messages}


def ran(messages: list[dict[str, Any]]) -> list[int]:
    """The tasks that really ran, in order."""
    return [
        message["task"]
        for message in messages
        if message["type"] == "event"
        and message["event"] == "task_started"
        and not message.get("replayed")
    ]


def test_resume_runs_what_the_plan_said_and_ends_with_the_result(shell: Shell) -> None:
    before = shell.files()
    code, messages, err = shell.stream("resume", FAILED, "--yes", "--python", shell.python)
    assert code == 0, err
    (plan,) = [message for message in messages if message["type"] == "plan"]
    assert [item["action"] for item in plan["items"]] == ["keep", "keep", "run", "run"]
    assert plan["entry"] == "crew:crew"
    assert ran(messages) == [2, 3]
    last = messages[-1]
    assert (last["type"], last["branch"]) == ("finished", "main")
    assert "Your own sunrise" in last["result"]
    after = shell.files()
    assert {path: after[path] for path in before} == before
    new = [json.loads(after[path]) for path in after if path not in before]
    assert {doc["branch"] for doc in new} == {"main"}
    assert last["checkpoint_id"] in "".join(after)
    assert FAILED in {doc["parent_id"] for doc in new}
    assert shell.status(last["checkpoint_id"]) == "finished"


def test_a_fork_with_an_edited_output_reruns_what_depends_on_it(shell: Shell) -> None:
    before = shell.files()
    code, messages, err = shell.stream(
        "fork", FINISHED, "-o", "angle=**Sleep like a bear**", "--branch", "what if/bear",
        "-i", "max_words=50", "--yes", "--python", shell.python,
    )  # fmt: skip
    assert code == 0, err
    assert ran(messages) == [2, 3]
    assert "Sleep like a bear" in messages[-1]["result"]
    assert messages[-1]["branch"] == "what if/bear"
    after = shell.files()
    assert {path: after[path] for path in before} == before
    forked = next(message for message in messages if message["type"] == "forked")
    (path,) = [path for path in after if forked["checkpoint_id"] + "_p-" in path]
    loads = (
        "import sys; from crewai import Crew, CheckpointConfig;"
        "crew = Crew.from_checkpoint(CheckpointConfig(restore_from=sys.argv[1]));"
        "print([t.output.raw if t.output else None for t in crew.tasks], crew.checkpoint_inputs)"
    )
    loaded = subprocess.run(
        [shell.python, "-c", loads, path],
        cwd=shell.project,
        env=shell.env | {"PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    assert "'**Sleep like a bear**', None, None]" in loaded.stdout
    assert "'max_words': 50" in loaded.stdout


def test_a_fork_in_which_all_is_kept_ends_with_what_is_recorded(shell: Shell) -> None:
    code, messages, err = shell.stream(
        "fork", FINISHED, "-i", "audiance=cats", "--branch", "same", "-y", "--python", shell.python
    )
    assert code == 0, err
    (plan,) = [message for message in messages if message["type"] == "plan"]
    assert {item["action"] for item in plan["items"]} == {"keep"}
    assert plan["notes"] == ["no task asks for the input audiance; did you mean audience?"]
    assert (ran(messages), messages[-1]["type"]) == ([], "finished")
    assert "Wake up without the alarm" in messages[-1]["result"]


def test_a_fork_that_is_only_written_can_be_resumed_later(shell: Shell) -> None:
    code, out, err = shell.run("fork", FINISHED, "-o", "research=Bears", "--no-run")
    assert code == 0, err
    checkpoint_id = out.split("\t")[0]
    assert shell.status(checkpoint_id) == "stopped"
    code, messages, err = shell.stream("resume", checkpoint_id, "-y", "--python", shell.python)
    assert code == 0, err
    assert ran(messages) == [1, 2, 3]


def test_without_a_yes_nothing_runs_and_nothing_is_written(shell: Shell) -> None:
    before = shell.files()
    code, messages, err = shell.stream("resume", FAILED, "--python", shell.python)
    assert code == 5
    assert (messages[-1]["type"], err.count("\n")) == ("refused", 1)
    assert "--yes" in err
    code, messages, err = shell.stream("fork", FAILED, "--dry-run", "--python", shell.python)
    assert (code, messages[-1]["type"], err) == (0, "plan", "")
    assert shell.files() == before


def test_a_finished_run_gives_its_recorded_result(shell: Shell, model: ModelServer) -> None:
    code, out, err = shell.run("resume", FINISHED)
    assert code == 0
    assert "Wake up without the alarm" in out
    assert "nothing to resume" in err
    _, messages, _ = shell.stream("resume", FINISHED)
    assert (messages[-1]["type"], messages[-1]["nothing_to_run"]) == ("finished", True)


def test_a_project_that_differs_is_refused_with_the_differences(shell: Shell) -> None:
    crew = shell.project / "crew.py"
    crew.write_text(crew.read_text().replace("Find three facts", "Find four facts"))
    code, messages, err = shell.stream(
        "resume", FAILED, "--entry", "crew:crew", "--yes", "--python", shell.python
    )
    assert code == 5
    assert messages[-1]["type"] == "refused"
    assert any("four facts" in line for line in messages[-1]["differences"])
    code, out, err = shell.run("resume", FAILED, "--yes", "--python", shell.python)
    assert (code, out) == (3, "")
    assert "--entry" in err


def test_a_failure_of_the_model_is_the_runs_own(shell: Shell, model: ModelServer) -> None:
    model.fail("Edit the brief", status=500)
    code, messages, _ = shell.stream("resume", FAILED, "--yes", "--python", shell.python)
    assert code == 1
    assert messages[-1]["type"] == "failed"
    assert shell.status("main") == "failed"
    model.recover()
    code, messages, err = shell.stream("resume", "--yes", "--python", shell.python)
    assert code == 0, err
    assert ran(messages) == [3]


def configure(shell: Shell, check: str) -> None:
    """Give the project a check of its own."""
    (shell.project / "world.py").write_text(check)
    (shell.project / "pyproject.toml").write_text(
        '[tool.crewcheck]\nentry = "crew:crew"\nvalidate = "world:still_good"\n'
    )


def test_the_projects_own_check_passes_over_checkpoints(shell: Shell) -> None:
    configure(
        shell,
        "def still_good(checkpoint):\n"
        "    done = [task['name'] for task in checkpoint['tasks'] if task['output']]\n"
        "    assert checkpoint['document']['branch'] == checkpoint['branch'] == 'main'\n"
        "    assert [task['index'] for task in checkpoint['tasks']] == [0, 1, 2, 3]\n"
        "    checkpoint['inputs'].clear()\n"
        "    if len(done) > 1:\n"
        "        return f'the notes on {done[1]} are gone'\n",
    )
    newest = next(shell.project.rglob(f"{FAILED}_*.json"))
    newest.write_bytes(newest.read_bytes()[:100_000])
    os.utime(newest, (1_700_000_000, 1_700_000_000))
    code, messages, err = shell.stream("resume", "--yes", "--python", shell.python)
    assert code == 0, err
    skipped = [one for one in messages if one["type"] == "skipped"]
    assert [(one["checkpoint_id"], one["rule"], one["done"]) for one in skipped] == [
        (FAILED, "truncated", 2),
        ("20261129T195619_d848e882", "not-valid", 2),
    ]
    assert "the notes on angle are gone" in skipped[1]["message"]
    assert ran(messages) == [1, 2, 3]
    assert messages[-1]["type"] == "finished"
    code, out, _ = shell.run("attempts", "list", "--json")
    assert (code, json.loads(out)) == (0, [])


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("def still_good(checkpoint):\n    return False\n", "is not valid"),
        ("def still_good(checkpoint):\n    raise OSError('no disk')\n", "OSError: no disk"),
        ("still_good = 3\n", "is no function"),
        ("def other(): pass\n", "cannot be loaded"),
        ("def still_good(checkpoint):\n    return 7\n", "returned int"),
    ],
)
def test_what_the_projects_own_check_refuses_by_name(shell: Shell, check: str, said: str) -> None:
    configure(shell, check)
    before = shell.files()
    code, messages, _ = shell.stream("resume", FAILED, "--yes", "--python", shell.python)
    assert (code, messages[-1]["type"]) == (5, "refused")
    assert said in messages[-1]["message"]
    assert shell.files() == before


@pytest.fixture
def slow(tmp_path: Path, crewai_python: str) -> Iterator[Shell]:
    with serve(seconds_per_word=0.15) as server:
        yield Shell(tmp_path, crewai_python, server.url)


def until(process: subprocess.Popen[str], wanted: str) -> list[dict[str, Any]]:
    """Read the stream until an event of a type."""
    seen = []
    assert process.stdout is not None
    for line in process.stdout:
        seen.append(json.loads(line))
        if seen[-1]["type"] == wanted or seen[-1].get("event") == wanted:
            return seen
    pytest.fail(f"{wanted} never came: {seen[-3:]}")


def started(shell: Shell) -> subprocess.Popen[str]:
    process = shell.start("resume", FAILED, "--yes", "--json", "--python", shell.python)
    until(process, "llm_call_started")
    return process


def ending(process: subprocess.Popen[str]) -> tuple[int, dict[str, Any]]:
    out, _ = process.communicate(timeout=SECONDS)
    return process.returncode, json.loads(out.splitlines()[-1])


def pids(shell: Shell) -> tuple[int, int]:
    """The supervisor and the child of the newest run."""
    code, out, _ = shell.run("runs", "--json")
    assert code == 0
    newest = json.loads(out)[0]
    return newest["supervisor"], newest["pid"]


def test_ctrl_c_leaves_a_valid_store_and_code_130(slow: Shell) -> None:
    process = started(slow)
    process.send_signal(signal.SIGINT)
    code, last = ending(process)
    assert (code, last["type"]) == (130, "interrupted")
    assert slow.status("main") in ("failed", "stopped", "running")
    code, out, _ = slow.run("list", "--json")
    assert [one["damage"] for one in json.loads(out)] == [None] * len(json.loads(out))


def test_a_killed_child_is_reported_and_the_run_can_be_resumed(slow: Shell) -> None:
    process = started(slow)
    os.kill(pids(slow)[1], signal.SIGKILL)
    code, last = ending(process)
    assert (code, last["type"]) == (1, "failed")
    assert "signal 9" in last["error"] or "SIGKILL" in last["error"]
    assert "resume" in last["hint"]


def test_a_killed_supervisor_is_reported_and_its_child_ends(slow: Shell) -> None:
    process = started(slow)
    supervisor, child = pids(slow)
    os.kill(supervisor, signal.SIGKILL)
    code, last = ending(process)
    assert (code, last["type"]) == (1, "failed")
    assert "resume" in last["hint"]
    for _ in range(100):
        if not Path(f"/proc/{child}").exists():
            break
        time.sleep(0.1)
    else:
        pytest.fail("the child lives on")


def test_a_run_goes_on_without_its_command_and_can_be_followed(slow: Shell) -> None:
    process = started(slow)
    process.kill()
    process.communicate()
    code, out, err = slow.run("runs")
    (row,) = [line.split("\t") for line in out.splitlines()]
    assert row[2] == "running"
    code, out, err = slow.run("runs", row[0][-6:])
    assert code == 0, err
    assert "Your own sunrise" in out
    assert slow.status("main") == "finished"


def test_the_help_of_each_command_shows_examples() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "crewcheck", "fork", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"crewcheck fork .*--dry-run", done.stdout)
    with suppress(FileNotFoundError):
        assert "Traceback" not in done.stderr
