"""Asking SQLite whether a database file is whole."""

from __future__ import annotations

import sqlite3
from typing import Final

from crewcheck.stores.sqlite_open import DamagedDatabase, Reader
from crewcheck.stores.sqlite_query import readable, rows

_MOST = 50
#: All pages are read: a large database takes its time.
_LIMIT: Final = 600.0


def integrity(reader: Reader, table: str = "checkpoints") -> list[str]:
    """What SQLite's full check says against a database, a line each; nothing if it is well.

    Not its quick check: that one does not compare indexes with their tables. Raises
    `Unreadable`.
    """
    try:
        return reader.run(_integrity, limit=_LIMIT, table=table)
    except DamagedDatabase as error:
        return [error.message]


def _integrity(db: sqlite3.Connection) -> list[str]:
    said = rows(db, f"PRAGMA integrity_check({_MOST})", text=readable)
    lines = [line for (one,) in said for line in readable(one).splitlines()]
    return [line for line in lines if line != "ok" and not line.startswith("*** in database")]
