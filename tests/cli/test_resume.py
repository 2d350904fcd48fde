"""`resume` and `attempts`: which checkpoint is gone on with, and how often."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crewcheck.cli.main import run as run_program
from crewcheck.engine import attempts, running
from crewcheck.errors import Exit
from crewcheck.model.document import objects
from crewcheck.model.reports import AttemptReport
from crewcheck.runtimes.spawn import start_run
from tests.build import Json, crew, document, ident, task, write
from tests.tui.projects import FAKE
from tests.tui.python import make_python

LONG_AGO = 1_700_000_000


class Program:
    """The program in this process, whose runs are those of the fake child."""

    def __init__(
        self, store: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.store = store
        self._patch = patch
        self._capsys = capsys

    def steps(self, *steps: str) -> None:
        self._patch.setenv("CREWCHECK_FAKE", "\n".join(steps))

    def __call__(self, *args: str) -> tuple[int, str, str]:
        code = run_program([args[0], "-l", str(self.store), *args[1:]])
        return code, *self._capsys.readouterr()

    def lines(self, *args: str) -> tuple[int, list[Json]]:
        code, out, _ = self(*args, "--json")
        return code, [json.loads(line) for line in out.splitlines()]

    def attempts(self) -> list[tuple[str, int, str]]:
        code = run_program(["attempts", "list", str(self.store), "--json"])
        assert code == Exit.DONE
        rows = json.loads(self._capsys.readouterr().out)
        return [(row["checkpoint_id"], row["attempts"], row["last_outcome"]) for row in rows]

    def reset(self, *args: str) -> int:
        code = run_program(["attempts", "reset", "-l", str(self.store), *args])
        self._capsys.readouterr()
        return code


@pytest.fixture
def program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Program]:
    root = tmp_path / "project"
    root.mkdir()
    python = make_python(root / "env")
    (root / "pyproject.toml").write_text(
        f'[tool.crewcheck]\nentry = "crew:crew"\npython = "{python}"\n'
    )
    real: Callable[..., Any] = start_run

    def start(spec: Any, *args: Any) -> Any:
        spec.boot = FAKE
        return real(spec, *args)

    monkeypatch.setattr(running, "start_run", start)
    with tempfile.TemporaryDirectory(prefix="cc-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("CREWCHECK_STATE_DIR", os.path.join(folder, "state"))
        yield Program(root / "store", monkeypatch, capsys)


def run_of(store: Path, done: int = 3, total: int = 4, branch: str = "main") -> None:
    """A run with a checkpoint after each task, from none done to ``done``."""
    for number in range(1, done + 2):
        tasks = [
            task(f"t{place}", output=f"result {place}" if place < number - 1 else None)
            for place in range(total)
        ]
        parent = ident(number - 1) if number > 1 else None
        doc = document(crew(*tasks), parent=parent, branch=branch)
        path = write(store, doc, ident(number), parent, branch)
        os.utime(path, (LONG_AGO + number, LONG_AGO + number))


def path_of(store: Path, number: int) -> Path:
    (path,) = store.rglob(f"{ident(number)}_*.json")
    return path


def cut(store: Path, number: int, to: int | None = None) -> int:
    """Cut a file short, within its event record unless ``to`` says where."""
    path = path_of(store, number)
    data = path.read_bytes()
    size = data.index(b'"event_record"') + 20 if to is None else to
    path.write_bytes(data[:size])
    os.utime(path, (LONG_AGO + number, LONG_AGO + number))
    return size


def lose_result(store: Path, number: int) -> None:
    """Let the record say that the first task is completed, and take its output."""
    path = path_of(store, number)
    doc = json.loads(path.read_text())
    doc["entities"][0]["tasks"][0]["output"] = None
    doc["event_record"]["nodes"] = {
        "event-1": {"event": {"event_id": "event-1", "type": "task_completed",
                              "task_id": "task-t0", "started_event_id": "event-0"}}
    }  # fmt: skip
    path.write_text(json.dumps(doc))


def parents(store: Path) -> dict[str, str]:
    """The parents of what the fake child wrote, by its trigger."""
    made = [one for one in store.rglob("*.json") if not one.name.startswith("20261129T1700")]
    return {json.loads(one.read_text())["trigger"]: one.stem.partition("_p-")[2] for one in made}


# -- the last valid checkpoint


def test_the_newest_valid_checkpoint_is_taken(program: Program) -> None:
    run_of(program.store)
    size = cut(program.store, 4)
    lose_result(program.store, 3)
    code, out, err = program("resume", "--yes")
    assert (code, out) == (Exit.DONE, "all is done\n")
    assert f"{ident(4)} is not valid: cut short after {size} bytes (3 of 4 tasks done)" in err
    assert f"{ident(3)} is not valid: t0 was completed, and its output is not there" in err
    assert f"going on from {ident(2)} (1 of 4 tasks done); 2 finished tasks are done again" in err
    assert program.attempts() == []


def test_what_is_passed_over_is_in_the_stream(program: Program) -> None:
    run_of(program.store)
    cut(program.store, 4, 30)
    code, told = program.lines("resume", "--yes")
    assert code == Exit.DONE
    assert told[0] == {
        "type": "skipped",
        "checkpoint_id": ident(4),
        "created_at": "2026-11-29T17:00:04Z",
        "rule": "truncated",
        "message": "cut short after 30 bytes",
        "done": None,
        "total": None,
    }
    assert [one["checkpoint_id"] for one in told if one["type"] == "plan"] == [ident(3)]
    assert told[-1]["type"] == "finished"


def test_strict_takes_no_other(program: Program) -> None:
    run_of(program.store)
    cut(program.store, 4)
    code, out, err = program("resume", "--yes", "--strict")
    assert (code, out) == (Exit.UNREADABLE, "")
    assert f"the newest valid one is {ident(3)}" in err


@pytest.mark.parametrize("spoil", [cut, lose_result])
def test_a_checkpoint_that_was_named_is_not_replaced(
    program: Program, spoil: Callable[[Path, int], object]
) -> None:
    run_of(program.store)
    spoil(program.store, 4)
    spoil(program.store, 3)
    code, _, err = program("resume", ident(4), "--yes")
    assert code == Exit.UNREADABLE
    assert f"{ident(4)} is not valid" in err
    assert f"the newest valid one before it is {ident(2)}" in err


def test_none_valid_needs_attention(program: Program) -> None:
    run_of(program.store, done=1)
    cut(program.store, 1)
    cut(program.store, 2)
    code, out, err = program("resume", "--yes")
    assert (code, out) == (Exit.UNREADABLE, "")
    assert "needs attention: no checkpoint of this run is valid" in err
    assert f"{ident(2)} is not valid" in err
    assert "crewcheck verify" in err
    assert "start the run anew" in err


def test_of_a_finished_crew_the_callbacks_are_not_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = task("a", output="the result")
    write(tmp_path, document(crew(done)), ident(1))
    ended = crew(done, after_kickoff_callbacks=[None])
    write(tmp_path, document(ended, trigger="crew_kickoff_completed"), ident(2))
    said = "crewcheck: finished, nothing to resume; this is the recorded result\n"
    more = "crewcheck: its callbacks after the kickoff are not called; a fork of it calls them\n"
    for number, err in ((1, said), (2, more + said)):
        assert run_program(["resume", "-l", str(tmp_path), ident(number)]) == Exit.DONE
        assert tuple(capsys.readouterr()) == ("the result\n", err)


def test_a_fork_does_not_fall_back_to_what_it_left(program: Program) -> None:
    run_of(program.store, done=2)
    doc = document(crew(task("t0", output="edited")), parent=ident(2), branch="other")
    path = write(program.store, doc, ident(9), ident(2), "other")
    path.write_bytes(b'{"entities"')
    os.utime(path, (LONG_AGO, LONG_AGO))
    code, _, err = program("resume", "--yes")
    assert code == Exit.UNREADABLE
    assert f"its branch left {ident(2)}: fork from there again" in err


def test_what_is_being_written_is_waited_for(program: Program) -> None:
    run_of(program.store)
    path = path_of(program.store, 4)
    path.write_bytes(path.read_bytes()[:200])
    code, _, err = program("resume", "--yes")
    assert code == Exit.REFUSED
    assert "is being written now" in err


# -- the project's own check


def test_what_the_project_refuses_is_passed_over(program: Program) -> None:
    run_of(program.store)
    program.steps(f"distrust:{ident(4)},{ident(3)}", "work")
    code, told = program.lines("resume", "--yes")
    assert code == Exit.DONE
    assert [(one["checkpoint_id"], one["rule"]) for one in told if one["type"] == "skipped"] == [
        (ident(4), "not-valid"),
        (ident(3), "not-valid"),
    ]
    assert told[-1]["type"] == "finished"
    assert [one["type"] for one in told].count("refused") == 0


def test_what_the_project_refuses_by_name_is_refused(program: Program) -> None:
    run_of(program.store)
    program.steps(f"distrust:{ident(4)}")
    for args in (["resume", ident(4), "--yes"], ["resume", "--strict", "--yes"]):
        code, _, err = program(*args)
        assert code == Exit.REFUSED
        assert "the world moved on" in err


def test_at_most_five_are_tried(program: Program) -> None:
    run_of(program.store, done=7, total=9)
    program.steps("distrust:" + ",".join(map(ident, range(1, 9))))
    code, told = program.lines("resume", "--yes")
    assert code == Exit.REFUSED
    assert [one["checkpoint_id"] for one in told[:-1] if one["type"] == "skipped"] == [
        ident(number) for number in (8, 7, 6, 5, 4)
    ]
    assert told[-1]["type"] == "refused"
    assert program.attempts() == []


# -- attempts


def test_a_crash_loop_comes_to_its_end(program: Program) -> None:
    run_of(program.store)
    program.steps("crash")
    for _ in range(5):
        assert program("resume", "--yes")[0] == Exit.FAILED
    assert program.attempts() == [(ident(4), 5, "crashed")]
    code, _, err = program("resume", "--yes")
    assert code == Exit.REFUSED
    assert f"{ident(4)} was resumed 5 times without getting further" in err
    assert "--max-attempts 6" in err
    assert program("resume", "--yes", "--max-attempts", "6")[0] == Exit.FAILED
    assert program.attempts() == [(ident(4), 6, "crashed")]
    assert program.reset(ident(4)) == Exit.DONE
    assert program.attempts() == []
    assert program("resume", "--yes", "--max-attempts", "1")[0] == Exit.FAILED


def test_a_crash_before_the_plan_counts(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    run_of(program.store)

    def killed(*args: object) -> None:
        raise KeyboardInterrupt

    # the program dies when the supervisor is to be started
    monkeypatch.setattr("crewcheck.runtimes.spawn._start_supervisor", killed)
    monkeypatch.setattr("crewcheck.runtimes.follow._BIRTH_SECONDS", 0.0)
    assert program("resume", "--yes")[0] == Exit.INTERRUPTED
    assert program.attempts() == [(ident(4), 1, "crashed")]


def test_checkpoints_without_progress_do_not_hide_a_crash_loop(program: Program) -> None:
    run_of(program.store)
    program.steps("save", "crash")
    for _ in range(2):
        assert program("resume", "--yes", "--max-attempts", "2")[0] == Exit.FAILED
    assert len(list(program.store.rglob("*.json"))) == 6
    code, _, err = program("resume", "--yes", "--max-attempts", "2")
    assert code == Exit.REFUSED
    assert "2 times without getting further" in err


def test_progress_begins_the_count_anew(program: Program) -> None:
    run_of(program.store, done=2)
    program.steps("crash")
    assert program("resume", "--yes")[0] == Exit.FAILED
    doc = document(crew(*[task(f"t{n}", output="x" if n < 3 else None) for n in range(4)]),
                   parent=ident(3))  # fmt: skip
    write(program.store, doc, ident(4), ident(3))
    assert program("resume", "--yes", "--max-attempts", "1")[0] == Exit.FAILED
    assert program.attempts() == [(ident(4), 1, "crashed"), (ident(3), 1, "crashed")]


def test_a_finished_run_begins_the_count_anew(program: Program) -> None:
    run_of(program.store)
    program.steps("crash")
    assert program("resume", ident(4), "--yes")[0] == Exit.FAILED
    program.steps("say:" + json.dumps({"type": "log", "text": "x"}))
    assert program("resume", ident(4), "--yes")[0] == Exit.DONE
    assert program.attempts() == []
    program.steps("crash")
    assert program("resume", ident(4), "--yes", "--max-attempts", "1")[0] == Exit.FAILED
    assert program.attempts() == [(ident(4), 1, "crashed")]


def test_what_never_began_does_not_count(program: Program) -> None:
    run_of(program.store)
    assert program("resume", "--dry-run")[0] == Exit.DONE
    assert program("resume")[0] == Exit.REFUSED
    program.steps("refuse:{}")
    assert program("resume", "--yes")[0] == Exit.REFUSED
    assert program.attempts() == []


def test_a_fork_is_no_attempt(program: Program) -> None:
    run_of(program.store)
    program.steps("crash")
    assert program("fork", ident(4), "--yes")[0] == Exit.FAILED
    assert program.attempts() == []
    # and what is resumed on its branch counts there
    assert program("resume", "--yes", "--max-attempts", "1")[0] == Exit.FAILED
    assert [number for _, number, _ in program.attempts()] == [1]
    assert program("resume", ident(4), "--yes", "--max-attempts", "1")[0] == Exit.FAILED


def test_a_dry_run_is_never_refused_for_attempts(program: Program) -> None:
    run_of(program.store)
    program.steps("crash")
    assert program("resume", "--yes", "--max-attempts", "1")[0] == Exit.FAILED
    assert program("resume", "--dry-run", "--max-attempts", "1")[0] == Exit.DONE


def test_a_dry_run_lets_no_program_run_others_first(program: Program) -> None:
    run_of(program.store)
    args = ("--script", "main.py", "--allow-before", "--dry-run")
    code, _, said = program("resume", *args)
    assert (code, "--dry-run runs nothing" in said) == (Exit.USAGE, True)
    code, _, said = program("fork", *args)
    assert (code, "--dry-run runs nothing" in said) == (Exit.USAGE, True)


def test_torn_and_odd_lines_are_passed_over(program: Program) -> None:
    run_of(program.store)
    program.steps("crash")
    assert program("resume", "--yes")[0] == Exit.FAILED
    (path,) = (Path(os.environ["CREWCHECK_STATE_DIR"]) / "attempts").iterdir()
    with open(path, "ab") as file:
        file.write(b'[1]\n{"checkpoint_id": 7}\n\xff\xfe\n{"store": "x", "at"')
    assert program("resume", "--yes")[0] == Exit.FAILED
    assert program.attempts() == [(ident(4), 2, "crashed")]
    assert path.stat().st_mode & 0o077 == 0


def test_attempts_of_all_stores(program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    run_of(program.store)
    program.steps("crash")
    assert program("resume", "--yes")[0] == Exit.FAILED
    capsys.readouterr()
    assert run_program(["attempts", "list", "--all"]) == Exit.DONE
    (line,) = capsys.readouterr().out.splitlines()
    cells = line.split("\t")
    assert cells[:4] == [ident(4), "main", "1", "3"]
    assert (cells[5], cells[7]) == ("crashed", str(program.store.resolve()))
    assert run_program(["attempts", "list", "--all", "--json"]) == Exit.DONE
    (told,) = json.loads(capsys.readouterr().out)
    row = AttemptReport.model_validate(told)
    assert (row.checkpoint_id, row.attempts, row.done, row.run_id) == (ident(4), 1, 3, cells[6])
    assert run_program(["attempts", "reset"]) == Exit.USAGE
    assert program.reset("--all") == Exit.DONE
    assert attempts.attempts_of(str(program.store)) == []


def test_objects_of_the_fake_are_as_made(program: Program) -> None:
    """The helpers of these tests do what they say."""
    run_of(program.store, done=2)
    doc = json.loads(path_of(program.store, 3).read_text())
    states = [one["output"] is not None for one in objects(doc["entities"][0]["tasks"])]
    assert states == [True, True, False, False]


def test_a_refusal_tells_no_secrets(program: Program) -> None:
    run_of(program.store)
    key = "sk-fake-0123456789abcdef0123456789"
    said = {"message": f"no: {key}", "hint": f"not {key}", "differences": [f"input a: {key}"]}
    program.steps(f"refuse:{json.dumps(said)}")
    code, *told = program("resume", "--yes")
    assert code == Exit.REFUSED
    assert "fake" not in str(told)
    assert "input a: <redacted" in str(told)
