"""Reading an SQLite file without leaving a trace beside it: the one place that opens any.

SQLite makes, changes and removes ``-wal`` and ``-shm`` files even for readers, so how a
file is opened depends on what lies beside it (measured with 3.40 and 3.54):

* no ``-wal``, or an empty one, and no rollback journal: ``immutable=1``. SQLite then takes
  no locks, so the result counts only if the files were the same before and after.
* a ``-wal`` with its ``-shm``: ``mode=ro&readonly_shm=1``. A plain ``mode=ro`` writes its
  read mark into the ``-shm``. It takes part in the locking, sees the newest commit, and
  where the writer was killed SQLite builds the index of the ``-wal`` in memory.
* a rollback journal: the same; SQLite tells a live writer from a killed one.
* whatever cannot be read so (a ``-wal`` without ``-shm``, a journal that must be rolled
  back, a lock that stays): from a copy in a temporary folder, kept until the original
  changes. A copy of files that did not change meanwhile is what a crash would have left.

One trace is left to a race: a ``-wal`` that its writer removes between look and open comes
back, empty. And closing a file that `open` has opened here drops the locks that *this
process* holds on it (POSIX): a writer of ours must not be at work then.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from typing import Any, Final, NamedTuple, TypeVar

from crewcheck.errors import NotFound, Unreadable

T = TypeVar("T")
Stamp = tuple[int, int, int]

PATIENCE: Final = 2.0  # seconds to wait for a lock
LINGER: Final = 0.5  # seconds (up to twice that) for which an idle connection is kept
# ages in ns below which a file may have changed unseen (the file system's clock ticks), and
# below which its writer may be about to close: it leaves the -wal behind if a reader is there
_TICK, _QUIET = 20_000_000, 10_000_000_000

_QUERIES = {"immutable": "mode=ro&immutable=1", "shared": "mode=ro&readonly_shm=1", "copy": ""}
_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/:._-~")
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_NOT_SHARED = {getattr(sqlite3, f"SQLITE_{x}") for x in ("CANTOPEN", "IOERR", "PERM", "READONLY")}

_TEXT_SIZE = "octet_length({0})" if sqlite3.sqlite_version_info >= (3, 43) else "NULL"
#: SQL for the bytes of a blob or text; NULL for a text that would have to be read for it
SIZE: Final = f"CASE typeof({{0}}) WHEN 'blob' THEN length({{0}}) WHEN 'text' THEN {_TEXT_SIZE} END"


class DamagedDatabase(Unreadable):
    """The database file itself is damaged; parts of it may still be readable."""


class _State(NamedTuple):
    """``(inode, size, mtime_ns)`` of the files of a database, None for missing or empty."""

    main: Stamp
    wal: Stamp | None
    journal: Stamp | None
    shm: bool


class Reader:
    """Reads one SQLite file, from any thread, one call at a time. Between calls no
    transaction is open, and after `LINGER` no file."""

    def __init__(self, path: str) -> None:
        self.path = path
        #: what SQLite said of damage that the last `run` met, None if it met none
        self.damage: str | None = None
        # SQLite looks for the other files beside the file that a link points to
        self._file = path if "\0" in path else os.path.realpath(path)
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[_State, str, bool] | None = None
        self._copy: tuple[_State, Any] | None = None  # the folder of the copy
        self._used = 0.0
        self._timer: threading.Timer | None = None

    def fingerprint(self) -> object:
        """Differs when the database may have changed. Take it *before* reading."""
        return _stamp(self._file), _stamp(self._file + "-wal")

    def run(self, work: Callable[[sqlite3.Connection], T], forgiving: bool = False) -> T:
        """What ``work`` returns for a read-only connection. It may be called repeatedly, and
        must leave no cursor open (see `rows`). Raises `NotFound`, `Unreadable`, and
        `DamagedDatabase` when a second look, and a ``forgiving`` one, found damage too."""
        with self._lock:
            try:
                return self._run(work, forgiving)
            finally:
                self._used = time.monotonic()
                if self._timer is None and self._connection is not None:
                    self._wait()

    def _run(self, work: Callable[[sqlite3.Connection], T], forgiving: bool) -> T:
        damage = None
        aside = locking = False
        tries, deadline = 3, time.monotonic() + PATIENCE
        while True:
            before = self._look()
            how = "shared" if before.wal or before.journal or locking else "immutable"
            copied = self._copy is not None and self._copy[0] == before
            if aside or copied or (before.wal and not before.shm):
                how = "copy"
            error = None
            age = time.time_ns() - max(before.main[2], before.wal[2] if before.wal else 0)
            try:
                result = work(self._connected(before, how, forgiving))
            except sqlite3.Error as problem:
                error = problem
            changed = self._look() != before or (how != "shared" and 0 <= age < _TICK)
            if error is None and (how == "shared" or not changed):
                self.damage = damage if forgiving else None
                if how == "shared" and 0 <= age < _QUIET:
                    self._disconnect()
                return result
            self._disconnect()
            tries -= 1
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if (
                code == sqlite3.SQLITE_CORRUPT
                and not forgiving
                and (how == "shared" or not changed)
            ):
                # perhaps a writer was at it: look again, then take what can be read
                forgiving, damage = damage is not None, str(error)
            elif (changed or code in _LOCKED) and (tries > 0 or time.monotonic() < deadline):
                if how == "immutable":  # wait for the writer's locks, where that makes no -wal
                    with suppress(OSError), open(self._file, "rb") as file:
                        locking = 2 not in file.read(20)[18:]
                time.sleep(0.01)
            elif how == "shared" and not changed and code in _NOT_SHARED | _LOCKED:
                aside = True
            else:
                raise _explained(self.path, error, code if error else sqlite3.SQLITE_BUSY)

    def close(self) -> None:
        """Close the connection and remove the copy. The reader can be used again."""
        with self._lock:
            self._disconnect()
            self._forget_copy()
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None

    def _look(self) -> _State:
        """The files as they are now. Raises where there is no file to be read."""
        try:
            found = os.stat(self._file)
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"no such file: {self.path}") from None
        except (OSError, ValueError) as error:
            raise _unreadable(self.path, error) from None
        if not os.path.isfile(self._file):
            raise Unreadable(f"{self.path} is no regular file, so no SQLite database")
        if not found.st_size:
            raise Unreadable(f"{self.path} is an empty file, not a store", "wait for the first row")
        wal, journal = _stamp(self._file + "-wal"), _stamp(self._file + "-journal")
        return _State(
            (found.st_ino, found.st_size, found.st_mtime_ns),
            wal if wal and wal[1] else None,
            journal if journal and journal[1] else None,
            os.path.exists(self._file + "-shm"),
        )

    def _connected(self, state: _State, how: str, forgiving: bool) -> sqlite3.Connection:
        """A connection for this state: the open one if nothing has changed since."""
        wanted = (state, how, forgiving)
        if self._connection is not None and self._opened == wanted:
            return self._connection
        self._disconnect()
        uri = _uri(self._copied(state) if how == "copy" else self._file, _QUERIES[how])
        self._connection = connection = sqlite3.connect(
            uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False
        )
        self._opened = wanted
        connection.execute("PRAGMA query_only=ON").close()
        connection.execute("PRAGMA trusted_schema=OFF").close()
        if forgiving:  # then SQLite also reads a file that has lost its end
            connection.execute("PRAGMA writable_schema=ON").close()
        if how == "shared" and self._look() != state:  # a -wal that is gone would be made anew
            raise sqlite3.OperationalError("it is being changed")
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._opened = None

    def _copied(self, state: _State) -> str:
        import shutil
        import tempfile

        if self._copy is None or self._copy[0] != state:
            self._forget_copy()
            try:
                self._copy = (state, tempfile.TemporaryDirectory(prefix="crewcheck-"))
                for name in ("", "-wal", "-journal"):
                    with suppress(FileNotFoundError):
                        shutil.copyfile(self._file + name, f"{self._copy[1].name}/copy.db{name}")
            except OSError as error:
                self._forget_copy()
                raise _unreadable(self.path, error, "a copy of it could not be made: ") from None
        return f"{self._copy[1].name}/copy.db"

    def _forget_copy(self) -> None:
        if self._copy is not None:
            self._copy[1].cleanup()
        self._copy = None

    def _wait(self) -> None:
        self._timer = timer = threading.Timer(LINGER, self._expire)
        timer.daemon = True
        timer.start()

    def _expire(self) -> None:
        with self._lock:
            if self._timer is threading.current_thread():
                self._timer = None
                if time.monotonic() - self._used < LINGER:
                    self._wait()
                else:
                    self._disconnect()


def sqlite_kind(path: str) -> str | None:
    """What an SQLite file holds, by its tables: ``checkpoints``, ``flow-states``, ``both`` or
    None. Raises `NotFound`, or `Unreadable` for what is no SQLite database."""
    with closing(Reader(path)) as reader:
        found = reader.run(lambda db: (columns(db, "checkpoints"), columns(db, "flow_states")))
    kinds = {(True, True): "both", (True, False): "checkpoints", (False, True): "flow-states"}
    return kinds.get(({"id", "data"} <= found[0], {"flow_uuid", "state_json"} <= found[1]))


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table or view, in lower case; empty where there is none."""
    found = rows(connection, "SELECT name FROM pragma_table_info(?)", (table,))
    return {str(name).lower() for (name,) in found}


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
            return cursor.fetchall()
    except sqlite3.OperationalError as error:
        # SQLite's own errors have a code, the one about decoding has none
        if hasattr(error, "sqlite_errorcode") or text is readable:
            raise
        return rows(connection, sql, parameters, readable)


