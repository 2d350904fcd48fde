"""The SQLite store: a table ``checkpoints`` with a row per checkpoint.

    id TEXT PRIMARY KEY, created_at TEXT, parent_id TEXT, branch TEXT, data JSONB

CrewAI 1.14.1 had only ``id``, ``created_at`` and ``data``. ``data`` is SQLite's binary
JSON in a BLOB, or JSON text; a table may hold both, so each row's own type counts. A scan
reads the small columns only. A summary of a binary document hops over what it does not
need: everything but a few members of the entities and of the first events.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from typing import Any

from crewcheck.errors import CrewcheckError, NotFound, Unreadable
from crewcheck.model.document import mapping, sequence, text
from crewcheck.model.identifiers import time_of
from crewcheck.model.primary import NeedsRecord
from crewcheck.model.scan import DELETED, GONE, Damage, Header, Summary
from crewcheck.model.summarize import summarize
from crewcheck.stores import jsonb
from crewcheck.stores.base import TOO_LARGE, Capability, DamagedDocument, Scan
from crewcheck.stores.json_text import HEAD, BadText, parse_with_notes, summary_of
from crewcheck.stores.jsonb import JsonbError, Take
from crewcheck.stores.sqlite_check import integrity
from crewcheck.stores.sqlite_open import DATA_LIMIT, DamagedDatabase, Reader, TooLarge
from crewcheck.stores.sqlite_query import SIZE, columns, readable, row_number, rows

_FIRST_EVENTS = 8
_NUMBERS = {"integer": "an integer", "real": "a number"}
_KINDS = frozenset({"blob", "text", ""})  # "" where a row could not be read
#: first bytes of JSON text that may be meant as a document (the last one is a BOM's)
_TEXT_BEGINS = frozenset({b"{", b"[", b'"', b"\xef"})
#: kinds of entities of which `_ENTITY` is all that matters
_KNOWN = frozenset({"crew", "flow", "agent"})

#: What `summarize` reads of an entity that CrewAI wrote, and of an event.
_ENTITY: jsonb.Wanted = {
    b"entity_type": Take.WHOLE,
    b"id": Take.WHOLE,
    b"name": Take.WHOLE,
    b"role": Take.WHOLE,
    b"crew": Take.PRESENT,
    b"executor_type": Take.PRESENT,
    b"suppress_flow_events": Take.WHOLE,
    b"checkpoint": Take.SHALLOW,
    b"checkpoint_kickoff_event_id": Take.WHOLE,
    b"checkpoint_completed_methods": Take.WHOLE,
    b"checkpoint_state": Take.SHALLOW,
    b"tasks": {b"output": Take.PRESENT, b"async_execution": Take.WHOLE},
}
_EVENT: jsonb.Wanted = {
    b"event": {
        b"type": Take.WHOLE,
        b"event_id": Take.WHOLE,
        b"timestamp": Take.WHOLE,
        b"emission_sequence": Take.WHOLE,
        b"parent_event_id": Take.WHOLE,
        b"started_event_id": Take.WHOLE,
        b"flow_name": Take.WHOLE,
        b"agent_role": Take.WHOLE,
        b"agent_info": {b"id": Take.WHOLE},
        b"state": {b"id": Take.WHOLE},
    }
}


class SqliteStore:
    """A database of checkpoints. Keys are row numbers (ids, where rows have no number)."""

    kind = "sqlite"
    capabilities: frozenset[Capability] = frozenset(
        {Capability.WRITE, Capability.INDEX, Capability.CHECK}
    )

    def __init__(self, path: str) -> None:
        self.location = path
        self._reader = Reader(path)
        self._place = f"{path}#"
        self._key = "_rowid_"
        self._numbered = True
        self._is_utf8 = False  # then a blob of a text is what a query gives
        self._notes: dict[str | int, tuple[str, ...]] = {}

    def scan(self, names_only: bool = False) -> Scan:
        """All headers. Rows on damaged pages are listed too where their ids can be read."""
        problems: list[str] = []
        state = self._reader.state()
        try:
            headers = self._reader.run(self._headers)
            if self._reader.damage is not None:
                reason = f"is damaged: {self._reader.damage}; to repair it, work on a copy"
                problems.append(f"{self.location} {reason}")
        except DamagedDatabase as error:
            headers, lost = self._reader.run(self._salvaged, forgiving=True)
            if not headers:
                raise
            unread = f"; rows whose page cannot be read: {lost}" if lost else ""
            problems.append(f"{error.message}{unread}; {error.hint}")
        return Scan(headers, problems=tuple(problems), state="" if problems else state)

    def write(self, data: bytes, *, id: str, parent_id: str | None, branch: str) -> str:
        from crewcheck.stores.sqlite_write import add_row

        created_at = id.partition("_")[0]
        add_row(
            self.location, data, id=id, created_at=created_at, parent_id=parent_id, branch=branch
        )
        return f"{self.location}#{id}"

    def summary(self, header: Header, whole: bool = False) -> Summary:
        """The summary; of a row that is gone or cannot be read with damage that says so.

        Where the header had no size (texts, before SQLite 3.43), it gets it here.
        """
        try:
            return self._reader.run(lambda db: self._read(db, header, whole), limit=DATA_LIMIT)
        except NotFound:
            return Summary(damage=Damage(GONE, DELETED))
        except TooLarge:
            return Summary(damage=Damage("unreadable", TOO_LARGE))
        except CrewcheckError as error:
            return Summary(damage=Damage("unreadable", error.message))

    def summaries(self, wanted: Sequence[tuple[Header, bool]]) -> list[Summary]:
        """Looking at the files of the database takes a while: here it is done once for all."""
        try:
            return self._reader.run(
                lambda db: [self._read(db, header, whole) for header, whole in wanted],
                limit=DATA_LIMIT * len(wanted),
            )
        except CrewcheckError:
            # one of them is gone or damaged
            return [self.summary(header, whole) for header, whole in wanted]

    def _read(self, db: sqlite3.Connection, header: Header, whole: bool) -> Summary:
        """The summary; of a long text without reading all of it."""
        if not whole and self._numbered and self._is_utf8:
            found = self._row(db, header, "''")
            if _checked(self.location, header, found)[0] == "text":
                with db.blobopen("checkpoints", "data", int(header.key), readonly=True) as blob:
                    if header.size is None:
                        header.size = len(blob)
                    if len(blob) > HEAD:
                        return _summary_of_long(blob)
        kind, data = _checked(self.location, header, self._row(db, header))
        if header.size is None and data:
            header.size = len(data)
        return summary_of_value(kind, data, whole)

    def measure(self, headers: list[Header]) -> None:
        """By the header of each row, which has the size of a text, too (before SQLite 3.43
        no query gives that). In a table without row numbers they stay unknown."""
        missing = [one for one in headers if one.size is None and one.damage is None]
        if missing and self._numbered and self._is_utf8:
            with suppress(CrewcheckError):
                self._reader.run(lambda db: _measure(db, missing))

    def document(self, header: Header, *, lean: bool = False) -> dict[str, Any]:
        """The whole document; where ``lean``, of a big text the events as far as they are read.

        Raises `DamagedDocument`; `NotFound` if the row is gone.
        """
        try:
            kind, data = self._data(header)
        except TooLarge as error:
            raise DamagedDocument(header, Damage("unreadable", TOO_LARGE)) from error
        except DamagedDatabase as error:
            raise DamagedDocument(header, Damage("unreadable", error.message)) from error
        damage = _unfit(kind, data)
        if damage is None:
            try:
                if kind == "blob" and jsonb.is_object(data):
                    document: dict[str, Any] = jsonb.loads(data)
                    self._notes.pop(header.key, None)
                else:
                    document, self._notes[header.key] = parse_with_notes(data, lean)
                return document
            except JsonbError as error:
                damage = Damage(error.rule, error.message, error.offset)
            except BadText as error:
                damage = error.damage
        raise DamagedDocument(header, damage)

    def stored(self, header: Header) -> bytes | None:
        kind, data = self._data(header)
        return None if kind == "blob" and jsonb.is_object(data) else data

    def notes(self, header: Header) -> tuple[str, ...]:
        return self._notes.get(header.key, ())

    def check(self) -> list[str]:
        return integrity(self._reader)

    def fingerprint(self) -> object:
        return self._reader.fingerprint()

    def close(self) -> None:
        self._reader.close()

    def _headers(self, db: sqlite3.Connection) -> list[Header]:
        select, known = self._select(db)
        # by row number: later ones are newer
        order = f" ORDER BY {self._key}" if self._numbered else ""
        found = rows(db, select + order)
        return [self._header(row, known, at) for at, row in enumerate(found)]

    def _select(self, db: sqlite3.Connection) -> tuple[str, bool]:
        """The query for the small columns, and whether there are parents among them."""
        names = columns(db, "checkpoints")
        if not {"id", "data"} <= names:
            states = {"flow_uuid", "state_json"} <= columns(db, "flow_states")
            raise Unreadable(
                f"{self.location} has no table of checkpoints",
                f"it holds flow states: `crewcheck states {self.location}`" if states else "",
            )
        self._is_utf8 = rows(db, "PRAGMA encoding")[0][0] == "UTF-8"
        number = row_number(db, "checkpoints")
        self._key, self._numbered = number or "id", number is not None
        small = [name if name in names else "NULL" for name in ("created_at", "parent_id")]
        branch = "branch" if "branch" in names else "'main'"
        listed = ", ".join([self._key, "id", *small, branch, "typeof(data)", SIZE.format("data")])
        return f"SELECT {listed} FROM checkpoints", "parent_id" in names

    def _header(self, row: tuple[Any, ...], lineage_known: bool, at: int) -> Header:
        key, name, created_at, parent_id, branch, kind, size = row
        damage = None
        if type(name) is not str:
            what = "NULL" if name is None else f"of type {type(name).__name__}"
            damage = Damage("not-a-checkpoint", f"row {key}: its id is {what}, not a text")
            name = _name(name, key)
        elif not name:
            damage = Damage("not-a-checkpoint", f"row {key}: its id is an empty text")
            name = _name(name, key)
        if size == 0 or kind not in _KINDS:
            damage = _unfit(kind, b"")
        if parent_id and type(parent_id) is not str:
            parent_id = readable(parent_id)
        return Header(
            key,
            name,
            name,
            parent_id or None,
            branch if type(branch) is str and branch else readable(branch or "main"),
            (type(created_at) is str and time_of(created_at)) or time_of(name),
            key if type(key) is int else at,
            size,
            lineage_known,
            damage,
            self._place,
        )

    def _salvaged(self, db: sqlite3.Connection) -> tuple[list[Header], int]:
        """What can be read of a damaged table, and how many of its rows cannot be.

        From both ends up to the damage; between two damages row by row, since the index
        of the ids knows all row numbers.
        """
        try:
            select, known = self._select(db)
        except (sqlite3.DatabaseError, CrewcheckError):
            return [], 0
        found: dict[Any, Header] = {}
        for direction in ("ASC", "DESC"):
            for row in _until_damage(db, f"{select} ORDER BY {self._key} {direction}"):
                found[row[0]] = self._header(row, known, len(found))
        lost = 0
        for key, raw in _until_damage(db, f"SELECT {self._key}, id FROM checkpoints ORDER BY id"):
            if key in found:
                continue
            read = _until_damage(db, f"{select} WHERE {self._key} = ?", key)
            row = read[0] if read else (key, raw, None, None, None, "", None)
            found[key] = self._header(row, known, len(found))
            if not read:
                lost += 1
                found[key].damage = Damage("unreadable", f"row {key} is on a damaged page")
        return list(found.values()), lost

    def _data(self, header: Header) -> tuple[str, bytes]:
        """The type of a row's data and its bytes. Raises `NotFound`, `Unreadable`."""
        row = self._reader.run(lambda db: self._row(db, header), limit=DATA_LIMIT)
        kind, data = _checked(self.location, header, row)
        if header.size is None and data:
            header.size = len(data)
        return kind, data

    def _row(
        self, db: sqlite3.Connection, header: Header, data: str = "data"
    ) -> list[tuple[Any, ...]]:
        sql = f"SELECT id, typeof(data), {data} FROM checkpoints WHERE {self._key} = ?"
        return rows(db, sql, (header.key,), bytes)


