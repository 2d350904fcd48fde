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

import json
import os
import re
import time
from collections.abc import Callable, Iterable
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
VERSION: Final = 2

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

#: The first members of a summary, which many checkpoints have in common.
_Facts = tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any, Any]

# what many checkpoints have in common is one text: fewer columns are read faster
_COLUMNS = "key, id, stamp, size, parent_id, branch, run_key, facts"
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS stores (
    number INTEGER PRIMARY KEY, place TEXT UNIQUE, used INTEGER, state TEXT
);
CREATE TABLE IF NOT EXISTS summaries (
    store INTEGER, {_COLUMNS}, PRIMARY KEY (store, key)
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {VERSION};
COMMIT;
PRAGMA journal_mode = WAL;
"""
_INSERT = f"INSERT OR REPLACE INTO summaries (store, {_COLUMNS}) VALUES (?{', ?' * 8})"


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
        #: states with which all rows of a store have been compared, to be kept
        self._compared: dict[str, str] = {}

    def recall(
        self,
        place: str,
        known: dict[str | int, Checkpoint],
        state: str = "",
        measure: Callable[[], None] = lambda: None,
    ) -> set[str | int]:
        """Set the summaries of a store's checkpoints that are not read yet.

        ``place`` identifies the store. Sizes that are missing are found by ``measure``;
        where ``state`` is that of the store when its rows were kept, they are those of the
        rows. Returns the keys of the rows that are of no use any more.
        """
        useless: set[str | int] = set()
        told: dict[str, _Facts] = {}
        shared: dict[str | None, str | None] = {}

        def work(db: sqlite3.Connection) -> None:
            query = "SELECT number, state FROM stores WHERE place = ?"
            number, was = db.execute(query, (place,)).fetchone() or (None, "")
            same = state != "" and was == state
            if not same:
                measure()
            query = f"SELECT {_COLUMNS} FROM summaries WHERE store = ?"
            for key, id, stamp, size, parent, branch, run, text in db.execute(query, (number,)):
                checkpoint = known.get(key)
                if checkpoint is None:
                    useless.add(key)
                    continue
                header = checkpoint.header
                if same and header.size is None and header.id == id:
                    header.size = size
                if header.stamp != stamp or header.size != size or header.id != id:
                    useless.add(key)
                elif checkpoint.summary is None:
                    facts = told.get(text)
                    if facts is None:
                        facts = told[text] = _facts(text)
                    # equal texts once in memory
                    parent = header.parent_id if parent == header.parent_id else parent
                    branch = header.branch if branch == header.branch else branch
                    run = shared.setdefault(run, run)
                    checkpoint.summary = Summary(*facts, parent, branch, run)
            if state and not same:
                self._compared[place] = state

        self._try(work, write=False)
        return useless

    def remember(
        self, place: str, read: Iterable[Checkpoint], useless: Iterable[str | int] = ()
    ) -> None:
        """Keep what was read, in one transaction, and drop the rows of ``useless`` keys."""
        now = time.time()
        told: dict[_Facts, str] = {}
        rows = [row for one in read if (row := _row(one, now, told)) is not None]
        gone = list(useless)
        state = self._compared.pop(place, None)
        if not rows and not gone and state is None:
            return

        def work(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            day = int(now) // _DAY
            db.execute("INSERT OR IGNORE INTO stores (place) VALUES (?)", (place,))
            update = "UPDATE stores SET used = ?, state = ifnull(?, state) WHERE place = ?"
            db.execute(update, (day, state, place))
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


def _row(checkpoint: Checkpoint, now: float, told: dict[_Facts, str]) -> tuple[Any, ...] | None:
    """What is kept of a checkpoint, None where nothing is. ``told`` has the texts so far."""
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
    facts = (
        one.kind,
        one.name,
        one.done,
        one.total,
        one.status,
        one.trigger,
        one.version,
        one.lineage_in_document,
        one.notes,
        damage,
    )
    text = told.get(facts)
    if text is None:
        plain = (damage.rule, damage.message, damage.offset) if damage else None
        text = told[facts] = json.dumps((*facts[:-1], plain), separators=(",", ":"))
    lineage = one.parent_id, one.branch, one.run_key
    return (header.key, header.id, header.stamp, header.size, *lineage, text)


def _fits(pattern: re.Pattern[str], text: str | None) -> bool:
    return text is None or pattern.fullmatch(text) is not None


def _sound(text: str) -> bool:
    """Whether a text has no halves of characters, which SQLite does not take."""
    return text.isascii() or not re.search("[\ud800-\udfff]", text)


def _facts(text: str) -> _Facts:
    """What is in a row. Raises `sqlite3.DatabaseError` if that is not ours."""
    try:
        kind, name, done, total, status, trigger, version, known, notes, damage = json.loads(text)
        damage = damage and Damage(*damage)
        return (kind, name, done, total, status, trigger, version, known, tuple(notes), damage)
    except (ValueError, TypeError):
        from sqlite3 import DatabaseError

        raise DatabaseError("a row of the index is damaged") from None
