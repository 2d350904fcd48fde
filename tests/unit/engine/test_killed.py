"""kill -9 at any moment of a fork: what was there stays, and what is new is whole."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine import attempts
from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.engine.checks.rules import DAMAGE
from crewcheck.engine.refs import find_in
from crewcheck.engine.running import fork_without_run, write_fork
from crewcheck.engine.source import read_source
from crewcheck.engine.verify import verify
from crewcheck.model.edits import Edits
from tests.build import crew, document, ident, small_store, task

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

#: In about this time a process has made its few forks.
LONGEST = 0.02


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork looks at the project around it, which is ours otherwise."""
    monkeypatch.chdir(tmp_path)


def killed(work: Callable[[Callable[[], None]], None], after: float) -> int:
    """Run ``work`` in a process of its own, and kill it some time after it said ``done`` for
    the first time; how often it has."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)

            def done() -> None:
                os.write(writing, b".")

            work(done)
        finally:
            os._exit(1)
    os.close(writing)
    with open(reading, "rb") as file:
        first = file.read(1)
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return len(first + file.read())


def forks(location: str, number: int) -> Callable[[Callable[[], None]], None]:
    """Fork again and again, each time with another output and another branch."""

    def work(done: Callable[[], None]) -> None:
        with open_catalog(location) as catalog:
            catalog.read_summaries()
            source = read_source(catalog, find_in(catalog, ident(1)))
            fork_without_run(source, Edits(outputs={0: "another outline"}), f"killed/{number}")
            done()
            for count in range(8):
                edits = Edits(outputs={0: f"another outline {count} " * 200})
                write_fork(source, edits, f"killed/{number}-{count}", [1])
                done()
        time.sleep(10)

    return work


def documents(catalog: Catalog) -> dict[str | int, Any]:
    return {
        one.header.key: json.dumps(catalog.store.document(one.header))
        for one in catalog.checkpoints
    }


def database(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute(
            "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, "
            "parent_id TEXT, branch TEXT NOT NULL DEFAULT 'main', data JSONB NOT NULL)"
        )
        doc = document(crew(task("outline", output="An outline"), task("draft")))
        db.execute(
            "INSERT INTO checkpoints VALUES (?, ?, NULL, 'main', ?)",
            (ident(1), ident(1)[:15], json.dumps(doc)),
        )
        db.commit()
    return path


def check_kills(location: Path, kills: int, seed: int) -> None:
    """After each kill all that was there is there, and the store is well."""
    dice = random.Random(seed)
    written = 0
    with open_catalog(str(location)) as catalog:
        before = documents(catalog)
    first = len(before)
    for number in range(kills):
        written += killed(forks(str(location), number), dice.random() * LONGEST)
        with open_catalog(str(location)) as catalog:
            after = documents(catalog)
            damage = [one for one in verify(catalog) if one.severity == DAMAGE]
        assert damage == []
        assert {key: after[key] for key in before} == before
        before = after
    assert written >= kills
    # one may have been written and not been told of
    assert written <= len(before) - first <= written + kills


def test_json(tmp_path: Path) -> None:
    store = small_store(tmp_path / "store")
    old = {path: path.read_bytes() for path in store.rglob("*.json")}
    check_kills(store, 15, seed=1)
    assert {path: path.read_bytes() for path in old} == old


def test_sqlite(tmp_path: Path) -> None:
    check_kills(database(tmp_path / "runs.db"), 15, seed=2)


@pytest.mark.torture
@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.timeout(1200)
def test_many(tmp_path: Path, seed: int) -> None:
    location = small_store(tmp_path / "s") if seed == 3 else database(tmp_path / "runs.db")
    check_kills(location, 150, seed)


def test_attempts_that_were_noted_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREWCHECK_STATE_DIR", str(tmp_path / "state"))
    store = str(small_store(tmp_path / "store"))
    with open_catalog(store) as catalog:
        node = find_in(catalog, ident(1))
    dice = random.Random(5)
    noted, kills = 0, 20

    def work(done: Callable[[], None]) -> None:
        for _ in range(100):
            attempts.note(store, ident(1), "main", 1, "20261129T170000_abcdef")
            done()

    for at in range(1, kills + 1):
        noted += killed(work, dice.random() * LONGEST)
        assert noted <= attempts.count(store, node, 1).number <= noted + at
    assert noted >= kills


def test_several_processes_note_attempts_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREWCHECK_STATE_DIR", str(tmp_path / "state"))
    store = str(small_store(tmp_path / "store"))
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            try:
                for _ in range(25):
                    attempts.note(store, ident(1), "main", 1, "20261129T170000_abcdef")
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    assert len(attempts.attempts_of(store)) == 100
