"""Asking an open SQLite database: rows, columns and sizes, whatever it holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, Final

_TEXT_SIZE = "octet_length({0})" if sqlite3.sqlite_version_info >= (3, 43) else "NULL"
#: SQL for the bytes of a blob or text; NULL for a text that would have to be read for it
SIZE: Final = f"CASE typeof({{0}}) WHEN 'blob' THEN length({{0}}) WHEN 'text' THEN {_TEXT_SIZE} END"

_BATCH = 5_000
#: A row of a table takes at least as many bytes of the file; a view can give any number.
_LEAST = 4


class Endless(sqlite3.OperationalError):
    """A query gave more rows than its file can hold."""

    sqlite_errorcode = sqlite3.SQLITE_INTERRUPT


class Garbled(sqlite3.DatabaseError):
    """What SQLite says of the damage quotes bytes that are no text, and sqlite3 fails at them."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT

    def __init__(self) -> None:
        super().__init__("malformed database schema, which is no text")


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table or view, in lower case; empty where there is none."""
    # "x": with generated ones; the hidden ones (1) are arguments of virtual tables
    found = rows(connection, "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1", (table,))
    return {str(name).lower() for (name,) in found}


def row_number(connection: sqlite3.Connection, table: str) -> str | None:
    """What the number of a row is called in a table (a column can have taken any of its
    names). None where rows have none: in a view, or a table WITHOUT ROWID."""
    # some builds of SQLite answer NULL for a view instead of refusing
    view = "SELECT 1 FROM sqlite_master WHERE type = 'view' AND lower(name) = ?"
    if rows(connection, view, (table,)):
        return None
    taken = columns(connection, table)
    for name in ("_rowid_", "rowid", "oid"):
        if name in taken:
            continue
        try:
            rows(connection, f"SELECT {name} FROM {table} LIMIT 0")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                raise
            return None
        return name
    return None


def rows(
    connection: sqlite3.Connection,
    sql: str,
    parameters: Sequence[object] = (),
    text: Callable[[bytes], Any] = str,
) -> list[tuple[Any, ...]]:
    """All rows of a query, its cursor closed. Texts that are no UTF-8 do not hide others."""
    connection.text_factory = text
    try:
        with closing(connection.execute(sql, parameters)) as cursor:
            found = cursor.fetchmany(_BATCH)
            if len(found) < _BATCH:
                return found
            most = _BATCH + _file_size(connection) // _LEAST
            while batch := cursor.fetchmany(_BATCH):
                found += batch
                if len(found) > most:
                    raise Endless("it gives more rows than the file can hold")
            return found
    except sqlite3.OperationalError as error:
        # SQLite's own errors have a code, the one about decoding has none
        if hasattr(error, "sqlite_errorcode") or text is readable:
            raise
        return rows(connection, sql, parameters, readable)
    except UnicodeDecodeError:
        raise Garbled from None


def readable(value: object) -> str:
    """A column's value as text that can be shown, whatever its type."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def _file_size(connection: sqlite3.Connection) -> int:
    size = 1
    for pragma in ("page_count", "page_size"):
        with closing(connection.execute(f"PRAGMA {pragma}")) as cursor:
            size *= cursor.fetchone()[0]
    return size