def _checked(store: str, header: Header, found: list[tuple[Any, ...]]) -> tuple[str, bytes]:
    """The type of a row's data and its bytes, if it is still the row of the header."""
    if not found or _name(found[0][0], header.key) != header.id:
        raise NotFound(f"checkpoint {header.id} is no longer in {store}", "refresh the list")
    kind, data = readable(found[0][1]), found[0][2]
    return kind, data if isinstance(data, bytes) else b""


def _summary_of_long(blob: sqlite3.Blob) -> Summary:
    def read(start: int, end: int) -> bytes:
        blob.seek(start)
        return blob.read(end - start)

    return summary_of(read(0, HEAD), len(blob), read)


def _measure(db: sqlite3.Connection, headers: list[Header]) -> None:
    for header in headers:
        try:
            blob = db.blobopen("checkpoints", "data", int(header.key), readonly=True)
        except sqlite3.Error:
            continue  # a row that is gone or damaged keeps its secret
        header.size = len(blob)
        blob.close()


def summary_of_value(kind: str, data: bytes, whole: bool = False) -> Summary:
    """The summary of what is in a row's ``data``, by SQLite's type of it and its bytes."""
    damage = _unfit(kind, data)
    if damage is not None:
        return Summary(damage=damage)
    if kind == "blob" and jsonb.is_object(data):
        return summary_of_jsonb(data)
    return summary_of(data[:HEAD], len(data), lambda start, end: data[start:end], whole)


