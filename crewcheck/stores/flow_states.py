"""The flow-state database of CrewAI's ``@persist``, shown as a store of checkpoints.

    flow_states      (id INTEGER PRIMARY KEY, flow_uuid, method_name, timestamp, state_json)
    pending_feedback (id INTEGER PRIMARY KEY, flow_uuid UNIQUE, context_json, state_json,
                      created_at)

CrewAI appends a row per finished method, and the newest row of a ``flow_uuid`` counts. So
each row is a checkpoint ``state-ROW``; its branch is the ``flow_uuid``, its parent the row
before of the same. *Newest* is by insertion, which CrewAI goes by, not by time. A flow
that waits for a person has a row in ``pending_feedback``: its newest checkpoint is paused.
Where there is no state for it, it is a checkpoint of its own, ``pending-ROW``.

No column tells the class of a flow; only the context of pending feedback does. So a
checkpoint is named after where the flow was, ``after draft``, and where the class is known
``ReviewFlow after draft``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from crewcheck.errors import CrewcheckError, NotFound, Unreadable
from crewcheck.model.document import mapping, text
from crewcheck.model.scan import DELETED, GONE, PAUSED, STOPPED, Damage, Header, Summary
from crewcheck.stores.base import Capability, DamagedDocument, Scan
from crewcheck.stores.json_notes import oddities
from crewcheck.stores.json_text import decoded, diagnose
from crewcheck.stores.sqlite_check import integrity
from crewcheck.stores.sqlite_open import DATA_LIMIT, DamagedDatabase, Reader, TooLarge
from crewcheck.stores.sqlite_query import SIZE, columns, readable, row_number, rows

Json = dict[str, Any]

_FINISHED, _PAUSED = "method_execution_finished", "method_execution_paused"


class _Row:
    """What a scan knows of a checkpoint. ``done``: how many methods its flow has finished so
    far; ``late``: its time is before that of the row before it; ``pending``: the row of its
    flow's pending feedback; ``stored``: whether there is a state besides that."""

    __slots__ = ("done", "header", "late", "method", "newest", "pending", "stored", "uuid", "when")

    def __init__(
        self, store: str, key: str | int, uuid: Any, at: Any, method: Any = None, size: Any = None
    ) -> None:
        name = f"state-{key}" if isinstance(key, int) else readable(key)
        self.when = _when(at)
        self.header = Header(
            key=key,
            id=name,
            location=f"{store}#{name}",
            branch=readable(uuid) or "main",
            created_at=self.when.isoformat()[:19] + "Z" if self.when else None,
            stamp=key if isinstance(key, int) else 0,
            size=size,
        )
        if not isinstance(uuid, str):
            reason = f"row {key}: its flow_uuid is no text"
            self.header.damage = Damage("not-a-checkpoint", reason)
        self.uuid = uuid
        self.method = None if method is None else readable(method)
        self.done = 0
        self.late = False
        self.newest = True
        self.pending: int | str | None = None
        self.stored = True

    @property
    def paused(self) -> bool:
        return self.newest and self.pending is not None


