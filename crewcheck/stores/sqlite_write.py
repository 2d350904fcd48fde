"""Adding a checkpoint to a database that CrewAI or crewcheck made, in one transaction.

The data goes in as SQLite's binary JSON, as CrewAI writes it, or as JSON text where the
SQLite at hand has none (before 3.45); CrewAI reads both. The journal mode stays as it is.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from urllib.parse import quote

from crewcheck.errors import Refused, Unreadable
from crewcheck.stores.sqlite_query import Garbled

_BUSY_SECONDS = 10.0
_JSONB_SINCE = (3, 45, 0)
#: what CrewAI 1.14.1 had not
_LATER = ("parent_id", "branch")


def add_row(
    path: str, data: bytes, *, id: str, created_at: str, parent_id: str | None, branch: str
) -> None:
    """Add one row. Raises `Refused` where the id is taken, `Unreadable` where it cannot be."""
    uri = f"file:{quote(os.fsencode(path))}?mode=rw"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as connection:
            connection.isolation_level = None
            connection.execute("BEGIN IMMEDIATE")
            try:
                _insert(connection, data, id, created_at, parent_id, branch)
            except BaseException:
                if connection.in_transaction:  # a full disk has ended it
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
    except sqlite3.IntegrityError as error:
        if "checkpoints.id" in str(error):
            raise Refused(f"checkpoint {id} exists already in {path}") from None
        raise Unreadable(f"{path} does not take the checkpoint: {error}") from None
    except sqlite3.Error as error:
        locked = "locked" in str(error) or "busy" in str(error)
        hint = "another program is writing it; try again" if locked else ""
        raise Unreadable(f"{path} cannot be written: {error}", hint) from None
    except UnicodeDecodeError:
        raise Unreadable(f"{path} cannot be written: {Garbled()}") from None


def _insert(
    connection: sqlite3.Connection,
    data: bytes,
    id: str,
    created_at: str,
    parent_id: str | None,
    branch: str,
) -> None:
    known = {row[1] for row in connection.execute("PRAGMA table_info(checkpoints)")}
    values = {"id": id, "created_at": created_at, "parent_id": parent_id, "branch": branch}
    names = [name for name in values if name in known or name not in _LATER]
    binary = sqlite3.sqlite_version_info >= _JSONB_SINCE
    connection.execute(
        f"INSERT INTO checkpoints ({', '.join(names)}, data) "
        f"VALUES ({', '.join('?' * len(names))}, {'jsonb(?)' if binary else '?'})",
        [*(values[name] for name in names), data.decode("ascii")],
    )
