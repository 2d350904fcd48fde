"""The outputs that CrewAI keeps of a project's last run, as a store of one checkpoint."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.source import read_source
from crewcheck.errors import NotFound, Refused, Unreadable
from crewcheck.model.losses import losses
from crewcheck.stores.base import DamagedDocument, writable
from crewcheck.stores.detect import default_location, open_path
from crewcheck.stores.task_outputs import place

COLUMNS = "task_id, task_key, expected_output, output, task_index, inputs, was_replayed, timestamp"


def database(path: Path, *rows: tuple[Any, ...]) -> str:
    """A database as CrewAI makes it; a row is position, description, raw and its agent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "CREATE TABLE latest_kickoff_task_outputs (task_id TEXT PRIMARY KEY, task_key TEXT, "
            "expected_output TEXT, output JSON, task_index INTEGER, inputs JSON, "
            "was_replayed BOOLEAN, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP)"
        )
        for at, (index, description, raw, role) in enumerate(rows):
            output = {"description": description, "summary": "...", "raw": raw, "agent": role,
                      "pydantic": None, "json_dict": None, "output_format": "raw"}  # fmt: skip
            values = (f"t{at}", "k", "text", json.dumps(output), index, '{"topic": "cats"}', 0,
                      f"2026-11-29 17:42:{at:02}")  # fmt: skip
            db.execute(
                f"INSERT INTO latest_kickoff_task_outputs ({COLUMNS}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
    return str(path)


def change(path: str, sql: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)


@pytest.fixture
def two(tmp_path: Path) -> str:
    rows = [(0, "Notes on cats", "My notes", "Writer"), (1, "Draft it", "A draft", "Editor")]
    return database(tmp_path / "kept.db", *rows)


def test_a_run_is_one_checkpoint(two: str) -> None:
    with open_catalog(two) as catalog:
        catalog.read_summaries()
        (one,) = catalog.checkpoints
        assert (one.id, one.branch, one.header.created_at) == (
            "last-run", "main", "2026-11-29T17:42:01Z",
        )  # fmt: skip
        assert one.summary is not None
        assert (one.summary.kind, one.summary.done, one.summary.total) == ("crew", 2, 2)
        assert one.summary.status == "stopped"  # whether more was to come is not known
        source = read_source(catalog, catalog.forest.order[0])
        assert source.partial
        assert source.inputs == {"topic": "cats"}
        tasks = [(task.label, task.agent, task.state, task.output) for task in source.tasks]
        assert tasks == [
            ("Notes on cats", "Writer", "done", "My notes"),
            ("Draft it", "Editor", "done", "A draft"),
        ]
        told = [loss.rule for loss in losses(source.entity, [])]
        assert told == ["agents", "tasks-to-come", "templates"]
        with pytest.raises(Refused, match="crewcheck fork"):
            writable(catalog.store)


def test_what_lies_between_known_tasks_is_pending(tmp_path: Path) -> None:
    path = database(tmp_path / "kept.db", (2, "End", "The end", "Writer"))
    with open_catalog(path) as catalog:
        source = read_source(catalog, catalog.forest.order[0])
        assert [task.state for task in source.tasks] == ["pending", "pending", "done"]
        assert source.done == 1


def test_of_two_crews_at_once_the_newer_output_counts(tmp_path: Path) -> None:
    rows = [(0, "One", "first", "Writer"), (0, "Two", "second", "Writer")]
    with open_catalog(database(tmp_path / "kept.db", *rows)) as catalog:
        source = read_source(catalog, catalog.forest.order[0])
        assert [task.output for task in source.tasks] == ["second"]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SET output = 'no json' WHERE task_index = 1", "task 1: its output is no JSON"),
        ("SET output = '[1]'", "task 0: its output is no object"),
        ("SET output = NULL", "task 0: it has no output"),
        ("SET output = 3", "task 0: its output is no JSON text"),
        ("SET inputs = 'x' WHERE task_index = 1", "task 1: its inputs is no JSON"),
        ("SET task_index = 'x' WHERE task_index = 1", "task x: its position is none"),
        ("SET task_index = 99999999 WHERE task_index = 1", "its position is none"),
    ],
)
def test_what_cannot_be_read_is_damage(two: str, sql: str, said: str) -> None:
    change(two, f"UPDATE latest_kickoff_task_outputs {sql}")
    store = open_path(two).store
    (header,) = store.scan().headers
    with pytest.raises(DamagedDocument, match=said):
        store.document(header)
    damage = store.summary(header).damage
    assert damage is not None
    assert said in damage.message
    store.close()


def test_an_older_table_and_odd_times(two: str) -> None:
    change(two, "ALTER TABLE latest_kickoff_task_outputs DROP COLUMN task_key")
    change(two, "UPDATE latest_kickoff_task_outputs SET timestamp = 'then', inputs = NULL")
    store = open_path(two).store
    (header,) = store.scan().headers
    assert header.created_at is None
    assert store.document(header)["entities"][0]["checkpoint_inputs"] == {}
    change(two, "DELETE FROM latest_kickoff_task_outputs")
    assert store.scan().headers == []
    with pytest.raises(NotFound):
        store.document(header)
    store.close()
    change(two, "DROP TABLE latest_kickoff_task_outputs")
    with pytest.raises(Unreadable, match="without checkpoints"):
        open_path(two)


@pytest.mark.skipif("sys.platform != 'linux'")
def test_where_crewai_keeps_them() -> None:
    assert place("/home/ann/press", {"XDG_DATA_HOME": "/data"}) == (
        "/data/press/latest_kickoff_task_outputs.db"
    )
    named = {"XDG_DATA_HOME": "/data", "CREWAI_STORAGE_DIR": "mine"}
    assert place("/home/ann/press", named) == "/data/mine/latest_kickoff_task_outputs.db"
    named["CREWAI_STORAGE_DIR"] = "/own/place"
    assert place("/home/ann/press", named) == "/own/place/latest_kickoff_task_outputs.db"


def test_they_are_offered_where_there_is_no_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "press room"
    project.mkdir()
    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path / "kept"))
    with pytest.raises(NotFound, match="crewcheck demo"):
        default_location(str(project))
    path = database(tmp_path / "kept" / "latest_kickoff_task_outputs.db")
    with pytest.raises(NotFound, match="crewcheck demo"):
        default_location(str(project))  # it is empty
    Path(path).unlink()
    database(Path(path), (0, "One", "first", "Writer"))
    with pytest.raises(NotFound) as caught:
        default_location(str(project))
    said = f"CrewAI kept the outputs of the last run: `crewcheck list {path}`"
    assert caught.value.hint == said
    Path(path).write_bytes(b"no database")
    with pytest.raises(NotFound, match="crewcheck demo"):
        default_location(str(project))