def summary_of_jsonb(blob: bytes) -> Summary:
    """The summary of a binary document, equal to that of its whole value.

    Damage that lies in what is passed over is not seen: a summary is no validation.
    """
    try:
        head: dict[str, Any] = {}
        nodes = None
        for label, (at, end) in jsonb.top_level(blob).items():
            if label == "event_record":
                nodes = jsonb.members(blob, at).get("nodes")
            elif label == "entities":
                head[label] = _entities(blob, at, end)
            else:
                head[label] = jsonb.decode_at(blob, at)
        try:
            return summarize(head, first_events=_events(blob, nodes, _FIRST_EVENTS))
        except NeedsRecord:
            return summarize(head, all_events=list(_events(blob, nodes, None)))
    except JsonbError as error:
        return Summary(damage=Damage(error.rule, error.message, error.offset))


def _entities(blob: bytes, at: int, end: int) -> Any:
    value = jsonb.project(blob, at, end, _ENTITY)
    # what is read of entities that CrewAI does not know is not for this module to say
    if {text(mapping(entity).get("entity_type")) for entity in sequence(value)} <= _KNOWN:
        return value
    return jsonb.decode_at(blob, at)


def _events(blob: bytes, nodes: tuple[int, int] | None, n: int | None) -> Iterator[dict[str, Any]]:
    for _, node in jsonb.first_items(blob, nodes[0], n, _EVENT) if nodes else ():
        event = mapping(node).get("event")
        if isinstance(event, dict):
            yield event


def _unfit(kind: str, data: bytes) -> Damage | None:
    """Why a row's data can be no document, told without reading it."""
    if kind == "null":
        return Damage("empty", "its data is NULL")
    if kind in _NUMBERS:
        return Damage("not-a-checkpoint", f"its data is {_NUMBERS[kind]}, not a document")
    if not data:
        return Damage("empty", "its data is empty (0 bytes)", 0)
    if kind == "text" or jsonb.is_object(data) or data.lstrip()[:1] in _TEXT_BEGINS:
        return None
    return Damage("not-json", "its data is neither SQLite's binary JSON nor JSON text", 0)


def _name(raw: object, key: object) -> str:
    """The id to show for a row, whatever is in its column."""
    return readable(raw) if raw not in (None, "", b"") else f"row-{key}"


def _until_damage(db: sqlite3.Connection, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    """The rows of a query up to the first that cannot be read."""
    found: list[tuple[Any, ...]] = []
    db.text_factory = readable
    try:
        with closing(db.execute(sql, parameters)) as cursor:
            # one by one: extend() would lose what came before the error
            for row in cursor:
                found.append(row)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            raise
    return found
