"""Several crews that fit a checkpoint: asked for, or refused with what there is; remembered."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crewcheck.cli import running as cli_running
from crewcheck.cli.main import run as run_program
from crewcheck.engine import running
from crewcheck.errors import Exit
from crewcheck.runtimes.spawn import start_run
from tests.build import Json, crew, document, ident, task, write
from tests.tui.projects import FAKE
from tests.tui.python import make_python

TWINS = """
from crewai import Crew, Task
def build():
    return Crew(name="newsroom", tasks=[Task(description="Write an outline about {topic}")])
one = Crew(name="newsroom", tasks=[Task(description="Write an outline about {topic}")])
"""


class Called:
    """Commands on a project with two crews that fit, and what they say."""

    def __init__(self, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.store = store
        self._capsys = capsys

    def __call__(self, *args: str) -> tuple[int, str, str]:
        code = run_program([args[0], "-l", str(self.store), *args[1:]])
        return code, *self._capsys.readouterr()

    def plan(self, *args: str) -> Json:
        code, out, _ = self("resume", ident(1), "--dry-run", "--json", *args)
        assert code == Exit.DONE
        plans: list[Json] = [json.loads(line) for line in out.splitlines()]
        return next(one for one in plans if one["type"] == "plan")


@pytest.fixture
def called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Called]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text(
        f'[tool.crewcheck]\npython = "{make_python(root / "env")}"\n'
    )
    (root / "app.py").write_text(TWINS)
    write(root / "store", document(crew(task())), ident(1))
    real: Callable[..., Any] = start_run

    def start(spec: Any, *args: Any) -> Any:
        spec.boot = FAKE
        return real(spec, *args)

    monkeypatch.setattr(running, "start_run", start)
    with tempfile.TemporaryDirectory(prefix="cc-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("CREWCHECK_STATE_DIR", f"{folder}/state")
        yield Called(root / "store", capsys)


def test_without_a_terminal_it_is_refused_with_the_entries(called: Called) -> None:
    code, out, err = called("resume", "--json", "--yes")
    (told,) = [json.loads(line) for line in out.splitlines()]
    assert code == Exit.REFUSED
    assert (told["type"], told["entries"]) == ("refused", ["app:one", "app:build"])
    assert called("resume", "--yes")[0] == Exit.REFUSED
    assert err.count("\n") == 1
    assert "choose one with --entry" in err


def test_what_is_named_and_run_is_remembered(called: Called) -> None:
    plan = called.plan("--entry", "app:build")
    assert plan["entry_origin"] == "--entry"
    # it was only looked at: nothing is remembered
    assert called("resume", "--dry-run")[0] == Exit.REFUSED
    assert called("fork", "--yes", "--entry", "app:build")[0] == Exit.DONE
    origin = called.plan()["entry_origin"]
    assert origin == "chosen before; change with --entry: app.py, line 4"


def test_at_a_terminal_a_person_chooses(called: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_running, "has_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("7\n2\n"))
    code, _, err = called("resume", "--yes")
    assert code == Exit.DONE
    assert "   1  app:one\n   2  app:build\n" in err
    assert "chosen before" in called.plan()["entry_origin"]


def test_a_program_that_must_be_run_is_named(called: Called) -> None:
    (called.store.parent / "app.py").write_text(TWINS + "one.kickoff()\n")
    code, out, _ = called("resume", "--json", "--yes")
    (told,) = [json.loads(line) for line in out.splitlines()]
    assert code == Exit.REFUSED
    assert told["script"] == str(called.store.parent / "app.py")


@pytest.mark.parametrize("answer", ["y", "n"])
def test_at_a_terminal_the_program_is_run_if_a_person_says_so(
    answer: str, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    (called.store.parent / "app.py").write_text(TWINS + "one.kickoff()\n")
    monkeypatch.chdir(called.store.parent)
    monkeypatch.setattr(cli_running, "has_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\n"))
    code, _, err = called("resume", "--yes")
    assert "importing that would start a run (in app.py)\n" in err
    assert "run app.py itself, up to that kickoff?" in err
    assert code == (Exit.DONE if answer == "y" else Exit.REFUSED)
    assert ("(--script)" in err) is (answer == "y")
