"""The index: summaries that have been read, kept in the user's cache folder.

A row holds what a `Summary` does, for a document that had this size and this stamp (its
mtime, or its row number) when it was read: counts and names, no texts. Other summaries
(with a note of a person's edits, or with words that CrewAI would not write) are not kept;
nor is what may be different in a moment: files that have just been written, and documents
that could not be read or were being written.

The index can be deleted at any time. It is never a reason to fail: one that is damaged or
of another version is made anew, one that is locked or cannot be written is passed over.
``CREWCHECK_INDEX`` names another file (a file there that is not ours is left alone), or is
``off``.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, Final

from crewcheck.model.scan import (
    BEING_WRITTEN,
    EDITS_NOTE,
    GONE,
    Checkpoint,
    Damage,
    Summary,
)
from crewcheck.stores.files import read_regular

if TYPE_CHECKING:
    import sqlite3

VARIABLE: Final = "CREWCHECK_INDEX"
#: Changes with the meaning of a row, so with what a summary says of the same document.
VERSION: Final = 1

_APPLICATION: Final = 0x63726563
_MAGIC = b"SQLite format 3\0"
_BUSY_SECONDS = 0.25
#: A file may be written twice within a tick of its clock.
_YOUNG_NS = 2_000_000_000
_DAY = 86_400
#: Stores that were not looked at for so long are forgotten.
_FORGOTTEN_DAYS = 60
_FLEETING = frozenset({BEING_WRITTEN, GONE, "unreadable"})
_KINDS = frozenset({"crew", "flow", "agent", "workflow", "run", None})
_WORD = re.compile(r"[a-z0-9_]{1,64}")
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")
_LONGEST = 400

_COLUMNS = (
    "key, id, stamp, size, kind, name, done, total, status, trigger, version, parent_id, "
    "branch, lineage, run_key, notes, rule, message, offset"
)
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS stores (number INTEGER PRIMARY KEY, place TEXT UNIQUE, used INTEGER);
CREATE TABLE IF NOT EXISTS summaries (
    store INTEGER, {_COLUMNS}, PRIMARY KEY (store, key)
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
COMMIT;
PRAGMA journal_mode = WAL;
"""
_INSERT = f"INSERT OR REPLACE INTO summaries (store, {_COLUMNS}) VALUES (?{', ?' * 19})"


def open_index() -> Index | None:
    """The index of this user, None where it is switched off."""
    named = os.environ.get(VARIABLE)
    if named:
        path = os.path.abspath(os.path.expanduser(named))
        return None if named == "off" else Index(path, own_place=False)
    from platformdirs import user_cache_dir

    return Index(os.path.join(user_cache_dir("crewcheck", appauthor=False), "index.db"))


class Index:
    """The file of the index. ``own_place``: whatever is there may be replaced."""

    def __init__(self, path: str, own_place: bool = True) -> None:
        self.path = path
        self._own_place = own_place

    def recall(self, place: str, known: dict[str | int, Checkpoint]) -> set[str | int]:
        """Set the summaries of a store's checkpoints that are not read yet.

        ``place`` identifies the store. Returns the keys of the rows that are of no use
        any more.
        """
        useless: set[str | int] = set()

        def work(db: sqlite3.Connection) -> None:
            query = f"SELECT {_COLUMNS} FROM summaries WHERE store = ?"
            for row in db.execute(query, (_number(db, place),)):
                checkpoint = known.get(row[0])
                if checkpoint is None:
                    useless.add(row[0])
                    continue
                header = checkpoint.header
                if (header.id, header.stamp, header.size) != row[1:4]:
                    useless.add(row[0])
                elif checkpoint.summary is None:
                    checkpoint.summary = _summary(row)

        self._try(work, write=False)
        return useless

    def remember(
        self, place: str, read: Iterable[Checkpoint], useless: Iterable[str | int] = ()
    ) -> None:
        """Keep what was read, in one transaction, and drop the rows of ``useless`` keys."""
        now = time.time()
        rows = [row for one in read if (row := _row(one, now)) is not None]
        gone = list(useless)
        if not rows and not gone:
            return

        def work(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            day = int(now) // _DAY
            db.execute("INSERT OR IGNORE INTO stores (place) VALUES (?)", (place,))
            db.execute("UPDATE stores SET used = ? WHERE place = ?", (day, place))
            number = _number(db, place)
            _forget(db, number, day)
            db.executemany(
                "DELETE FROM summaries WHERE store = ? AND key = ?", [(number, key) for key in gone]
            )
            db.executemany(_INSERT, [(number, *row) for row in rows])
            db.execute("COMMIT")

        self._try(work, write=True)

    def _try(self, work: Any, write: bool) -> None:
        import sqlite3

        with suppress(OSError, ValueError, OverflowError, sqlite3.Error):
            found = self._look()
            if not (write if found == "nothing" else found == "ours"):
                return
            if found == "nothing":
                os.makedirs(os.path.dirname(self.path), 0o700, exist_ok=True)
                # the names in it are for the user's eyes only
                os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY, 0o600))
            try:
                with closing(sqlite3.connect(self.path, _BUSY_SECONDS, 0, None)) as db:
                    db.execute("PRAGMA synchronous = OFF")
                    if found == "nothing":
                        db.executescript(_SCHEMA)
                    work(db)
            except sqlite3.DatabaseError as error:
                code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
                if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):
                    self._delete()

    def _look(self) -> str:
        """``ours``, ``nothing`` that would be in the way of a new one, or ``other``."""
        try:
            head = read_regular(self.path, 100)
        except FileNotFoundError:
            return "nothing"
        if not head:
            return "nothing"
        ours = head.startswith(_MAGIC) and int.from_bytes(head[68:72], "big") == _APPLICATION
        if ours and int.from_bytes(head[60:64], "big") == VERSION:
            return "ours"
        if not ours and not self._own_place:
            return "other"
        self._delete()
        return "nothing"

    def _delete(self) -> None:
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(self.path + end)


