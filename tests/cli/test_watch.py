"""`crewcheck watch`: what happens is printed, whatever happens to the store."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from crewcheck.engine.rows import COLUMNS
from crewcheck.model.reports import WatchReport
from tests.build import crew, document, ident, small_store, task, write
from tests.cli.conftest import Run
from tests.cli.watching import Watch, environment
from tests.writer import write_rows


def one(root: Path, number: int) -> Path:
    return write(root, document(crew(task(output="x"), task("b"))), ident(number))


def test_a_life_in_lines(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with Watch(tmp_path, store) as watch:
        watch.until_said("is not there yet: waiting for it")
        path = one(store, 1)
        assert watch.until(1)[0].split("\t") == [
            "added", ident(1), "2026-11-29T17:00:01Z", "main", "task_completed", "crew",
            "newsroom", "1", "2", "stopped", "", str(path.stat().st_size), "",
        ]  # fmt: skip
        write(store, document(crew(task(output="x"), task("b", output="y"))), ident(1))
        changed = watch.until(2)[1].split("\t")
        assert changed[:2] == ["changed", ident(1)]
        assert changed[1 + COLUMNS.index("done")] == "2"
        path.unlink()
        assert watch.until(3)[2].split("\t")[:2] == ["removed", ident(1)]
        shutil.rmtree(store)
        watch.until_said(f"{store} is gone: waiting for it")
        one(store, 2)
        assert watch.until(4)[3].split("\t")[:2] == ["added", ident(2)]
        assert watch.stop() == 130
    assert len(watch.err.read_text().strip().splitlines()) == 2


def test_json_lines_keep_their_promise(tmp_path: Path) -> None:
    store = small_store(tmp_path / "store")
    with Watch(tmp_path, store, "--json", "--existing", "-n", "6") as watch:
        watch.until(5)
        next(store.rglob(f"{ident(5)}*")).unlink()
        assert watch.process.wait(30) == 0
    events = [WatchReport.model_validate_json(line) for line in watch.lines()]
    assert [(event.type, event.id) for event in events] == [
        *[("added", ident(number)) for number in range(1, 6)],
        ("removed", ident(5)),
    ]
    assert events[-1].name == "newsroom"
    assert watch.err.read_text() == ""


def test_what_is_there_is_not_told_unless_asked_for(tmp_path: Path) -> None:
    store = small_store(tmp_path / "store")
    with Watch(tmp_path, "-l", store, "--until-idle", "0.4") as watch:
        assert watch.process.wait(30) == 0
    assert watch.lines() == []


def test_a_file_in_the_making_is_told_when_it_is_whole(tmp_path: Path) -> None:
    store = tmp_path / "store"
    path = one(store, 1)
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    with Watch(tmp_path, store, "--json", "--existing") as watch:
        watch.until(1)
        path.write_bytes(whole)
        watch.until(2)
    first, second = watch.events()
    assert (first["type"], first["damage"]["rule"]) == ("added", "being-written")
    assert (second["type"], second["damage"], second["done"]) == ("changed", None, 1)


def test_a_database_that_is_made_and_written(tmp_path: Path) -> None:
    with Watch(tmp_path, "runs.db", "--json") as watch:
        watch.until_said("runs.db is not there yet")
        (tmp_path / "runs.db").touch()
        write_rows(tmp_path / "runs.db", 3, 2)
        watch.until(2)
        with closing(sqlite3.connect(tmp_path / "runs.db")) as db, db:
            db.execute("DELETE FROM checkpoints WHERE id = ?", (ident(2),))
        while not any(event["type"] == "removed" for event in watch.events()[-1:]):
            watch.until(len(watch.lines()) + 1)
    events = [(event["type"], event["id"]) for event in watch.events()]
    assert ("added", ident(3)) in events
    assert events[-1] == ("removed", ident(2))


def test_the_default_store_is_waited_for(tmp_path: Path) -> None:
    with Watch(tmp_path, "--json", "-n", "1") as watch:
        watch.until_said("no checkpoints here yet: waiting for ./.checkpoints")
        one(tmp_path / ".checkpoints", 1)
        assert watch.process.wait(30) == 0
    assert watch.events()[0]["id"] == ident(1)


def test_an_empty_folder_gets_a_store(tmp_path: Path) -> None:
    """`.checkpoints` below the folder that is watched is the store that was meant."""
    with Watch(tmp_path, tmp_path, "--json", "-n", "1") as watch:
        while watch.process.poll() is None and not watch.lines():
            one(tmp_path / ".checkpoints", 1)
            try:
                watch.process.wait(0.3)
            except subprocess.TimeoutExpired:
                next(tmp_path.rglob("*_p-none.json")).unlink()
        assert watch.process.wait(30) == 0
    assert watch.events()[0]["branch"] == "main"


def test_what_is_no_store_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a store")
    done = run("watch", tmp_path / "notes.txt")
    assert (done.returncode, done.stdout) == (4, "")
    assert "is no checkpoint store" in done.stderr
    assert run("watch", "s3://bucket/x").returncode == 2
    assert run("watch", tmp_path, "--until-idle", "nan").returncode == 2


def test_a_pipe_that_is_closed_ends_it_though_nothing_happens(tmp_path: Path) -> None:
    store = small_store(tmp_path / "store")
    watch = [sys.executable, "-m", "crewcheck", "watch", str(store), "--existing"]
    read, written = os.pipe()
    process = subprocess.Popen(watch, stdout=written, stderr=subprocess.PIPE, text=True,
                               env=environment(tmp_path))  # fmt: skip
    os.close(written)
    with os.fdopen(read) as pipe:
        assert pipe.readline().startswith("added\t")
    assert process.wait(30) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


def test_on_a_terminal_a_line_is_harmless_and_fits(run: Run, tmp_path: Path) -> None:
    name = "evil\x1b]0;title\x07 sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    write(tmp_path / "store", document(crew(task(), name=name)), ident(1))
    done = run("--color", "always", "watch", tmp_path / "store", "--existing", "-n", "1",
               COLUMNS="60")  # fmt: skip
    assert done.returncode == 0
    assert "\x1b]" not in done.stdout
    assert "abcdefghij" not in done.stdout
    assert ident(1) in done.stdout
    assert done.stdout.count("\n") == 1
