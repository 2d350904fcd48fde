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
  back, a lock that stays): from a copy in a temporary folder, which is removed at once and
  read through the open files until the original changes. A copy of files that did not
  change meanwhile is what a crash would have left.
* a ``-wal`` that is none, by its header: as if it were not there.

A view can go on for ever, so a call has a time limit; and Ctrl-C ends a query at once.

One trace is left to a race: a ``-wal`` that its writer removes between look and open comes
back, empty. And closing a file that `open` has opened here drops the locks that *this
process* holds on it (POSIX): a writer of ours must not be at work then.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Final, TypeVar

from crewcheck.errors import Unreadable
from crewcheck.stores.base import MAX_BYTES, TOO_LARGE
from crewcheck.stores.files import read_regular
from crewcheck.stores.sqlite_files import Files, State
from crewcheck.stores.sqlite_query import Endless, Garbled, columns

T = TypeVar("T")

PATIENCE: Final = 2.0  # seconds to wait for a lock
LINGER: Final = 0.5  # seconds (up to twice that) for which an idle connection is kept
SCAN_LIMIT: Final = 10.0  # seconds that a query of small columns may take
DATA_LIMIT: Final = 30.0  # seconds that reading one row may take
#: bytes a second of a slow disk: so much longer a query may take in a large file
_SLOW_DISK = 20e6
_OPCODES = 20_000  # steps of SQLite (a millisecond or so) between two looks at the clock
# ages in ns below which a file may have changed unseen (the file system's clock ticks), and
# below which its writer may be about to close: it leaves the -wal behind if a reader is there
_TICK, _QUIET = 20_000_000, 10_000_000_000

_QUERIES = {"immutable": "mode=ro&immutable=1", "shared": "mode=ro&readonly_shm=1", "copy": ""}
_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/:._-~")
# SQLite has tried for ten seconds before it says PROTOCOL: no use in asking again
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_STUCK = _LOCKED | {sqlite3.SQLITE_PROTOCOL}
_NOT_SHARED = {getattr(sqlite3, f"SQLITE_{x}") for x in ("CANTOPEN", "IOERR", "PERM", "READONLY")}


class DamagedDatabase(Unreadable):
    """The database file itself is damaged; parts of it may still be readable."""


class TooLarge(Unreadable):
    """A value that is not read for its size."""


class _BeingChanged(sqlite3.OperationalError):
    """What lies beside a database changed while it was opened."""

    sqlite_errorcode = sqlite3.SQLITE_BUSY


