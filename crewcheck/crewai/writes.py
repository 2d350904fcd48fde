"""Makes CrewAI's checkpoint writing dependable, in this process only.

CrewAI dumps its event record without the record's lock while other threads add to it, and
loses the write; in flows the same race is a panic that ends the run. It writes JSON in
place, so that a kill leaves half a file. Two writes at once name the same parent. And its
SQLite provider needs ``jsonb()``, which many Pythons' SQLite lacks; what it stores is read
with ``json()``, which takes text as well. What else a dump gets wrong is in `dumps`.
"""

from __future__ import annotations

import functools
import inspect
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from crewcheck.crewai import dumps
from crewcheck.crewai.turns import Turns

_ATTEMPTS = 40
_turns = Turns()
#: The numbers of the events that are to cause a checkpoint, by the ids of their objects.
_announced: dict[int, int] = {}
_done: set[str] = set()
#: Types of events that cause no checkpoint for now.
held: set[str] = set()


def harden() -> None:
    """Change how CrewAI writes checkpoints. What a version does not have is left alone."""
    if _done:
        return
    _done.add("writes")
    from crewai.state import checkpoint_listener
    from crewai.state.event_record import EventRecord
    from crewai.state.provider.json_provider import JsonProvider
    from crewai.state.provider.sqlite_provider import SqliteProvider
    from crewai.state.runtime import RuntimeState

    dumps.harden()
    EventRecord.model_dump = _with_read_lock(EventRecord.model_dump)
    RuntimeState.model_dump = _tried_again(RuntimeState.model_dump)
    write = getattr(checkpoint_listener, "_do_checkpoint", None)
    if write is not None:
        checkpoint_listener._do_checkpoint = _serialized(write)
        if "event" in inspect.signature(write).parameters:
            from crewai.events.event_bus import CrewAIEventsBus

            CrewAIEventsBus.emit = _announcing(CrewAIEventsBus.emit, checkpoint_listener)
    if _takes_branch(JsonProvider.checkpoint):
        JsonProvider.checkpoint = _write_json
    if _takes_branch(SqliteProvider.checkpoint):
        SqliteProvider.checkpoint = _write_row


def _takes_branch(method: Callable[..., Any]) -> bool:
    return "branch" in inspect.signature(method).parameters


def _with_read_lock(dump: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(dump)
    def model_dump(self: Any, *args: Any, **named: Any) -> Any:
        lock = getattr(self, "_lock", None)
        if lock is None:
            return dump(self, *args, **named)
        with lock.r_locked():
            return dump(self, *args, **named)

    return model_dump


def _tried_again(dump: Callable[..., Any]) -> Callable[..., Any]:
    """The entities have no lock: another thread may change one while it is dumped."""

    @functools.wraps(dump)
    def again(self: Any, *args: Any, **named: Any) -> Any:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return dump(self, *args, **named)
            except BaseException as error:
                if not _is_race(error) or attempt == _ATTEMPTS:
                    raise
                time.sleep(0.002 * attempt)
        raise AssertionError("unreachable")

    return again


def _is_race(error: BaseException) -> bool:
    # a panic of the serializer is no Exception
    text = str(error)
    return "during iteration" in text or type(error).__name__ == "PanicException"


def _announcing(emit: Callable[..., Any], listener: Any) -> Callable[..., Any]:
    """The bus writes in threads, and the thread of a later event may be there first."""

    @functools.wraps(emit)
    def announced(self: Any, source: Any, event: Any) -> Any:
        number = None
        with suppress(Exception):
            if listener._should_checkpoint(source, event):
                number = _announced[id(event)] = _turns.announce()
        if number is None:
            return emit(self, source, event)

        def over(_: Any = None) -> None:
            _announced.pop(id(event), None)
            _turns.withdraw(number)

        handled = None
        try:
            handled = emit(self, source, event)
        finally:
            if handled is None:
                over()
            else:
                handled.add_done_callback(over)
        return handled

    return announced


def _serialized(write: Callable[..., Any]) -> Callable[..., Any]:
    """One write after the other, in the order of their events, so that each follows the one
    before."""

    @functools.wraps(write)
    def one(*args: Any, **named: Any) -> Any:
        event = named.get("event", args[2] if len(args) > 2 else None)
        if getattr(event, "type", None) in held:
            return None
        with _turns.turn(_announced.pop(id(event), None)):
            try:
                return write(*args, **named)
            except Exception:
                raise
            except BaseException as error:
                if type(error).__name__ != "PanicException":
                    raise
                raise RuntimeError(str(error)) from error

    return one


def _write_json(
    self: Any, data: str, location: str, *, parent_id: str | None = None, branch: str = "main"
) -> str:
    """Write a checkpoint file so that it is there whole or not at all."""
    from crewai.state.provider import json_provider

    path: Path = json_provider._build_path(location, branch, parent_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(half, "w", encoding="utf-8") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
    return str(path)


#: what the tables of CrewAI 1.14.1 have not; the document has both
_LATER = ("parent_id", "branch")


def _write_row(
    self: Any, data: str, location: str, *, parent_id: str | None = None, branch: str = "main"
) -> str:
    """Insert a checkpoint as JSONB, or as text where this SQLite has no JSONB."""
    from crewai.state.provider import sqlite_provider

    database: Any = getattr(sqlite_provider, "sqlite3", sqlite3)
    checkpoint_id, created_at = sqlite_provider._make_id()
    row = {"id": checkpoint_id, "created_at": created_at, "parent_id": parent_id, "branch": branch}
    Path(location).parent.mkdir(parents=True, exist_ok=True)
    with closing(database.connect(location, timeout=30)) as connection, connection:
        if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(sqlite_provider._CREATE_TABLE)
        known = {one[1] for one in connection.execute("PRAGMA table_info(checkpoints)")}
        names = [name for name in row if name in known or name not in _LATER]
        insert = (
            f"INSERT INTO checkpoints ({', '.join(names)}, data) "
            f"VALUES ({', '.join('?' * len(names))}, {{}})"
        )
        values = [*(row[name] for name in names), data]
        try:
            connection.execute(insert.format("jsonb(?)"), values)
        except database.OperationalError as error:
            if "jsonb" not in str(error):
                raise
            connection.execute(insert.format("?"), values)
    return f"{location}#{checkpoint_id}"
