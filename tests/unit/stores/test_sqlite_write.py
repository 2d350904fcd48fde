from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.fork import dump, fork_document
from crewcheck.errors import Refused, Unreadable
from crewcheck.model.edits import Edits
from crewcheck.stores.base import writable
from crewcheck.stores.sqlite_write import add_row
from tests.build import crew, document, ident, task

NEW = (
    "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, parent_id TEXT, "
    "branch TEXT NOT NULL DEFAULT 'main', data JSONB NOT NULL)"
)
OLD = "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, data JSONB)"


def made(path: Path, schema: str = NEW) -> dict[str, Any]:
    doc = document(crew(task(output="x"), task("b", output="y")))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(schema)
        connection.execute(
            "INSERT INTO checkpoints (id, created_at, data) VALUES (?, ?, ?)",
            (ident(1), ident(1)[:15], dump(doc).decode()),
        )
    return doc


@pytest.mark.parametrize("schema", [NEW, OLD])
def test_a_fork_is_a_row_of_its_branch(tmp_path: Path, schema: str) -> None:
    path = tmp_path / "a b#c.db"
    doc = made(path, schema)
    fork = fork_document(doc, source_id=ident(1), branch="w/x", edits=Edits(), run=[1])
    with open_catalog(str(path)) as catalog:
        location = writable(catalog.store).write(
            dump(fork), id=ident(2), parent_id=ident(1), branch="w/x"
        )
        assert location == f"{path}#{ident(2)}"
        catalog.refresh()
        catalog.read_summaries()
        found = {one.id: one for one in catalog.checkpoints}
        assert catalog.store.document(found[ident(2)].header) == fork
    one = found[ident(2)]
    assert (one.branch, one.parent_id, one.header.created_at) == (
        "w/x", ident(1), "2026-11-29T17:00:02Z",
    )  # fmt: skip
    assert one.summary is not None
    assert (one.summary.done, one.summary.total) == (1, 2)


def test_a_taken_id_and_a_locked_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.db"
    made(path)
    with open_catalog(str(path)) as catalog:
        store = writable(catalog.store)
        with pytest.raises(Refused, match="exists already"):
            store.write(b"{}", id=ident(1), parent_id=None, branch="main")
        monkeypatch.setattr("crewcheck.stores.sqlite_write._BUSY_SECONDS", 0.05)
        with closing(sqlite3.connect(path)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(Unreadable, match="try again"):
                store.write(b"{}", id=ident(2), parent_id=None, branch="main")
        assert len(store.scan().headers) == 1


def test_a_table_that_takes_no_such_row(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    made(path, NEW[:-1] + ", more TEXT NOT NULL DEFAULT 'x' CHECK (length(id) < 30))")
    with (
        open_catalog(str(path)) as catalog,
        pytest.raises(Unreadable, match="does not take"),
    ):
        writable(catalog.store).write(b"{}", id="a" * 40, parent_id=None, branch="main")


def test_a_path_that_is_no_text(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff%.db")
    try:
        doc = made(tmp_path / "a.db")
        os.rename(tmp_path / "a.db", path)
    except OSError:
        pytest.skip("names must be text here")
    with open_catalog(path) as catalog:
        writable(catalog.store).write(dump(doc), id=ident(2), parent_id=ident(1), branch="b")
        catalog.refresh()
        assert [one.id for one in catalog.checkpoints] == [ident(1), ident(2)]


def test_a_schema_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    doc = made(path)
    data = bytearray(path.read_bytes())
    at = data.index(b"CREATE TABLE")
    data[at : at + 6] = b"\xf0\xff\xc3EAT"
    path.write_bytes(data)
    with pytest.raises(Unreadable, match=r"a\.db cannot be written: malformed database schema"):
        add_row(str(path), dump(doc), id="x", created_at="", parent_id=None, branch="b")
    assert path.read_bytes() == data
