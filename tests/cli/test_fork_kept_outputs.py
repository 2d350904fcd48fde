"""`fork` of what CrewAI kept of a run without checkpoints: into a store, completed from the
project; and forks into another store."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crewcheck.cli.main import run as run_program
from crewcheck.engine import running
from crewcheck.errors import Exit
from crewcheck.runtimes.spawn import start_run
from tests.build import Json, crew, document, ident, task, write
from tests.tui.projects import FAKE
from tests.tui.python import make_python
from tests.unit.stores.test_task_outputs import database

CREW = """
from crewai import Crew, Task
crew = Crew(name="press", tasks=[
    Task(name="notes", description="Notes on {topic}", expected_output="text"),
    Task(name="draft", description="Draft it", expected_output="text"),
    Task(name="end", description="End {topic}", expected_output="text"),
])
"""


class Called:
    """Commands in a project without a store, and the database of its last run."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        rows = [(0, "Notes on cats", "My notes", "Writer"), (1, "Draft it", "A draft", "Writer")]
        self.database = database(folder.parent / "kept.db", *rows)
        self._capsys = capsys

    def __call__(self, *args: str) -> tuple[int, str, str]:
        return run_program(list(args)), *self._capsys.readouterr()

    def written(self, store: str = ".checkpoints") -> list[Json]:
        files = sorted((self.folder / store).rglob("*.json"))
        return [json.loads(one.read_text()) for one in files]


@pytest.fixture
def called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Called]:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(
        f'[tool.crewcheck]\npython = "{make_python(folder / "env")}"\n'
    )
    (folder / "app.py").write_text(CREW)
    real: Callable[..., Any] = start_run

    def start(spec: Any, *args: Any) -> Any:
        spec.boot = FAKE
        return real(spec, *args)

    monkeypatch.setattr(running, "start_run", start)
    monkeypatch.chdir(folder)
    with tempfile.TemporaryDirectory(prefix="cc-", ignore_cleanup_errors=True) as state:
        monkeypatch.setenv("CREWCHECK_STATE_DIR", f"{state}/state")
        yield Called(folder, capsys)


def test_the_tasks_to_come_are_those_of_the_project(called: Called) -> None:
    code, out, err = called(
        "fork", called.database, "--no-run", "-o", "draft=Mine", "--branch", "x"
    )
    assert code == Exit.DONE
    assert out.split("\t")[1] == "x"
    (made,) = called.written()
    assert (made["parent_id"], made["branch"], made["trigger"]) == (None, "x", "fork")
    tasks = made["entities"][0]["tasks"]
    assert [(one["name"], one["description"]) for one in tasks] == [
        ("notes", "Notes on cats"), ("draft", "Draft it"), ("end", "End cats"),
    ]  # fmt: skip
    assert tasks[0]["checkpoint_original_description"] == "Notes on {topic}"
    assert [(one["output"] or {}).get("raw") for one in tasks] == ["My notes", "Mine", None]
    assert "kept_outputs" not in made["entities"][0]
    assert "crewcheck resume " in err
    assert called("list")[1].split("\t")[6:9] == ["2", "3", "stopped"]


def test_a_store_of_ones_own_can_be_named(called: Called) -> None:
    assert called("fork", called.database, "--no-run", "--into", "mine")[0] == Exit.DONE
    assert len(called.written("mine")) == 1
    assert not (called.folder / ".checkpoints").exists()
    code, _, err = called("fork", called.database, "--no-run", "--into", "mine.db")
    assert (code, err.count("\n")) == (Exit.USAGE, 1)
    code, _, err = called("resume", called.database)
    assert code == Exit.REFUSED
    assert "`crewcheck fork " in err


def test_without_the_project_nothing_is_written_that_looks_done(called: Called) -> None:
    (called.folder / "app.py").write_text("")
    code, _, err = called("fork", called.database, "--no-run")
    assert code == Exit.REFUSED
    assert "which tasks the crew has is not known" in err
    assert called.written() == []
    # named and run, the child knows; what is written says that there may be more
    spec = ["--entry", "app:crew", "--yes", "--json"]
    assert called("fork", called.database, *spec)[0] == Exit.DONE
    forked = called.written()[0]
    assert forked["entities"][0]["kept_outputs"] == [0, 1]
    assert called("list")[1].splitlines()[-1].split("\t")[8] != "finished"


def test_a_fork_into_another_store_is_a_root_there(called: Called) -> None:
    doc = document(crew(task("outline", output="An outline"), task("draft")))
    write(called.folder / "store", doc, ident(1))
    ref = f"store#{ident(1)}"
    assert called("fork", ref, "--no-run", "--into", "other", "--branch", "b")[0] == Exit.DONE
    (made,) = called.written("other")
    assert made["parent_id"] is None
    (path,) = (called.folder / "other").rglob("*.json")
    assert path.name.endswith("_p-none.json")
    # the branch is taken there now, and was free in its own store
    code, _, err = called("fork", ref, "--no-run", "--into", "other", "--branch", "b")
    assert code == Exit.REFUSED
    assert "exists already" in err
    assert called("fork", ref, "--no-run", "--branch", "b")[0] == Exit.DONE
