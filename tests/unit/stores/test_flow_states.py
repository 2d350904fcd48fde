from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crewcheck.errors import NotFound, Unreadable
from crewcheck.model.scan import Damage
from crewcheck.model.summarize import summarize
from crewcheck.stores.base import DamagedDocument
from crewcheck.stores.flow_states import FlowStatesStore

TABLES = """
CREATE TABLE flow_states (id INTEGER PRIMARY KEY AUTOINCREMENT, flow_uuid TEXT NOT NULL,
    method_name TEXT NOT NULL, timestamp DATETIME NOT NULL, state_json TEXT NOT NULL);
CREATE TABLE pending_feedback (id INTEGER PRIMARY KEY AUTOINCREMENT, flow_uuid TEXT NOT NULL
    UNIQUE, context_json TEXT NOT NULL, state_json TEXT NOT NULL, created_at DATETIME NOT NULL)
"""
LOOSE = """
CREATE TABLE flow_states (flow_uuid, method_name, timestamp, state_json, extra);
CREATE TABLE pending_feedback (id, flow_uuid, context_json, state_json, created_at)
"""
CONTEXT = {"flow_class": "my.flows.ReviewFlow", "method_name": "draft", "message": "ok?"}
A, B = "aaaaaaaa-0000", "bbbbbbbb-0000"


def at(second: int) -> str:
    return f"2026-11-29T17:45:{second:02}.649761+00:00"


def state(uuid: object, **more: Any) -> str:
    return json.dumps({"id": uuid, **more})


