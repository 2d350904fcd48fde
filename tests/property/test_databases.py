"""Whatever is done to the file of a database: what can be read is listed, the rest is said."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from crewcheck.engine.catalog import Catalog
from crewcheck.engine.inspect import inspect
from crewcheck.engine.redaction import Redactor
from crewcheck.engine.rows import row
from crewcheck.errors import NotFound, Unreadable
from crewcheck.stores.detect import open_path
from tests.property.many import Count, both, many
from tests.property.material import mutated, small, to_jsonb

TABLES = (
    "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT, parent_id TEXT, branch TEXT,"
    " data JSONB)",
    "CREATE TABLE checkpoints (id, created_at, data, parent_id, branch)",
    "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, data, branch, created_at, parent_id)"
    " WITHOUT ROWID",
)
REDACTOR = Redactor()


def databases(folder: Path) -> list[bytes]:
    """Small databases of several layouts; one with a log of what was committed last."""
    made = []
    for number, table in enumerate(TABLES):
        path = folder / f"made-{number}.db"
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA page_size=1024")
            db.execute(table)
            for place in range(6):
                document = small()[place % len(small())]
                data = json.dumps(document) if place % 3 else to_jsonb(document)
                id = f"20261129T1700{place:02}_{place:08x}"
                columns = "id, created_at, parent_id, branch, data"
                db.execute(
                    f"INSERT INTO checkpoints ({columns}) VALUES (?, ?, ?, 'main', ?)",
                    (id, id[:15], None, data),
                )
            db.commit()
        made.append(path.read_bytes())
        path.unlink()
    return [*made, flow_states(folder / "made.db")]


def flow_states(path: Path) -> bytes:
    """A database of `@persist`: states, and a question that waits."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "PRAGMA page_size=1024; CREATE TABLE flow_states (id INTEGER PRIMARY KEY AUTOINCREMENT,"
            " flow_uuid TEXT, method_name TEXT, timestamp DATETIME, state_json TEXT);"
            " CREATE TABLE pending_feedback (id INTEGER PRIMARY KEY AUTOINCREMENT, flow_uuid TEXT"
            " UNIQUE, context_json TEXT, state_json TEXT, created_at DATETIME)"
        )
        state = json.dumps({"id": "a", "text": "x" * 300})
        context = json.dumps({"flow_class": "m.Poem", "method_name": "ask", "message": "?"})
        for second in range(6):
            row = ("a", "begin", f"2026-11-29T17:00:0{second}+00:00", state)
            columns = "flow_uuid, method_name, timestamp, state_json"
            db.execute(f"INSERT INTO flow_states ({columns}) VALUES (?, ?, ?, ?)", row)
        columns = "flow_uuid, context_json, state_json"
        sql = f"INSERT INTO pending_feedback ({columns}) VALUES ('a', ?, ?)"
        db.execute(sql, (context, state))
        db.commit()
    data = path.read_bytes()
    path.unlink()
    return data


@both
def test_any_mutation_of_a_database(examples: int, record_property: Count, tmp_path: Path) -> None:
    whole = databases(tmp_path)

    def check(random: random.Random) -> None:
        path = tmp_path / "a.db"
        path.write_bytes(mutated(random.choice(whole), random))
        os.utime(path, (1, 1))  # nobody is writing
        read(str(path))
        assert [one.name for one in tmp_path.iterdir()] == ["a.db"]

    many(examples, check, record_property)


def read(path: str) -> None:
    try:
        catalog = Catalog(open_path(path).store)
    except Unreadable:
        return
    with catalog:
        catalog.read_summaries()
        for checkpoint in catalog.checkpoints:
            json.dumps(row(checkpoint, REDACTOR))
        for checkpoint in catalog.checkpoints[:3]:
            with suppress(Unreadable, NotFound):
                inspect(catalog, checkpoint, REDACTOR)