def _number(db: sqlite3.Connection, place: str) -> int | None:
    found = db.execute("SELECT number FROM stores WHERE place = ?", (place,)).fetchone()
    return found[0] if found else None


def _forget(db: sqlite3.Connection, number: int | None, day: int) -> None:
    """Drop stores that are gone, or have not been looked at for long."""
    for other, place, used in db.execute("SELECT number, place, used FROM stores").fetchall():
        if other != number and (used < day - _FORGOTTEN_DAYS or not os.path.exists(place)):
            db.execute("DELETE FROM summaries WHERE store = ?", (other,))
            db.execute("DELETE FROM stores WHERE number = ?", (other,))


def _row(checkpoint: Checkpoint, now: float) -> tuple[Any, ...] | None:
    """What is kept of a checkpoint, None where nothing is."""
    header, one = checkpoint.header, checkpoint.summary
    if one is None or header.damage is not None or header.size is None:
        return None
    if type(header.key) is str and header.stamp > now * 1e9 - _YOUNG_NS:
        return None
    damage = one.damage
    if damage is not None and damage.rule in _FLEETING:
        return None
    if one.kind not in _KINDS or not _fits(_WORD, one.trigger) or not _fits(_VERSION, one.version):
        return None
    if any(note.startswith(EDITS_NOTE) or "\n" in note for note in one.notes):
        return None
    notes = "\n".join(one.notes)
    texts = (header.id, one.name, one.parent_id, one.branch, one.run_key, notes)
    if any(text is not None and (len(text) > _LONGEST or not _sound(text)) for text in texts):
        return None
    if type(header.key) is str and not _sound(header.key):
        return None
    return (
        header.key,
        header.id,
        header.stamp,
        header.size,
        one.kind,
        one.name,
        one.done,
        one.total,
        one.status,
        one.trigger,
        one.version,
        one.parent_id,
        one.branch,
        int(one.lineage_in_document),
        one.run_key,
        notes,
        damage.rule if damage else None,
        damage.message if damage else None,
        damage.offset if damage else None,
    )


def _fits(pattern: re.Pattern[str], text: str | None) -> bool:
    return text is None or pattern.fullmatch(text) is not None


def _sound(text: str) -> bool:
    """Whether a text has no halves of characters, which SQLite does not take."""
    return text.isascii() or not re.search("[\ud800-\udfff]", text)


def _summary(row: tuple[Any, ...]) -> Summary:
    return Summary(
        kind=row[4],
        name=row[5],
        done=row[6],
        total=row[7],
        status=row[8],
        trigger=row[9],
        version=row[10],
        parent_id=row[11],
        branch=row[12],
        lineage_in_document=bool(row[13]),
        run_key=row[14],
        notes=tuple(row[15].split("\n")) if row[15] else (),
        damage=Damage(row[16], row[17], row[18]) if row[16] is not None else None,
    )