def make(
    path: Path, *rows: tuple[Any, ...], pending: list[tuple[Any, ...]] | None = None, sql: str = ""
) -> FlowStatesStore:
    """A database; rows are ``(flow_uuid, method, timestamp, state)``."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(sql or TABLES)
        db.executemany(
            "INSERT INTO flow_states (flow_uuid, method_name, timestamp, state_json)"
            " VALUES (?, ?, ?, ?)",
            rows,
        )
        db.executemany(
            "INSERT INTO pending_feedback (flow_uuid, context_json, state_json, created_at)"
            " VALUES (?, ?, ?, ?)",
            pending or [],
        )
        db.commit()
    return FlowStatesStore(str(path))


def test_each_row_is_a_checkpoint_of_its_flow(tmp_path: Path) -> None:
    store = make(
        tmp_path / "a.db",
        (A, "fetch", at(1), state(A, n=1)),
        (B, "fetch", at(2), state(B)),
        (A, "pay", at(3), state(A, n=2)),
        (A, "fetch", at(4), state(A, n=3)),
    )
    headers = store.scan().headers
    assert [(h.key, h.id, h.parent_id, h.branch) for h in headers] == [
        (1, "state-1", None, A),
        (2, "state-2", None, B),
        (3, "state-3", "state-1", A),
        (4, "state-4", "state-3", A),
    ]
    assert headers[0].created_at == "2026-11-29T17:45:01Z"
    assert headers[0].location == f"{tmp_path / 'a.db'}#state-1"
    summary = store.summary(headers[3])
    assert (summary.kind, summary.name, summary.done, summary.total) == (
        "flow",
        "after fetch",
        2,
        None,
    )
    assert (summary.status, summary.trigger) == ("stopped", "method_execution_finished")
    assert (summary.run_key, summary.notes, summary.damage) == (A, (), None)
    assert headers[3].size == len(state(A, n=3))
    document = store.document(headers[3])
    (entity,) = document["entities"]
    assert entity["checkpoint_state"] == {"id": A, "n": 3}
    assert entity["checkpoint_completed_methods"] == ["fetch", "pay"]
    assert entity["checkpoint_method_counts"] == {"fetch": 2, "pay": 1}
    assert document["flow_state_row"] == {
        "id": 4,
        "flow_uuid": A,
        "method_name": "fetch",
        "timestamp": at(4),
    }
    assert "pending_feedback" not in document
    assert store.document(headers[0])["entities"][0]["checkpoint_method_counts"] == {"fetch": 1}
    store.close()


def test_a_flow_that_waits_is_paused_at_its_newest_row(tmp_path: Path) -> None:
    store = make(
        tmp_path / "a.db",
        (A, "begin", at(1), state(A)),
        (A, "draft", at(2), state(A)),
        (B, "begin", at(3), state(B)),
        pending=[(A, json.dumps(CONTEXT), state(A, seen=True), at(2))],
    )
    summaries = [store.summary(header) for header in store.scan().headers]
    assert [(s.name, s.status) for s in summaries] == [
        ("ReviewFlow after begin", "stopped"),
        ("ReviewFlow after draft", "paused"),
        ("after begin", "stopped"),
    ]
    document = store.document(store.scan().headers[1])
    assert document["trigger"] == "method_execution_paused"
    assert document["pending_feedback"] == {
        "id": 1,
        "flow_uuid": A,
        "created_at": at(2),
        "context": CONTEXT,
        "state": {"id": A, "seen": True},
        "damage": None,
    }
    # the engine reads the document as any other
    again = summarize(document, all_events=[])
    assert (again.kind, again.name, again.done, again.status) == ("flow", "ReviewFlow", 2, "paused")
    assert "pending_feedback" not in store.document(store.scan().headers[0])


def test_pending_feedback_without_any_state_is_listed_too(tmp_path: Path) -> None:
    store = make(tmp_path / "a.db", pending=[(A, json.dumps(CONTEXT), state(A, n=1), at(5))])
    (header,) = store.scan().headers
    assert (header.key, header.id, header.branch) == ("pending-1", "pending-1", A)
    assert header.created_at == "2026-11-29T17:45:05Z"
    summary = store.summary(header)
    assert (summary.name, summary.status, summary.done) == ("ReviewFlow after draft", "paused", 0)
    document = store.document(header)
    assert document["entities"][0]["checkpoint_state"] == {"id": A, "n": 1}
    assert document["pending_feedback"]["context"] == CONTEXT


@pytest.mark.parametrize(
    ("text", "rule", "message"),
    [
        ("null", "not-a-checkpoint", "row 1: its state is null, not an object"),
        ("[1]", "not-a-checkpoint", "row 1: its state is a list, not an object"),
        ('"x"', "not-a-checkpoint", "row 1: its state is a text, not an object"),
        ("", "empty", "row 1: its state is an empty text"),
        (None, "empty", "row 1: its state is NULL"),
        (5, "not-json", "row 1: its state is a number, not JSON text"),
        ('{"id": ', "truncated", "row 1: its state: cut short after 7 bytes"),
        ("{'id': 1}", "not-json", "row 1: its state: "),
        (b'{"id": "\xff"}', "not-json", "row 1: its state: invalid UTF-8 at byte 8"),
        ("[" * 100_000, "not-json", "row 1: its state: "),
        ('{"n": ' + "9" * 5000 + "}", "not-json", "row 1: its state: "),
    ],
)
def test_a_broken_state_is_damage_with_its_row(
    tmp_path: Path, text: object, rule: str, message: str
) -> None:
    rows = [(A, "one", at(1), text), (A, "two", at(2), state(A))]
    store = make(tmp_path / "a.db", *rows, sql=LOOSE)
    bad, good = store.scan().headers
    summary = store.summary(bad)
    assert summary.damage is not None
    assert summary.damage.rule == rule
    assert summary.damage.message.startswith(message)
    assert (summary.status, summary.name) == (None, "after one")
    with pytest.raises(DamagedDocument):
        store.document(bad)
    assert store.summary(good).damage is None
    assert store.document(good)["flow_state_row"]["extra"] is None


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("{}", "row 1: its state is empty"),
        ('{"n": 1}', "row 1: its state has no id"),
        ('{"id": "other"}', "row 1: its state has the id other, not that of the flow"),
        (f'{{"id": "{A}", "n": NaN}}', "row 1: its state contains NaN, which is not JSON"),
        (f'{{"id": "{A}", "n": -Infinity}}', "row 1: its state contains -Infinity"),
    ],
)
def test_an_odd_state_is_a_note(tmp_path: Path, text: str, note: str) -> None:
    store = make(tmp_path / "a.db", (A, "one", at(1), text))
    (header,) = store.scan().headers
    (found,) = store.summary(header).notes
    assert found.startswith(note)
    assert store.document(header)["entities"][0]["checkpoint_state"] is not None


def test_a_large_state(tmp_path: Path) -> None:
    store = make(tmp_path / "a.db", (A, "one", at(1), state(A, text="é" * 2_000_000)))
    (header,) = store.scan().headers
    assert store.summary(header).damage is None
    assert len(store.document(header)["entities"][0]["checkpoint_state"]["text"]) == 2_000_000


@pytest.mark.parametrize("broken", ['{"flow_class": ', "null", ""])
def test_broken_context_is_flagged_and_the_state_still_shown(tmp_path: Path, broken: str) -> None:
    store = make(
        tmp_path / "a.db",
        (A, "one", at(1), state(A)),
        pending=[(A, broken, state(A), at(1))],
    )
    (header,) = store.scan().headers
    summary = store.summary(header)
    assert (summary.status, summary.name, summary.damage) == ("paused", "after one", None)
    assert summary.notes[0].startswith(
        "it cannot be answered: row 1 of pending_feedback: its context"
    )
    pending = store.document(header)["pending_feedback"]
    assert pending["context"] is None
    assert pending["context_json"] == broken
    assert pending["damage"]["message"].startswith("row 1 of pending_feedback: its context")


def test_order_is_by_insertion_and_late_times_are_marked(tmp_path: Path) -> None:
    store = make(
        tmp_path / "a.db",
        (A, "one", at(5), state(A)),
        (A, "two", at(5), state(A)),
        (A, "late", at(4), state(A)),
    )
    headers = store.scan().headers
    assert [store.summary(header).notes for header in headers] == [
        (),
        (),
        ("row 3: its time is before that of the row before it",),
    ]
    assert headers[2].parent_id == "state-2"


@pytest.mark.parametrize(
    ("timestamp", "created_at"),
    [
        ("2026-11-29T19:45:46.649761+02:00", "2026-11-29T17:45:46Z"),
        ("2026-11-29 17:45:46", "2026-11-29T17:45:46Z"),
        ("0001-01-01T00:00:00+05:00", None),
        ("yesterday", None),
        (None, None),
        (1, None),
    ],
)
def test_times_are_utc(tmp_path: Path, timestamp: object, created_at: str | None) -> None:
    store = make(tmp_path / "a.db", (A, "one", timestamp, state(A)), sql=LOOSE)
    assert store.scan().headers[0].created_at == created_at


def test_odd_columns_and_missing_tables(tmp_path: Path) -> None:
    rows = [(None, None, None, state(None)), (b"\xff", 5, "", state(A))]
    store = make(tmp_path / "a.db", *rows, sql=LOOSE)
    headers = store.scan().headers
    assert [header.damage for header in headers] == [
        Damage("not-a-checkpoint", f"row {number}: its flow_uuid is no text") for number in (1, 2)
    ]
    assert [store.summary(header).name for header in headers] == ["after ?", "after 5"]
    with closing(sqlite3.connect(tmp_path / "b.db")) as db:
        db.execute("CREATE TABLE flow_states (flow_uuid, state_json)")
        db.execute("INSERT INTO flow_states VALUES (?, ?)", (A, state(A)))
        db.commit()
    small = FlowStatesStore(str(tmp_path / "b.db"))
    assert small.summary(small.scan().headers[0]).name == "after ?"
    with closing(sqlite3.connect(tmp_path / "c.db")) as db:
        db.execute("CREATE TABLE other (a)")
    with pytest.raises(Unreadable, match="no table of flow states"):
        FlowStatesStore(str(tmp_path / "c.db")).scan()


def test_answers_and_new_rows_are_seen(tmp_path: Path) -> None:
    store = make(
        tmp_path / "a.db",
        (A, "draft", at(1), state(A)),
        pending=[(A, json.dumps(CONTEXT), state(A), at(1))],
    )
    (header,) = store.scan().headers
    assert store.summary(header).status == "paused"
    seen = store.fingerprint()
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        db.execute("DELETE FROM pending_feedback")
        db.execute(
            "INSERT INTO flow_states (flow_uuid, method_name, timestamp, state_json)"
            " VALUES (?, 'send', ?, ?)",
            (A, at(2), state(A)),
        )
        db.commit()
    assert store.fingerprint() != seen
    assert store.summary(header).status == "stopped"
    assert [one.id for one in store.scan().headers] == ["state-1", "state-2"]
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        db.execute("DELETE FROM flow_states WHERE id = 1")
        db.commit()
    with pytest.raises(NotFound, match="no longer in"):
        store.document(header)
    damage = store.summary(header).damage
    assert damage is not None
    assert damage.rule == "gone"


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE flow_states (id INTEGER PRIMARY KEY, flow_uuid, method_name, timestamp,"
        " state_json) WITHOUT ROWID",
        "CREATE TABLE flow_states (id INTEGER PRIMARY KEY, flow_uuid, method_name, timestamp,"
        " state_json, _rowid_ DEFAULT 'x', rowid DEFAULT 7)",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, flow_uuid, method_name, timestamp, state_json);"
        " CREATE VIEW flow_states AS SELECT * FROM t",
    ],
)
def test_rows_are_told_apart_by_their_id_where_they_have_no_number(
    tmp_path: Path, sql: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        db.executescript(sql)
        into = "t" if "VIEW" in sql else "flow_states"
        for number in (3, 8):
            values = (number, A, f"m{number}", at(number), state(A, n=number))
            db.execute(
                f"INSERT INTO {into} (id, flow_uuid, method_name, timestamp, state_json)"
                " VALUES (?, ?, ?, ?, ?)",
                values,
            )
        db.commit()
    with closing(FlowStatesStore(str(tmp_path / "a.db"))) as store:
        headers = store.scan().headers
        assert [(one.id, one.parent_id) for one in headers] == [
            ("state-3", None),
            ("state-8", "state-3"),
        ]
        found = [store.document(one)["entities"][0]["checkpoint_state"]["n"] for one in headers]
        assert found == [3, 8]


def test_rows_that_cannot_be_told_apart(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        db.execute("CREATE VIEW flow_states AS SELECT 'u' AS flow_uuid, '{}' AS state_json")
    with pytest.raises(Unreadable, match="no column id to tell them apart"):
        FlowStatesStore(str(tmp_path / "a.db")).scan()


def test_deep_states_are_damage_and_odd_texts_notes(tmp_path: Path) -> None:
    deep = '{"a": ' + "[" * 200 + "]" * 200 + "}"
    odd = f'{{"id": "{A}", "n": 1, "n": "\\ud800"}}'
    store = make(tmp_path / "a.db", (A, "one", at(1), deep), (A, "two", at(2), odd))
    first, second = store.scan().headers
    damage = store.summary(first).damage
    assert damage is not None
    assert damage.rule == "not-json"
    assert damage.message == "row 1: its state: nested too deep (more than 200 levels)"
    assert [note.partition(": ")[2][:23] for note in store.summary(second).notes] == [
        "its state contains \\ud800"[:23],
        "its state repeats a key",
    ]
    assert store.notes(second) == ()
    store.close()
