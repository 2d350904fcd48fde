"""Questions of a run on the command line: asked, answered beforehand, or refused in time."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crewcheck.cli.main import run as run_program
from crewcheck.engine import running
from crewcheck.errors import Exit
from crewcheck.runtimes.follow import list_runs
from crewcheck.runtimes.spawn import open_run, start_run
from tests.build import crew, document, ident, task, write
from tests.tui.projects import FAKE
from tests.tui.python import make_python

HOSTILE = "\x1b[2J[red]sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
QUESTION = {
    "task": "asks",
    "agent": "Writer",
    "output": f"A draft.\nAnd {HOSTILE}",
    "message": "Ok?",
}


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


class Called:
    """Commands on a run with a task that asks a person."""

    def __init__(
        self, store: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.store = store
        self._patch = patch
        self._capsys = capsys

    def steps(self, *steps: str) -> None:
        self._patch.setenv("CREWCHECK_FAKE", "\n".join(steps))

    def typed(self, text: str) -> None:
        self._patch.setattr("sys.stdin", Terminal(text))

    def __call__(self, command: str, *args: str) -> tuple[int, str, str]:
        store = [] if command == "runs" else ["-l", str(self.store)]
        code = run_program([command, *store, *args])
        return code, *self._capsys.readouterr()


@pytest.fixture
def called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Called]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text(
        f'[tool.crewcheck]\nentry = "crew:crew"\npython = "{make_python(root / "env")}"\n'
    )
    tasks = [task("first", output="done"), task("asks"), task("last")]
    write(root / "store", document(crew(*tasks)), ident(1))
    real: Callable[..., Any] = start_run

    def start(spec: Any, *args: Any) -> Any:
        spec.boot = FAKE
        return real(spec, *args)

    monkeypatch.setattr(running, "start_run", start)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with tempfile.TemporaryDirectory(prefix="cc-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("CREWCHECK_STATE_DIR", f"{folder}/state")
        called = Called(root / "store", monkeypatch, capsys)
        called.steps(f"ask:{json.dumps(QUESTION)}", "work")
        yield called


def test_a_pipe_without_answers_is_refused_before_anything_runs(called: Called) -> None:
    code, out, err = called("resume", "--yes")
    assert code == Exit.REFUSED
    assert out == ""
    assert err.splitlines()[-1] == (
        "crewcheck: a person is asked about asks, and there is no terminal; "
        'answer beforehand with --answer, once for each question ("": it is fine)'
    )
    (run,) = list_runs()
    assert run.started_at is None
    code, out, _ = called("resume", "--yes", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert (code, told[-1]["type"]) == (Exit.REFUSED, "refused")
    assert next(one for one in told if one["type"] == "plan")["asks"] == [1]


def test_answers_that_were_given_beforehand_are_used_in_order(called: Called) -> None:
    again = {**QUESTION, "output": "A shorter draft."}
    called.steps(f"ask:{json.dumps(QUESTION)}", f"ask:{json.dumps(again)}", "work")
    code, out, err = called("resume", "--yes", "--log", "--answer", "Shorter", "--answer", "")
    assert (code, out) == (Exit.DONE, "all is done\n")
    assert "  asks     asks: a person is asked before the result counts\n" in err
    assert "  the result of asks, Writer\n  | A draft.\n" in err
    assert err.index("heard Shorter") < err.index("A shorter draft.") < err.rindex("heard")
    assert "\x1b[2J" not in err
    assert "sk-abcdefghij" not in err


def test_one_answer_too_few_ends_it(called: Called) -> None:
    called.steps(f"ask:{json.dumps(QUESTION)}", f"ask:{json.dumps(QUESTION)}", "work")
    code, _, err = called("resume", "--yes", "--answer", "Shorter")
    assert code == Exit.REFUSED
    assert "a person is asked, and there is no terminal" in err


def test_at_a_terminal_what_is_judged_is_shown_and_asked_about(called: Called) -> None:
    called.typed("It is fine\n")
    code, _, err = called("resume", "--yes", "--log")
    assert code == Exit.DONE
    assert err.index("| A draft.") < err.index("Ok?") < err.index("your answer")
    assert "heard It is fine" in err


def test_a_run_that_waits_is_listed_and_answered_later(called: Called) -> None:
    # as if its command had been left: it goes on without it
    called.typed("")
    assert called("resume", "--yes")[0] == Exit.INTERRUPTED
    (run,) = list_runs()
    assert (run.state, len(run.prompts)) == ("running", 1)
    called.typed("")
    code, _, err = called("runs", run.run_id)
    assert code == Exit.INTERRUPTED  # and asked again there
    assert "| A draft." in err
    called.steps()
    assert called("runs", "--answer", "x")[0] == Exit.USAGE
    code, out, _ = called("runs", run.run_id, "--answer", "Fine")
    assert (code, out) == (Exit.DONE, "all is done\n")
    # what was answered is not asked again, and nothing waits any more
    assert called("runs", run.run_id)[0] == Exit.DONE
    with open_run(run.run_id) as handle:
        assert handle.state().prompts == []


def test_following_in_a_pipe_lets_a_run_wait(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    called.typed("")
    called("resume", "--yes")
    (run,) = list_runs()
    monkeypatch.setattr("sys.stdin", io.StringIO())
    code, _, err = called("runs", run.run_id)
    assert code == Exit.REFUSED
    assert f"crewcheck runs {run.run_id} --answer TEXT" in err
    (run,) = list_runs()
    assert len(run.prompts) == 1
    with open_run(run.run_id) as handle:
        handle.cancel()