class FlowStatesStore:
    """A database of flow states. Keys are row numbers, or ``pending-ROW``."""

    kind = "flow-states"
    capabilities: frozenset[Capability] = frozenset({Capability.CHECK})

    def __init__(self, path: str) -> None:
        self.location = path
        self._reader = Reader(path)
        self._seen: tuple[object, dict[str | int, _Row]] | None = None
        self._keys = ("_rowid_", "_rowid_")  # of the states, of pending feedback

    def scan(self, names_only: bool = False) -> Scan:
        self._seen = None
        return Scan([row.header for row in self._rows().values()])

    def summary(self, header: Header, whole: bool = False) -> Summary:
        """The summary; of a row that is gone or cannot be read with damage that says so."""
        try:
            row, raw, pending, flow_class = self._read(header)
        except NotFound:
            return Summary(damage=Damage(GONE, DELETED))
        except CrewcheckError as error:
            return Summary(damage=Damage("unreadable", error.message))
        _, damage, notes = _state(row, raw)
        if pending is not None and pending["damage"] is not None:
            notes.append(f"it cannot be answered: {pending['damage']['message']}")
        method = row.method or mapping(mapping(pending).get("context")).get("method_name") or "?"
        return Summary(
            kind="flow",
            name=f"{flow_class} after {method}" if flow_class else f"after {method}",
            done=row.done,
            status=None if damage else PAUSED if row.paused else STOPPED,
            trigger=_PAUSED if row.paused else _FINISHED,
            parent_id=row.header.parent_id,
            branch=row.header.branch,
            lineage_in_document=True,
            run_key=row.header.branch,
            notes=tuple(notes),
            damage=damage,
        )

    def summaries(self, wanted: Sequence[tuple[Header, bool]]) -> list[Summary]:
        return [self.summary(header, whole) for header, whole in wanted]

    def measure(self, headers: list[Header]) -> None:
        """Where a scan has no sizes, they are not worth a query for each row."""

    def stored(self, header: Header) -> None:
        """Nothing: a document is made of a row's columns."""

    def document(self, header: Header, *, lean: bool = False) -> Json:
        """A document in the shape of a checkpoint's, made of the row.

        ``flow_state_row`` has the row's columns, ``pending_feedback`` those of what the flow
        waits for: ``context`` and ``state`` parsed, and ``damage`` where that failed. Texts
        that could be parsed are left out: secrets in them would not be found. Raises
        `DamagedDocument` where the state is no object, `NotFound` if the row is gone.
        """
        try:
            row, raw, pending, flow_class = self._read(header)
        except (DamagedDatabase, TooLarge) as error:
            raise DamagedDocument(header, Damage("unreadable", error.message)) from error
        state, damage, _ = _state(row, raw)
        if damage is not None:
            raise DamagedDocument(header, damage)
        methods: dict[str, int] = {}
        for one in self._rows().values():
            if one.uuid == row.uuid and one.method and one.header.stamp <= row.header.stamp:
                methods[one.method] = methods.get(one.method, 0) + 1
        flow = {
            "entity_type": "flow",
            "name": flow_class,
            "checkpoint_state": state,
            "checkpoint_completed_methods": list(methods),
            "checkpoint_method_counts": methods,
        }
        document: Json = {
            "parent_id": row.header.parent_id,
            "branch": row.header.branch,
            "entities": [flow],
            "event_record": {"nodes": {}},
            "trigger": _PAUSED if row.paused else _FINISHED,
            "flow_state_row": _shown(raw, "state_json"),
        }
        if pending is not None:
            document["pending_feedback"] = pending
        return document

    def notes(self, header: Header) -> tuple[str, ...]:
        """None: a summary has read all of a state."""
        return ()

    def check(self) -> list[str]:
        return integrity(self._reader, "flow_states")

    def fingerprint(self) -> object:
        return self._reader.fingerprint()

    def close(self) -> None:
        self._reader.close()

    def _rows(self) -> dict[str | int, _Row]:
        """All checkpoints by key, as of now."""
        fingerprint = self._reader.fingerprint()
        seen = self._seen
        if seen is None or seen[0] != fingerprint:
            self._seen = seen = (fingerprint, self._reader.run(self._load, table="flow_states"))
        return seen[1]

    def _load(self, db: sqlite3.Connection) -> dict[str | int, _Row]:
        names = columns(db, "flow_states")
        if not {"flow_uuid", "state_json"} <= names:
            raise Unreadable(f"{self.location} has no table of flow states")
        key_name = row_number(db, "flow_states") or ("id" if "id" in names else None)
        if key_name is None:
            reason = "are a view, or WITHOUT ROWID, and have no column id to tell them apart"
            raise Unreadable(f"the flow states in {self.location} {reason}")
        found: dict[str | int, _Row] = {}
        newest: dict[object, _Row] = {}
        methods: dict[object, set[str | None]] = {}
        small = [name if name in names else "NULL" for name in ("timestamp", "method_name")]
        listed = ", ".join([key_name, "flow_uuid", *small, SIZE.format("state_json")])
        for place, (key, *row) in enumerate(
            rows(db, f"SELECT {listed} FROM flow_states ORDER BY {key_name}")
        ):
            one = found[key] = _Row(self.location, key, *row)
            if not isinstance(key, int):
                one.header.stamp = place
            before = newest.get(one.uuid)
            if before is not None:
                before.newest = False
                one.header.parent_id = before.header.id
                one.late = bool(one.when and before.when and one.when < before.when)
            newest[one.uuid] = one
            done = methods.setdefault(one.uuid, set())
            done.add(one.method)
            one.done = len(done)
        names = columns(db, "pending_feedback")
        waits = row_number(db, "pending_feedback") or ("id" if "id" in names else "flow_uuid")
        self._keys = (key_name, waits)
        if not {"flow_uuid", "context_json"} <= names:
            return found
        at = "created_at" if "created_at" in names else "NULL"
        waiting = {}
        for key, uuid, when in rows(db, f"SELECT {waits}, flow_uuid, {at} FROM pending_feedback"):
            waiting[uuid] = key
            if uuid not in newest:
                one = found[f"pending-{key}"] = _Row(self.location, f"pending-{key}", uuid, when)
                one.stored = False
        for one in found.values():
            one.pending = waiting.get(one.uuid)
            one.header.mark = one.paused
        return found

    def _read(self, header: Header) -> tuple[_Row, Json, Json | None, str | None]:
        """``(row, its columns, what it waits for, its flow's class)``. Raises `NotFound`."""
        row = self._rows().get(header.key)
        raw, waiting = self._reader.run(
            lambda db: _fetch(db, row, *self._keys), limit=DATA_LIMIT, table="flow_states"
        )
        if row is None or raw is None or row.header.id != header.id:
            gone = f"checkpoint {header.id} is no longer in {self.location}"
            raise NotFound(gone, "refresh the list")
        state = raw.get("state_json")
        if header.size is None and isinstance(state, bytes):
            header.size = len(state)
        pending = _pending(waiting) if waiting else None
        flow_class = text(mapping(mapping(pending).get("context")).get("flow_class"))
        name = flow_class.rpartition(".")[2] if flow_class else None
        return row, raw, pending if row.paused else None, name


