"""A program that writes and prunes checkpoints as fast as it can, as CrewAI does it.

``python -m tests.writer json|sqlite STORE COUNT KEPT`` prints the seconds that it took.
JSON files are opened, written in two pieces and closed; the oldest ones are unlinked.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections import deque
from contextlib import closing
from pathlib import Path

from tests.build import crew, document, ident, task


def text_of(number: int) -> str:
    parent = ident(number - 1) if number > 1 else None
    return json.dumps(document(crew(task(output=f"text {number}"), task("draft")), parent=parent))


def write_files(store: Path, count: int, kept: int) -> None:
    folder = store / "main"
    folder.mkdir(parents=True, exist_ok=True)
    there: deque[Path] = deque()
    for number in range(1, count + 1):
        text = text_of(number)
        parent = ident(number - 1) if number > 1 else "none"
        path = folder / f"{ident(number)}_p-{parent}.json"
        with open(path, "w") as file:
            file.write(text[:700])
            file.flush()
            file.write(text[700:])
        there.append(path)
        while len(there) > kept:
            there.popleft().unlink()


def write_rows(store: Path, count: int, kept: int) -> None:
    """With CrewAI's statements: a connection for each checkpoint, WAL, then a prune."""
    for number in range(1, count + 1):
        id, parent = ident(number), ident(number - 1) if number > 1 else None
        with closing(sqlite3.connect(store, timeout=30)) as db, db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(
                "CREATE TABLE IF NOT EXISTS checkpoints (id TEXT PRIMARY KEY, created_at TEXT,"
                " parent_id TEXT, branch TEXT, data JSONB)"
            )
            db.execute(
                "INSERT INTO checkpoints VALUES (?, ?, ?, 'main', ?)",
                (id, id.partition("_")[0], parent, text_of(number)),
            )
            if number > kept:
                db.execute(
                    "DELETE FROM checkpoints WHERE rowid NOT IN"
                    " (SELECT rowid FROM checkpoints ORDER BY rowid DESC LIMIT ?)",
                    (kept,),
                )


if __name__ == "__main__":
    kind, store, count, kept = sys.argv[1:]
    write = {"json": write_files, "sqlite": write_rows}[kind]
    began = time.perf_counter()
    write(Path(store), int(count), int(kept))
    print(time.perf_counter() - began)
