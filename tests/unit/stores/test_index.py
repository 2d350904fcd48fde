"""The index keeps what was read, is never trusted blindly, and never a reason to fail."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import Catalog, open_catalog
from crewcheck.model.scan import Header, Summary
from crewcheck.stores import index as index_module
from crewcheck.stores.detect import open_path
from crewcheck.stores.index import Index, open_index
from crewcheck.stores.sqlite import SqliteStore
from tests.build import crew, document, ident, small_store, task, write


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """`small_store`, and a damaged checkpoint; none has just been written."""
    root = small_store(tmp_path / "store")
    write(root, b"{}{}", ident(6), ident(3))
    for path in root.rglob("*.json"):
        os.utime(path, (1000, 1000))
    return root


def plain(catalog: Catalog) -> dict[str, Any]:
    return {
        one.id: one.summary and {name: getattr(one.summary, name) for name in Summary.__slots__}
        for one in catalog.checkpoints
    }


def read(store: Path, reads: list[str] | None = None) -> dict[str, Any]:
    """All summaries of a store, and in ``reads`` the ids of those that were read."""
    with open_catalog(str(store)) as catalog:
        real = catalog.store.summaries

        def counting(wanted: Sequence[tuple[Header, bool]]) -> list[Summary]:
            if reads is not None:
                reads.extend(header.id for header, _ in wanted)
            return real(wanted)

        catalog.store.summaries = counting  # type: ignore[method-assign]
        catalog.read_summaries()
        return plain(catalog)


def read_ids(store: Path) -> list[str]:
    reads: list[str] = []
    read(store, reads)
    return sorted(reads)


def rows(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT * FROM summaries").fetchall()


ALL = [ident(number) for number in range(1, 7)]


def test_what_was_read_once_is_known(store: Path, own_index: Path) -> None:
    reads: list[str] = []
    first = read(store, reads)
    assert sorted(reads) == ALL
    assert read_ids(store) == []
    assert read(store) == first
    assert first[ident(6)]["damage"].rule == "trailing-data"
    assert stat.S_IMODE(own_index.stat().st_mode) == 0o600


def test_no_file_is_opened_twice_and_none_again(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    real = os.open

    def counting(path: Any, *args: Any, **more: Any) -> int:
        if str(path).endswith(".json"):
            opened.append(os.path.basename(path))
        return real(path, *args, **more)

    monkeypatch.setattr(os, "open", counting)
    read(store)
    assert (len(opened), len(set(opened))) == (6, 6)
    read(store)
    assert len(opened) == 6


def test_a_file_that_changed_is_read_again(store: Path) -> None:
    read(store)
    path = next(store.glob(f"main/{ident(2)}_*"))
    same_size = path.read_bytes().replace(b"newsroom", b"newsr00m")
    path.write_bytes(same_size)
    os.utime(path, (2000, 2000))
    assert read_ids(store) == [ident(2)]
    assert read(store)[ident(2)]["name"] == "newsr00m"
    path.write_bytes(same_size + b" ")
    os.utime(path, (2000, 2000))
    assert read_ids(store) == [ident(2)]


def test_rows_of_what_is_gone_go(store: Path, own_index: Path, tmp_path: Path) -> None:
    read(store)
    other = tmp_path / "other"
    shutil.copytree(store, other)
    read(other)
    assert len(rows(own_index)) == 12
    next(other.glob(f"main/{ident(6)}_*")).unlink()
    read(other)
    assert len(rows(own_index)) == 11
    shutil.rmtree(store)
    os.utime(next(other.glob(f"main/{ident(1)}_*")), (3000, 3000))
    read(other)
    assert len(rows(own_index)) == 5


def test_a_store_that_nobody_looks_at_is_forgotten(store: Path, own_index: Path) -> None:
    read(store)
    with closing(sqlite3.connect(own_index)) as db, db:
        db.execute("UPDATE stores SET used = 10")
    small = write(store.parent / "b", document(crew(task())), ident(1))
    os.utime(small, (1000, 1000))
    read(store.parent / "b")
    assert len(rows(own_index)) == 1


def test_what_may_be_different_in_a_moment_is_not_kept(store: Path, own_index: Path) -> None:
    young = write(store, document(crew(task())), ident(7), ident(6))
    cut = write(store, b'{"entities": [', ident(8), ident(6))
    closed = write(store, b"{}", ident(9), ident(6))
    os.utime(closed, (1000, 1000))
    read(store)
    kept = {row[2] for row in rows(own_index)}
    assert kept == {*ALL, ident(9)}
    os.utime(young, (1000, 1000))
    os.utime(cut, (1000, 1000))
    assert read_ids(store) == [ident(7), ident(8)]
    assert read_ids(store) == []


SECRET = "sk-proj-" + "a1B2" * 8


@pytest.mark.parametrize(
    "doc",
    [
        document(crew(task(output=SECRET)), trigger=SECRET),
        document(crew(task()), version=f"1 {SECRET}"),
        document(crew(task(output=SECRET), name="n" * 500)),
        document(crew(task(), name="\ud800")),
        document(crew(task(output=SECRET)), crewcheck={"edits": [{"path": SECRET}]}),
    ],
)
def test_odd_words_and_notes_are_not_kept(
    tmp_path: Path, own_index: Path, doc: dict[str, Any]
) -> None:
    os.utime(write(tmp_path, document(crew(task(output=SECRET))), ident(1)), (1000, 1000))
    os.utime(write(tmp_path, doc, ident(2)), (1000, 1000))
    first = read(tmp_path)
    assert [row[2] for row in rows(own_index)] == [ident(1)]
    assert SECRET.encode() not in own_index.read_bytes()
    assert read(tmp_path) == first


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 50)


def torn(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def other_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")


def no_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TABLE summaries")


def odd_facts(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE summaries SET facts = '[1, 2]'")


def no_facts(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE summaries SET facts = NULL")


@pytest.mark.parametrize(
    "harm", [garbage, torn, cut, other_version, no_tables, odd_facts, no_facts]
)
def test_an_index_that_is_of_no_use_is_made_anew(
    store: Path, own_index: Path, monkeypatch: pytest.MonkeyPatch, harm: Any
) -> None:
    monkeypatch.setattr(index_module, "open_index", lambda: Index(str(own_index)))
    monkeypatch.setattr("crewcheck.engine.catalog.open_index", lambda: Index(str(own_index)))
    first = read(store)
    harm(own_index)
    assert read(store) == first
    assert read(store) == first
    read(store)
    assert read_ids(store) == []


@pytest.mark.parametrize("theirs", [b"a letter to my aunt", b"SQLite format 3\0" + b"\1" * 90])
def test_a_file_of_somebody_else_is_left_alone(store: Path, own_index: Path, theirs: bytes) -> None:
    own_index.write_bytes(theirs)
    assert len(read(store)) == 6
    assert own_index.read_bytes() == theirs


def test_a_locked_index_is_passed_over(store: Path, own_index: Path) -> None:
    first = read(store)
    with closing(sqlite3.connect(own_index, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        path = next(store.glob(f"main/{ident(2)}_*"))
        os.utime(path, (2000, 2000))
        assert read(store) == first
        db.execute("ROLLBACK")
    assert read_ids(store) == [ident(2)]


@pytest.fixture
def unwritable(tmp_path: Path) -> Path:
    folder = tmp_path / "unwritable"
    folder.write_text("")
    return folder / "index.db"


def test_where_nothing_can_be_written_all_is_read(
    store: Path, unwritable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREWCHECK_INDEX", str(unwritable))
    assert read_ids(store) == ALL
    assert read_ids(store) == ALL


def test_off_is_off(store: Path, own_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREWCHECK_INDEX", "off")
    assert open_index() is None
    assert read_ids(store) == ALL
    assert not own_index.exists()


def test_the_users_own_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CREWCHECK_INDEX")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    found = open_index()
    assert found is not None
    assert found.path.startswith(str(tmp_path))
    assert found.path.endswith(os.path.join("crewcheck", "index.db"))


def database(path: Path, *docs: dict[str, Any]) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE checkpoints (id TEXT, created_at, parent_id, branch, data)")
        for number, doc in enumerate(docs, 1):
            values = (ident(number), None, "main", json.dumps(doc))
            db.execute("INSERT INTO checkpoints VALUES (?, '', ?, ?, ?)", values)
    return path


def test_rows_of_a_database_are_kept_too(tmp_path: Path, own_index: Path) -> None:
    path = database(tmp_path / "a.db", document(crew(task(output="x"))), document(crew(task())))
    assert read_ids(path) == [ident(1), ident(2)]
    assert read_ids(path) == []
    assert read(path)[ident(1)]["done"] == 1
    with closing(sqlite3.connect(path)) as db, db:
        longer = json.dumps(document(crew(task(), task(output="y"))))
        db.execute("UPDATE checkpoints SET data = ? WHERE id = ?", (longer, ident(2)))
    assert read_ids(path) == [ident(2)]


def test_what_a_name_says_otherwise_is_kept(tmp_path: Path, own_index: Path) -> None:
    os.utime(write(tmp_path, document(crew(task())), ident(2), ident(1)), (1000, 1000))
    first = read(tmp_path)
    assert len(first[ident(2)]["notes"]) == 1
    assert (read(tmp_path), len(rows(own_index))) == (first, 1)


def measured(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many rows are measured for a listing, which is as it would be without an index."""
    counted = 0
    real = SqliteStore.measure

    def counting(store: SqliteStore, headers: list[Header]) -> None:
        nonlocal counted
        counted += len([one for one in headers if one.size is None])
        real(store, headers)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "measure", counting)
        with open_catalog(str(path)) as catalog:
            catalog.read_summaries()
            found = plain(catalog), [one.header.size for one in catalog.checkpoints]
    with Catalog(open_path(str(path)).store) as catalog:
        catalog.read_summaries()
        assert found[1] == [one.header.size for one in catalog.checkpoints]
        assert found[0] == plain(catalog)
    return counted


