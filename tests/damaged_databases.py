"""Databases in which something is wrong or odd, with what must be said of each row.

for name, make in DATABASES.items():
    said = make(path)     # by the ids that are shown; None: the file is refused
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

from tests.build import crew, document, event, ident, task
from tests.damage import FINE, NOT_ONE, Said, usual

TABLE = (
    "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, parent_id TEXT,"
    " branch TEXT NOT NULL DEFAULT 'main', data JSONB NOT NULL)"
)
LOOSE = "CREATE TABLE checkpoints (id, created_at, parent_id, branch, data)"

Reasons = dict[str, Said]


def jsonb(value: object) -> bytes:
    """SQLite's binary JSON of a value, or of a JSON text."""
    text = value if isinstance(value, str) else json.dumps(value)
    found = next(apsw.Connection("").execute("SELECT jsonb(?)", (text,)))[0]
    assert isinstance(found, bytes)
    return found


def filled(
    path: Path, rows: Iterable[tuple[Any, ...]], table: str = TABLE, before: str = ""
) -> None:
    """A database of ``(id, parent, branch, data)``, at rest."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(f"{before}; {table}")
        db.executemany(
            "INSERT INTO checkpoints (id, created_at, parent_id, branch, data)"
            " VALUES (?1, substr(?1, 1, 15), ?2, ?3, ?4)",
            rows,
        )
        db.commit()
    os.utime(path, (1_000_000_000, 1_000_000_000))


def plain(count: int = 3) -> list[tuple[Any, ...]]:
    """Rows of a run, all fine."""
    parents = [None, *map(ident, range(1, count))]
    return [
        (ident(number), parent, "main", json.dumps(usual()))
        for number, parent in enumerate(parents, 1)
    ]


def fine(rows: Iterable[tuple[Any, ...]]) -> Reasons:
    return {row[0]: Said(FINE) for row in rows}


def every_data(path: Path) -> Reasons:
    """All that the column of the documents can hold."""
    good = json.dumps(usual())
    blob = jsonb(usual())
    numbers = document(crew(task(), weight=1), events=[event(1, "x", weight=2)])
    digits = [
        json.dumps(numbers).replace(f'"weight": {n}', f'"weight": {"9" * 5000}') for n in (1, 2)
    ]
    deep = json.dumps(numbers).replace('"weight": 1', f'"weight": {"[" * 300}{"]" * 300}')
    at = blob.index(b"task_completed", blob.index(b"event_record"))
    in_record = blob[:at] + b"\xff\xfe" + blob[at + 2 :]
    cases: list[tuple[Any, Said]] = [
        (good, Said(FINE)),
        (blob, Said(FINE)),
        (good.encode(), Said(FINE)),
        (b"\xef\xbb\xbf" + good.encode(), Said(FINE, "byte order mark")),
        (good.replace("newsroom", "\\ud83d"), Said(FINE, "half of a character")),
        (jsonb(good.replace("newsroom", "\\ud83d")), Said(FINE)),
        (good.replace('"draft"', "NaN"), Said(FINE, "NaN")),
        (None, Said("empty", "its data is NULL")),
        (7, Said(NOT_ONE, "its data is an integer")),
        (0.5, Said(NOT_ONE, "its data is a number")),
        ("", Said("empty", "0 bytes")),
        (b"", Said("empty", "0 bytes")),
        (b"\0" * 9, Said("not-json", "neither SQLite's binary JSON nor")),
        (b"\x00\x01\x02", Said("not-json", "neither SQLite's binary JSON nor JSON text")),
        (good[:900], Said("truncated", "cut short after 900 bytes")),
        (good.encode()[:900], Said("truncated", "cut short after 900 bytes")),
        (good * 2, Said("trailing-data", f"at byte {len(good)}")),
        (blob[:900], Said("truncated", "cut short after 900 bytes")),
        (blob[:1], Said("truncated", "cut short after 1 bytes")),
        (blob + b"\0", Said("trailing-data", f"at byte {len(blob)}")),
        (blob * 2, Said("trailing-data", f"at byte {len(blob)}")),
        (in_record, Said("not-json", "invalid UTF-8", True)),
        (jsonb([usual()]), Said("not-json", "neither")),
        (jsonb("{}"), Said(NOT_ONE, "no list of entities")),
        (jsonb({"entities": []}), Said(NOT_ONE, "is empty")),
        ("[1]", Said(NOT_ONE, "it holds a list")),
        ("17", Said(NOT_ONE, "it holds a number")),
        ("null", Said(NOT_ONE, "it holds null")),
        ("hello", Said("not-json", "at byte 0")),
        (good.encode("utf-16"), Said("not-json", "")),
        (digits[0], Said("not-json", "too many digits")),
        (digits[1], Said("not-json", "too many digits")),
        (jsonb(digits[0]), Said("not-json", "too many digits", True)),
        (jsonb(digits[1]), Said("not-json", "too many digits", True)),
        (deep, Said("not-json", "nested too deep")),
        (jsonb(deep), Said("not-json", "nested too deep", True)),
        (blob[:1] + b"\xff" * 40, Said("truncated", "")),
    ]
    rows = [(ident(n), None, "main", data) for n, (data, _) in enumerate(cases, 1)]
    filled(path, rows, LOOSE)
    return {ident(n): said for n, (_, said) in enumerate(cases, 1)}


def odd_columns(path: Path) -> Reasons:
    good = json.dumps(usual())
    ids = (None, b"a\xffb", 12, 0.5, "", "good", "two\nlines \x1b[2J", "%", "_", "x" * 5000)
    rows: list[tuple[Any, ...]] = [(id, None, "main", good) for id in ids]
    for number, (parent, branch) in enumerate(
        ((b"p\xff", None), (7, 7), ("", ""), (None, b"\xff"), (None, "\x1b]0;t\x07"), (0, 0.5))
    ):
        rows.append((ident(number), parent, branch, good))
    filled(path, rows, LOOSE)
    text = "not a text"
    said = {
        "row-1": Said(NOT_ONE, "its id is NULL"),
        r"a\xffb": Said(NOT_ONE, f"of type bytes, {text}"),
        "12": Said(NOT_ONE, f"of type int, {text}"),
        "0.5": Said(NOT_ONE, f"of type float, {text}"),
        "row-5": Said(NOT_ONE, "its id is an empty text"),
        ident(0): Said("parent-missing", r"p\xff"),
        ident(1): Said("parent-missing", "7"),
    }
    ids_fine = [*ids[5:], *map(ident, range(2, 6))]
    return said | {str(id): Said(FINE) for id in ids_fine}


def twins(path: Path) -> Reasons:
    """Without a primary key an id can be there twice."""
    rows = plain(2)
    filled(path, [*rows, rows[1], (ident(3), ident(3), "main", rows[0][3])], LOOSE)
    return {
        ident(1): Said(FINE),
        ident(2): Said("duplicate-id"),
        ident(3): Said("cycle"),
    }


def other_tables(path: Path) -> Reasons:
    filled(path, plain(), before="CREATE TABLE users (id, data); CREATE VIEW v AS SELECT 1")
    return fine(plain())


def a_view(path: Path) -> Reasons:
    filled(path, plain(), TABLE)
    with closing(sqlite3.connect(path)) as db:
        db.executescript("ALTER TABLE checkpoints RENAME TO t; CREATE VIEW checkpoints AS SELECT"
                         " id, created_at, parent_id, branch, data FROM t")  # fmt: skip
    return fine(plain())


def of_1_14_1(path: Path) -> Reasons:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT, data JSONB)")
        for id, _, _, data in plain():
            db.execute("INSERT INTO checkpoints VALUES (?, 'odd', ?)", (id, data))
        db.commit()
    return fine(plain())


def without_rowid(path: Path) -> Reasons:
    filled(path, plain(), f"{TABLE} WITHOUT ROWID")
    return fine(plain())


def generated(path: Path) -> Reasons:
    filled(path, plain(), TABLE.replace("data JSONB", "data JSONB, size AS (length(data)) STORED,"
           " kind TEXT AS (typeof(data)) VIRTUAL, more INTEGER DEFAULT 3"))  # fmt: skip
    return fine(plain())


def of_utf_16(path: Path) -> Reasons:
    filled(path, plain(), before="PRAGMA encoding='UTF-16le'")
    return fine(plain())


def cut_wal(path: Path) -> Reasons:
    """The beginning of a log beside it."""
    filled(path, plain(), before="PRAGMA journal_mode=WAL")
    path.with_name(path.name + "-wal").write_bytes(_log_of_another(path)[:20])
    return fine(plain())


def stale_wal(path: Path) -> Reasons:
    """The log of another database beside it, its pages damaged: SQLite takes none of them."""
    filled(path, plain(), before="PRAGMA journal_mode=WAL")
    log = bytearray(_log_of_another(path))
    log[40] ^= 1  # in the salt of the first frame
    path.with_name(path.name + "-wal").write_bytes(log)
    return fine(plain())


def _log_of_another(path: Path) -> bytes:
    other = path.with_name("other.db")
    with closing(sqlite3.connect(other)) as db:
        db.executescript("PRAGMA journal_mode=WAL; CREATE TABLE x (y)")
        log = other.with_name("other.db-wal").read_bytes()
    other.unlink()
    assert len(log) > 4096
    return log


def hot_journal(path: Path) -> Reasons:
    """A writer was killed in the middle: the journal must be rolled back, in a copy."""
    filled(path, plain())
    before = path.read_bytes()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript("PRAGMA cache_size=1; PRAGMA journal_mode=DELETE; BEGIN IMMEDIATE")
        db.execute("DELETE FROM checkpoints")
        db.execute("INSERT INTO checkpoints VALUES ('big', '', '', '', zeroblob(200000))")
        journal = path.with_name(path.name + "-journal").read_bytes()
        broken = path.read_bytes()
    assert broken != before
    path.write_bytes(broken)
    path.with_name(path.name + "-journal").write_bytes(journal)
    return fine(plain())


def bad_pages(path: Path) -> Reasons:
    """The second of three rows is on a page of its own that is overwritten."""
    rows = [(ident(n), None, "main", json.dumps(usual() | {"pad": "x" * 1000})) for n in (1, 2, 3)]
    filled(path, rows)
    data = bytearray(path.read_bytes())
    pages = [at // 4096 for at in range(len(data)) if data.startswith(ident(2).encode(), at)]
    (leaf,) = {page for page in pages if data[page * 4096] == 0x0D}
    data[leaf * 4096 : leaf * 4096 + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    said = fine(rows)
    said[ident(2)] = Said("unreadable", "row 2 is on a damaged page")
    return said


def lost_end(path: Path) -> Reasons:
    rows = [(ident(n), None, "main", json.dumps(usual())) for n in (1, 2)]
    filled(path, [*rows, (ident(3), None, "main", "x" * 40_000)])
    os.truncate(path, path.stat().st_size - 4096 * 3)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return fine(rows) | {ident(3): Said("unreadable", "row 3 is on a damaged page")}


DATABASES: dict[str, Callable[[Path], Reasons]] = {
    make.__name__: make
    for make in (
        *(every_data, odd_columns, twins, other_tables, a_view, of_1_14_1, without_rowid),
        *(generated, of_utf_16, cut_wal, stale_wal, hot_journal, bad_pages, lost_end),
    )
}


def _cut(path: Path, size: int) -> None:
    filled(path, plain())
    os.truncate(path, size)


def _overwritten(path: Path, data: bytes) -> None:
    filled(path, plain())
    path.write_bytes(data + path.read_bytes()[len(data) :])


def _with_log(path: Path, log: bytes) -> None:
    filled(path, plain(), before="PRAGMA journal_mode=WAL")
    path.with_name(path.name + "-wal").write_bytes(log)


#: what is no database that can be read, with the reason
REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda path: path.touch(), "is an empty file, not a store"),
    "cut in the header": (lambda path: _cut(path, 60), "cut short after 60 bytes"),
    "cut in a page": (lambda path: _cut(path, 4096), "is damaged: "),
    "wrong magic": (
        lambda path: _overwritten(path, b"SQLite format 4\0"),
        "is no checkpoint store",
    ),
    "encrypted": (lambda path: path.write_bytes(bytes(range(1, 256)) * 99), "no checkpoint store"),
    "wiped page": (
        lambda path: _overwritten(path, b"SQLite format 3\0" + b"\xff" * 200),
        "is no SQLite database, or it is encrypted",
    ),
    "other columns": (
        lambda path: filled_other(path, "CREATE TABLE checkpoints (thread_id, checkpoint)"),
        "a SQLite database without checkpoints",
    ),
    "other program's": (
        lambda path: filled_other(path, "CREATE TABLE users (id, data)"),
        "a SQLite database without checkpoints",
    ),
    # SQLite itself takes it for the newest state: nothing ties a log to its database
    "another's log": (
        lambda path: _with_log(path, _log_of_another(path)),
        "a SQLite database without checkpoints",
    ),
    "a folder": (lambda path: (path / "x").mkdir(parents=True), ""),
    "a fifo": (lambda path: os.mkfifo(path), "is no regular file"),
}


def filled_other(path: Path, table: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(table)
        db.commit()