class Reader:
    """Reads one SQLite file, from any thread, one call at a time. Between calls no
    transaction is open, and after `LINGER` no file."""

    def __init__(self, path: str) -> None:
        self.path = path
        #: what SQLite said of damage that the last `run` met, None if it met none
        self.damage: str | None = None
        self._files = Files(path)
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[State, str, bool] | None = None
        self._used = 0.0
        self._until = 0.0  # when the query at work is to be given up
        self._timer: threading.Timer | None = None

    def fingerprint(self) -> object:
        """Differs when the database may have changed. Take it *before* reading."""
        return self._files.fingerprint()

    def state(self) -> str:
        """A text that is the same only while nothing in the database changes, empty where it
        has just been written (twice within a tick of the clock, perhaps). As `fingerprint`."""
        return self._files.state()

    def run(
        self,
        work: Callable[[sqlite3.Connection], T],
        forgiving: bool = False,
        limit: float | None = None,
        table: str = "checkpoints",
    ) -> T:
        """What ``work`` returns for a read-only connection. It may be called repeatedly, and
        must leave no cursor open (see `rows`). Raises `NotFound`, `Unreadable` (also after
        ``limit`` seconds in ``table``), and `DamagedDatabase` when a second look, and a
        ``forgiving`` one, found damage too."""
        with self._lock:
            try:
                return self._run(work, forgiving, SCAN_LIMIT if limit is None else limit, table)
            finally:
                self._used = time.monotonic()
                if self._timer is None and self._connection is not None:
                    self._wait()

    def _run(
        self, work: Callable[[sqlite3.Connection], T], forgiving: bool, limit: float, table: str
    ) -> T:
        damage = None
        aside = locking = False
        allowed = limit
        tries, deadline = 3, time.monotonic() + PATIENCE
        while True:
            before = self._files.look()
            how = "shared" if before.log or before.journal or locking else "immutable"
            copied = self._opened is not None and self._opened[:2] == (before, "copy")
            beside = before.wal and (not before.shm or not before.log)
            if aside or copied or (how == "shared" and beside):
                how = "copy"
            error = None
            age = time.time_ns() - max(before.main[2], before.wal[2] if before.wal else 0)
            try:
                connection = self._connected(before, how, forgiving)
                allowed = limit + before.main[1] // _SLOW_DISK
                self._until = time.monotonic() + allowed
                result = work(connection)
            except (sqlite3.Error, UnicodeDecodeError) as problem:
                error = problem if isinstance(problem, sqlite3.Error) else Garbled()
            changed = self._files.look() != before or (how != "shared" and 0 <= age < _TICK)
            if error is None and (how == "shared" or not changed):
                self.damage = damage if forgiving else None
                if how == "shared" and 0 <= age < _QUIET:
                    self._disconnect()
                return result
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if how != "copy" or changed:  # a copy would have to be made again
                self._disconnect()
            if error is not None and code == sqlite3.SQLITE_INTERRUPT:
                self._give_up(error, allowed, table)
            tries -= 1
            if (
                code == sqlite3.SQLITE_CORRUPT
                and not forgiving
                and (how == "shared" or not changed)
            ):
                # perhaps a writer was at it: look again, then take what can be read
                forgiving, damage = damage is not None, str(error)
            elif (changed or code in _LOCKED) and (tries > 0 or time.monotonic() < deadline):
                if how == "immutable":  # wait for the writer's locks, where that makes no -wal
                    with suppress(OSError, ValueError):
                        locking = 2 not in read_regular(self._files.main, 20)[18:]
                time.sleep(0.01)
            elif how == "shared" and not changed and code in _NOT_SHARED | _STUCK:
                aside = True
            else:
                raise _explained(self.path, error, code if error else sqlite3.SQLITE_BUSY)

    def close(self) -> None:
        """Close the connection. The reader can be used again."""
        with self._lock:
            self._disconnect()
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None

    def _give_up(self, error: sqlite3.Error, limit: float, table: str) -> None:
        """Say why a query was stopped."""
        if isinstance(error, Endless):
            why = "gives more rows than the file can hold"
        elif time.monotonic() > self._until:
            why = f"did not come to an end within {limit:g} s"
        else:  # it was raised in `_overdue`, where sqlite3 has swallowed it
            raise KeyboardInterrupt
        raise Unreadable(
            f"{self.path} cannot be read: its table or view `{table}` {why}",
            f"look at what makes it: `sqlite3 {self.path} .schema`",
        ) from None

    def _overdue(self) -> bool:
        return time.monotonic() > self._until

    def _connected(self, state: State, how: str, forgiving: bool) -> sqlite3.Connection:
        """A connection for this state: the open one if nothing has changed since."""
        wanted = (state, how, forgiving)
        self._until = time.monotonic() + SCAN_LIMIT
        if self._connection is None or self._opened is None or self._opened[:2] != wanted[:2]:
            self._disconnect()
            if how == "copy":
                with self._files.copied(state) as copy:
                    connection = self._connect(copy, how)
                    # now it has all files open, and the folder can go
                    with suppress(sqlite3.Error):
                        connection.execute("SELECT count(*) FROM sqlite_master").close()
            else:
                connection = self._connect(self._files.main, how)
        elif self._opened == wanted:
            return self._connection
        else:
            connection = self._connection
        self._opened = wanted
        # ON: then SQLite also reads a file that has lost its end
        connection.execute(f"PRAGMA writable_schema={'ON' if forgiving else 'OFF'}").close()
        if how == "shared" and self._files.look() != state:
            # a -wal that is gone would be made anew
            raise _BeingChanged("it is being changed")
        return connection

    def _connect(self, file: str, how: str) -> sqlite3.Connection:
        self._connection = connection = sqlite3.connect(
            _uri(file, _QUERIES[how]),
            uri=True,
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
        connection.set_progress_handler(self._overdue, _OPCODES)
        connection.execute("PRAGMA query_only=ON").close()
        connection.execute("PRAGMA trusted_schema=OFF").close()
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._opened = None

    def _wait(self) -> None:
        self._timer = timer = threading.Timer(LINGER, self._expire)
        timer.daemon = True
        timer.start()

    def _expire(self) -> None:
        with self._lock:
            if self._timer is threading.current_thread():
                self._timer = None
                if self._opened is not None and self._opened[1] == "copy":
                    return  # it is in nobody's way, and would have to be made again
                if time.monotonic() - self._used < LINGER:
                    self._wait()
                else:
                    self._disconnect()


def sqlite_kind(path: str) -> str | None:
    """What an SQLite file holds, by its tables: ``checkpoints``, ``flow-states``, ``both``,
    ``task-outputs`` or None. Raises `NotFound`, or `Unreadable` for what is no SQLite database."""
    with closing(Reader(path)) as reader:
        tables = ("checkpoints", "flow_states", "latest_kickoff_task_outputs")
        found = reader.run(lambda db: [columns(db, table) for table in tables])
        damage = reader.damage
    kinds = {(True, True): "both", (True, False): "checkpoints", (False, True): "flow-states"}
    kind = kinds.get(({"id", "data"} <= found[0], {"flow_uuid", "state_json"} <= found[1]))
    if kind is None and {"task_id", "output", "task_index"} <= found[2]:
        return "task-outputs"
    if kind is None and damage is not None:
        # its tables may be where nothing can be read
        raise _damaged(path, damage)
    return kind


def _uri(path: str, query: str) -> str:
    if os.name == "nt":
        path = "/" + path.replace("\\", "/")
    quoted = "".join(chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in os.fsencode(path))
    return f"file://{quoted}?{query}"


def _explained(path: str, error: sqlite3.Error | None, code: int) -> Unreadable:
    """The error in one line that names the file, the reason and the way out."""
    if code in _STUCK:
        reason = f"locked by another program (waited {PATIENCE:.0f} s)"
        return Unreadable(f"{path} is {reason}", "try again when it has finished writing")
    if code == sqlite3.SQLITE_NOTADB:
        hint = "give a folder of JSON checkpoints or a SQLite file"
        return Unreadable(f"{path} is no SQLite database, or it is encrypted", hint)
    if code == sqlite3.SQLITE_CORRUPT:
        return _damaged(path, error)
    if code == sqlite3.SQLITE_TOOBIG:
        return TooLarge(f"{path} holds a value that is {TOO_LARGE}")
    reason = str(error) if os.access(path, os.R_OK) else "permission denied"
    return Unreadable(f"{path} cannot be read: {reason}")


def _damaged(path: str, reason: object) -> DamagedDatabase:
    hint = "to repair it, work on a copy: `sqlite3 COPY .recover`"
    return DamagedDatabase(f"{path} is damaged: {reason}", hint)
