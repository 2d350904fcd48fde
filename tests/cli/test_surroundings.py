"""Odd surroundings: streams that are closed or full, widths, times, and depths."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.build import crew, document, event, flow, ident, small_store, task, write
from tests.cli.conftest import Run

ROOT = str(Path(__file__).resolve().parents[2])


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line of bash; ``$C`` is crewcheck."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=cwd,
        env=os.environ | {"C": f"{sys.executable} -m crewcheck", "PYTHONPATH": ROOT},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return small_store(tmp_path / "store")


@pytest.mark.parametrize("command", ["list store", "list store --json", "tree store", "info store"])
def test_streams_that_are_closed(store: Path, command: str) -> None:
    done = shell(f"$C {command} >&-", store.parent)
    assert (done.returncode, done.stderr) == (0, "")
    done = shell(f"$C {command} <&-", store.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_what_cannot_be_said_on_stderr_is_not_said_on_stdout(store: Path) -> None:
    (store.parent / "empty").mkdir()
    done = shell("$C list empty --json 2>&-", store.parent)
    assert (done.returncode, json.loads(done.stdout)) == (0, [])
    done = shell("$C list /nope 2>&-", store.parent)
    assert (done.returncode, done.stdout) == (3, "")
    done = shell("$C list /nope 2>/dev/full", store.parent)
    assert (done.returncode, done.stdout) == (3, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["list store", "tree store --json", "--help", "--version"])
def test_a_full_disk_is_one_line_and_code_1(store: Path, command: str) -> None:
    done = shell(f"$C {command} >/dev/full", store.parent)
    assert done.returncode == 1
    assert done.stderr == "crewcheck: no space left on device\n"


def test_a_closed_pipe_is_no_error_in_colour_either(store: Path) -> None:
    big = "word " * 200_000
    write(store, document(crew(task(output=big))), ident(9))
    done = shell(
        "$C --color always info --full latest -l store | head -1; echo ${PIPESTATUS[0]}",
        store.parent,
    )
    assert (done.stdout.splitlines()[-1], done.stderr) == ("0", "")


@pytest.mark.parametrize("columns", ["²", "99999999999999999999", "0", "-5", "abc", "10", "1"])
def test_widths_that_are_none(run: Run, store: Path, columns: str) -> None:
    for command in ("list", "tree", "info"):
        done = run("--color", "always", command, store, COLUMNS=columns)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("stamp", "zone"),
    [("99991231T235959", "Asia/Tokyo"), ("00010101T000000", "America/New_York")],
)
def test_the_first_and_the_last_day(run: Run, tmp_path: Path, stamp: str, zone: str) -> None:
    write(tmp_path, document(crew(task())), f"{stamp}_aaaaaaaa")
    for args in (["info", "-l"], ["list"], ["tree"]):
        done = run("--color", "always", *args, tmp_path, TZ=zone)
        assert (done.returncode, done.stderr) == (0, "")


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [150, 480, 900])
def test_deep_values_never_overflow(run: Run, tmp_path: Path, levels: int) -> None:
    of = {"flow_name": "F", "method_name": "a"}
    finished = event(1, "method_execution_finished", result=nested(levels), **of)
    write(tmp_path, document(flow("a"), events=[finished]), ident(1))
    for args in ([], ["--json"], ["--full"]):
        done = run("--color", "always", "info", "-l", tmp_path, *args)
        assert done.returncode in (0, 4)
        assert "Traceback" not in done.stderr
        assert (done.returncode == 4) == ("nested too deep" in done.stderr)


def test_a_path_that_is_not_there_is_named(run: Run, store: Path) -> None:
    for ref in ("/nope/x.json", "./nope", "nosuch.db#id", "~/nope"):
        done = run("info", ref, cwd=store.parent)
        assert (done.returncode, done.stdout) == (3, "")
        assert "no such" in done.stderr
        assert "nope" in done.stderr or "nosuch.db" in done.stderr


def test_an_empty_reference_is_not_the_latest(run: Run, store: Path) -> None:
    done = run("info", "", "-l", store)
    assert (done.returncode, done.stdout) == (3, "")


def test_a_home_folder_is_meant_by_its_sign(run: Run, store: Path) -> None:
    for ref in ("~/store", "~/store#main"):
        done = run("info", ref, "--json", HOME=str(store.parent))
        assert done.returncode == 0


def test_hashes_in_the_names_of_stores_and_branches(run: Run, store: Path) -> None:
    other = store.rename(store.parent / "a#b")
    write(other, document(crew(task()), branch="c#d"), ident(8), branch="c#d")
    told = json.loads(run("info", f"{other}#c#d", "--json").stdout)
    assert told["id"] == ident(8)


def test_a_foreign_document_is_code_4_whatever_its_shape(run: Run, tmp_path: Path) -> None:
    for number, text in enumerate(("{}", '{"entities": []}', "[1]")):
        path = write(tmp_path, text, ident(number))
        os.utime(path, (1, 1))
        done = run("info", ident(number), "-l", tmp_path, "--json")
        assert done.returncode == 4
        assert json.loads(done.stdout)["damage"]["rule"] == "not-a-checkpoint"
        assert done.stderr.count("\n") == 1


def test_a_usage_error_is_one_harmless_line_without_passwords(run: Run, store: Path) -> None:
    done = run("list", store, "\x1b]0;t\x07")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert not set(done.stderr) & {"\x1b", "\x07"}
    assert "crewcheck list --help" in done.stderr
    done = run("list", "postgresql://bob:hunter2pass@db/x")
    assert (done.returncode, done.stdout) == (2, "")
    assert "hunter2pass" not in done.stderr