def test_texts_of_a_database_are_measured_once_while_nothing_changes(
    tmp_path: Path, own_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # before SQLite 3.43 no query tells the size of a text
    monkeypatch.setattr("crewcheck.stores.sqlite.SIZE", "NULL")
    path = database(tmp_path / "a.db", document(crew(task(output="x"))), document(crew(task())))
    os.utime(path, (1000, 1000))
    assert [measured(path, monkeypatch) for _ in range(4)] == [2, 2, 0, 0]
    with closing(sqlite3.connect(path)) as db, db:
        longer = json.dumps(document(crew(task(), task(output="y"))))
        db.execute("UPDATE checkpoints SET data = ? WHERE id = ?", (longer, ident(2)))
    # just written: it may be written again within a tick
    assert [measured(path, monkeypatch) for _ in range(3)] == [2, 2, 2]
    os.utime(path, (2000, 2000))
    assert [measured(path, monkeypatch) for _ in range(3)] == [2, 0, 0]


def test_a_state_is_not_kept_where_the_rows_were_not_compared(
    tmp_path: Path, own_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crewcheck.stores.sqlite.SIZE", "NULL")
    path = database(tmp_path / "a.db", document(crew(task(output="x"))))
    os.utime(path, (1000, 1000))
    assert [measured(path, monkeypatch) for _ in range(3)] == [1, 1, 0]
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE checkpoints SET data = ?", (json.dumps(document(crew(task(), task()))),))
    os.utime(path, (2000, 2000))
    with closing(sqlite3.connect(own_index, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert measured(path, monkeypatch) == 1
        db.execute("ROLLBACK")
    assert [measured(path, monkeypatch) for _ in range(3)] == [1, 0, 0]