def _fetch(
    db: sqlite3.Connection, row: _Row | None, by: str, waiting_by: str
) -> tuple[Json | None, Json | None]:
    """The columns of a checkpoint's row, and those of its flow's pending feedback."""
    if row is None:
        return None, None
    key, number = row.header.key, row.pending
    pending = None
    if number is not None:
        pending = _columns_of(db, "pending_feedback", waiting_by, number)
    return _columns_of(db, "flow_states", by, key) if row.stored else pending, pending


def _columns_of(db: sqlite3.Connection, table: str, by: str, key: int | str) -> Json | None:
    """All columns of a row by name, texts as bytes. None if there is no such row."""
    names = sorted(columns(db, table))
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    found = rows(db, f"SELECT {listed} FROM {table} WHERE {by} = ?", (key,), bytes)
    return dict(zip(names, found[0], strict=True)) if found else None


def _state(row: _Row, raw: Json) -> tuple[Any, Damage | None, list[str]]:
    """``(state, damage, notes)`` of a checkpoint. The state is an object if undamaged."""
    what = f"row {row.header.key}: its state"
    state, damage, notes = _parsed(raw.get("state_json"), what)
    if damage is None and not state:
        notes.append(f"{what} is empty")
    elif damage is None and "id" not in state:
        notes.append(f"{what} has no id")
    elif damage is None and state["id"] != row.uuid:
        notes.append(f"{what} has the id {state['id']}, not that of the flow")
    if row.late:
        notes.append(f"row {row.header.key}: its time is before that of the row before it")
    return state, damage, notes


def _pending(raw: Json) -> Json:
    """The columns of pending feedback, with its JSON parsed. ``damage``: why that failed."""
    what = f"row {raw.get('id')} of pending_feedback"
    shown = _shown(raw, "state_json", "context_json") | {"damage": None}
    for name in ("state", "context"):
        value, damage, _ = _parsed(raw.get(f"{name}_json"), f"{what}: its {name}")
        shown[name] = value
        if damage is not None:
            shown["damage"] = damage.as_dict()
            shown[f"{name}_json"] = readable(raw.get(f"{name}_json"))
    return shown


def _shown(raw: Json, *without: str) -> Json:
    return {
        name: readable(value) if isinstance(value, bytes) else value
        for name, value in raw.items()
        if name not in without
    }


def _parsed(value: object, what: str) -> tuple[Any, Damage | None, list[str]]:
    """``(object, damage, notes)`` of a JSON text that should hold an object."""
    if not isinstance(value, bytes):
        reason = "is NULL" if value is None else "is a number, not JSON text"
        return None, Damage("empty" if value is None else "not-json", f"{what} {reason}"), []
    constants: set[str] = set()
    try:
        parsed, keys = decoded(value, constants)
    except (ValueError, RecursionError) as error:
        if not value.strip():
            return None, Damage("empty", f"{what} is an empty text", 0), []
        damage = diagnose(value, error)
        return None, Damage(damage.rule, f"{what}: {damage.message}", damage.offset), []
    if not isinstance(parsed, dict):
        kind = {list: "a list", str: "a text", type(None): "null"}.get(type(parsed), "a constant")
        return None, Damage("not-a-checkpoint", f"{what} is {kind}, not an object"), []
    return parsed, None, [f"{what} {one}" for one in oddities(value, keys, constants)]


def _when(value: object) -> datetime | None:
    """A time as CrewAI writes it, ISO with a zone; without one it is taken for UTC."""
    if not isinstance(value, str):
        return None
    try:
        when = datetime.fromisoformat(value)
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