def readable(value: object) -> str:
    """A column's value as text that can be shown, whatever its type."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def _stamp(path: str) -> Stamp | None:
    with suppress(OSError, ValueError):
        found = os.stat(path)
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


def _uri(path: str, query: str) -> str:
    if os.name == "nt":
        path = "/" + path.replace("\\", "/")
    quoted = "".join(chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in os.fsencode(path))
    return f"file://{quoted}?{query}"


def _unreadable(path: str, error: Exception, why: str = "") -> Unreadable:
    reason = getattr(error, "strerror", None) or str(error)
    return Unreadable(f"{path} cannot be read: {why}{reason.lower()}")


def _explained(path: str, error: sqlite3.Error | None, code: int) -> Unreadable:
    """The error in one line that names the file, the reason and the way out."""
    if code in _LOCKED:
        reason = f"locked by another program (waited {PATIENCE:.0f} s)"
        return Unreadable(f"{path} is {reason}", "try again when it has finished writing")
    if code == sqlite3.SQLITE_NOTADB:
        hint = "give a folder of JSON checkpoints or a SQLite file"
        return Unreadable(f"{path} is no SQLite database, or it is encrypted", hint)
    if code == sqlite3.SQLITE_CORRUPT:
        hint = "to repair it, work on a copy: `sqlite3 COPY .recover`"
        return DamagedDatabase(f"{path} is damaged: {error}", hint)
    reason = str(error) if os.access(path, os.R_OK) else "permission denied"
    return Unreadable(f"{path} cannot be read: {reason}")
