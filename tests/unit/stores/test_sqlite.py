from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewcheck.errors import NotFound, Unreadable
from crewcheck.model.document import iter_events
from crewcheck.model.scan import Damage, Summary
from crewcheck.model.summarize import summarize
from crewcheck.stores import sqlite_open
from crewcheck.stores.base import DamagedDocument
from crewcheck.stores.sqlite import SqliteStore, summary_of_jsonb
from crewcheck.stores.sqlite_open import Reader, sqlite_kind
from crewcheck.stores.sqlite_query import rows
from tests.build import Json, agent, crew, document, event, executor, flow, ident, task
from tests.damaged_databases import jsonb

TABLE = (
    "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, parent_id TEXT,"
    " branch TEXT NOT NULL DEFAULT 'main', data JSONB NOT NULL)"
)
LOOSE = "CREATE TABLE checkpoints (id, created_at, parent_id, branch, data)"
ONE = document(crew(task("outline", output="An outline"), task("draft")))
FLOW = document(
    flow("begin", "end"),
    executor(),
    events=[event(1, "flow_started", flow_name="Poem"), event(2, "x", state={"id": "state-1"})],
    trigger="flow_finished",
)


def make(path: Path, *data: Json | str | bytes | float | None, table: str = TABLE) -> str:
    """A database as CrewAI leaves it: WAL mode, at rest. Objects are written as JSONB."""
    db = apsw.Connection(str(path))
    db.execute("PRAGMA journal_mode=WAL").fetchall()
    db.execute(table)
    for number, one in enumerate(data, 1):
        as_jsonb = isinstance(one, dict)
        value = json.dumps(one) if isinstance(one, dict) else one
        parent = ident(number - 1) if number > 1 else None
        db.execute(
            f"INSERT INTO checkpoints VALUES (?, ?, ?, 'main', {'jsonb(?)' if as_jsonb else '?'})",
            (ident(number), ident(number)[:15], parent, value),
        )
    db.close()
    return str(path)


def listing(folder: Path) -> dict[str, object]:
    """What a viewer must not change: names, contents, times, modes."""
    return {
        one.name: (hashlib.sha256(one.read_bytes()).hexdigest(), one.stat().st_mtime_ns)
        for one in sorted(folder.iterdir())
    }


def fields(summary: Summary) -> dict[str, Any]:
    return {name: getattr(summary, name) for name in Summary.__slots__}


def of_whole(doc: Json) -> dict[str, Any]:
    return fields(summarize(doc, all_events=list(iter_events(doc))))


def test_texts_are_given_as_they_are_stored(tmp_path: Path) -> None:
    text = json.dumps(FLOW, indent=1)
    with closing(SqliteStore(make(tmp_path / "a.db", ONE, text, '{"entities"'))) as store:
        stored = {one.id: store.stored(one) for one in store.scan().headers}
    assert stored == {ident(1): None, ident(2): text.encode(), ident(3): b'{"entities"'}


def test_columns_give_the_header(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", ONE, json.dumps(FLOW))
    with closing(SqliteStore(path)) as store:
        first, second = store.scan().headers
        assert (first.key, first.id, first.stamp) == (1, ident(1), 1)
        assert first.location == f"{path}#{ident(1)}"
        assert (first.created_at, first.branch) == ("2026-11-29T17:00:01Z", "main")
        assert (first.parent_id, second.parent_id) == (None, ident(1))
        assert first.lineage_known
        assert first.size is not None
        assert fields(store.summary(first)) == of_whole(ONE)
        assert fields(store.summary(second)) == of_whole(FLOW)
        assert second.size == len(json.dumps(FLOW))
        assert store.document(first) == ONE
        assert store.document(second) == FLOW


def test_1_14_1_has_no_lineage(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "a.db")
    db.execute("CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT, data JSONB)")
    db.execute("INSERT INTO checkpoints VALUES (?, 'odd', ?)", (ident(1), json.dumps(ONE)))
    db.commit()
    db.close()
    (header,) = SqliteStore(str(tmp_path / "a.db")).scan().headers
    assert (header.lineage_known, header.branch, header.parent_id) == (False, "main", None)
    assert header.created_at == "2026-11-29T17:00:01Z"


@pytest.mark.parametrize(
    ("data", "damage"),
    [
        (None, Damage("empty", "its data is NULL")),
        (7, Damage("not-a-checkpoint", "its data is an integer, not a document")),
        (0.5, Damage("not-a-checkpoint", "its data is a number, not a document")),
        (b"", Damage("empty", "its data is empty (0 bytes)", 0)),
        ("", Damage("empty", "its data is empty (0 bytes)", 0)),
        (b"\x5cWab", Damage("truncated", "cut short after 4 bytes", 4)),
        (b"\x0c\x00", Damage("trailing-data", "something follows the document at byte 1", 1)),
        (b"\x4c\x17a\x1d1", Damage("not-json", "an element of the unknown kind 13 at byte 3", 3)),
        (
            b"\x00\x01",
            Damage("not-json", "its data is neither SQLite's binary JSON nor JSON text", 0),
        ),
        (b'{"entities": [', Damage("truncated", "cut short after 14 bytes", 14)),
        ('{"entities": [', Damage("truncated", "cut short after 14 bytes", 14)),
    ],
)
def test_a_bad_row_says_why_and_hides_no_other(
    tmp_path: Path, data: str | bytes | float | None, damage: Damage
) -> None:
    path = make(tmp_path / "a.db", ONE, data, FLOW, table=LOOSE)
    with closing(SqliteStore(path)) as store:
        good, bad, last = store.scan().headers
        assert store.summary(bad).damage == damage
        with pytest.raises(DamagedDocument) as caught:
            store.document(bad)
        assert caught.value.damage == damage
        assert store.document(good) == ONE
        assert store.summary(last).name == "Poem"


def test_odd_ids_and_columns_are_listed_with_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = sqlite3.connect(path)
    db.execute(LOOSE)
    text = json.dumps(ONE)
    odd = [None, b"a\xffb", 12, "x\udcff".encode("utf-8", "surrogateescape"), "good", ""]
    for name in odd[:3] + odd[4:]:
        db.execute("INSERT INTO checkpoints VALUES (?, 5, ?, NULL, ?)", (name, b"p\xff", text))
    db.execute("INSERT INTO checkpoints VALUES (CAST(? AS TEXT), '', '', '', ?)", (odd[3], text))
    db.commit()
    db.close()
    with closing(SqliteStore(str(path))) as store:
        headers = store.scan().headers
        assert [h.id for h in headers] == ["row-1", r"a\xffb", "12", "good", "row-5", r"x\xff"]
        assert [h.damage is not None for h in headers] == [True, True, True, False, True, False]
        assert [h.parent_id for h in headers] == [r"p\xff"] * 5 + [None]
        assert {h.branch for h in headers} == {"main"}
        assert {h.created_at for h in headers} == {None}
        for header in headers:
            assert store.document(header) == ONE


@pytest.mark.parametrize(
    "table",
    [
        "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, data) WITHOUT ROWID",
        "CREATE TABLE t (id TEXT, data); CREATE VIEW checkpoints AS SELECT id, data FROM t",
    ],
)
def test_rows_without_numbers_go_by_their_ids(tmp_path: Path, table: str) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        db.executescript(table)
        into = "t" if "VIEW" in table else "checkpoints"
        db.execute(f"INSERT INTO {into} VALUES (?, ?)", (ident(1), json.dumps(ONE)))
        db.commit()
    with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
        (header,) = store.scan().headers
        assert (header.key, header.id) == (ident(1), ident(1))
        assert store.document(header) == ONE


def test_generated_columns_are_columns(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "CREATE TABLE checkpoints (raw TEXT, name TEXT, id TEXT AS (name || '') STORED,"
            " data AS (raw || ''), branch TEXT AS ('b-' || name) VIRTUAL, parent_id AS (NULL))"
        )
        db.execute("INSERT INTO checkpoints VALUES (?, 'a')", (json.dumps(ONE),))
        db.commit()
    assert sqlite_kind(path) == "checkpoints"
    with closing(SqliteStore(path)) as store:
        (header,) = store.scan().headers
        assert (header.id, header.branch, header.lineage_known) == ("a", "b-a", True)
        assert store.document(header) == ONE


def test_several_summaries_at_once_are_those_of_each(tmp_path: Path) -> None:
    good, path = document(crew(task(output="x"), task())), tmp_path / "a.db"
    make(path, good, "{}{}", None, 3.5, json.dumps(good) + " " * 70_000 + "x", table=LOOSE)
    with closing(SqliteStore(str(path))) as store:
        headers = sorted(store.scan().headers, key=lambda one: one.stamp)
        store.measure(headers)
        sizes = [header.size for header in headers]
        assert (sizes[1], sizes[4]) == (4, len(json.dumps(good)) + 70_001)
        wanted = [(header, True) for header in headers]
        each = [fields(store.summary(*one)) for one in wanted]
        assert [fields(one) for one in store.summaries(wanted)] == each
        rules = [one["damage"] and one["damage"].rule for one in each]
        assert rules == [None, "trailing-data", "empty", "not-a-checkpoint", "trailing-data"]
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("DELETE FROM checkpoints WHERE id = ?", (headers[1].id,))
        after = [one.damage and one.damage.rule for one in store.summaries(wanted)]
        assert after == [None, "gone", *rules[2:]]


def test_a_row_that_is_gone(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", ONE, FLOW)
    with closing(SqliteStore(path)) as store:
        first, second = store.scan().headers
        with closing(sqlite3.connect(path)) as db:
            db.execute("DELETE FROM checkpoints WHERE rowid = 2")
            db.execute("UPDATE checkpoints SET id = 'another'")
            db.commit()
        for header in (first, second):
            with pytest.raises(NotFound, match="no longer in"):
                store.document(header)
            assert store.summary(header).damage is not None


events = st.lists(
    st.builds(
        lambda number, kind, parent, state: event(
            number, kind, parent_event_id=parent, state={"id": state}, flow_name=f"F{number}"
        ),
        st.integers(1, 12),
        st.sampled_from(["flow_started", "task_completed", "lite_agent_execution_completed"]),
        st.sampled_from([None, "event-1", "event-2", "kickoff-1"]),
        st.sampled_from(["state-1", "state-2"]),
    ),
    max_size=12,
)
entities = st.lists(
    st.sampled_from(
        [
            crew(task(output="x"), task(), executor(), name=None),
            crew(task(async_execution=True), checkpoint_kickoff_event_id="event-2", id="crew-2"),
            flow("a", "b"),
            flow("a", state={"id": "state-2", "deep": [{"x": 1}]}, checkpoint=None),
            flow(suppress_flow_events=True, checkpoint=None),
            executor(),
            agent(),
            agent("Alone", crew=None),
            {"entity_type": "workflow", "id": "w", "steps": [{"done": True}]},
            {"entity_type": ["odd"]},
        ]
    ),
    max_size=4,
)


@given(entities, events, st.sampled_from([None, "task_completed", "flow_finished"]))
@settings(max_examples=200, deadline=None)
def test_a_hopping_summary_equals_that_of_the_whole(
    entities: list[Json], events: list[Json], trigger: str | None
) -> None:
    doc = document(*entities, events=events, trigger=trigger)
    (blob,) = next(iter(apsw.Connection("").execute("SELECT jsonb(?)", (json.dumps(doc),))))
    assert isinstance(blob, bytes)
    found, expected = fields(summary_of_jsonb(blob)), of_whole(doc)
    if len(events) > 8:  # a flow's name may be behind the first events
        found["name"] = expected["name"]
    assert found == expected


# Opening: no trace is left, and the newest commit is seen.

WRITER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode=" + sys.argv[2])
db.execute("PRAGMA cache_size=5")
print("ready", flush=True)
for line in sys.stdin:
    for sql in line.split(";"):
        db.execute(sql)
    print("done", flush=True)
db.close()
"""
INSERT = "INSERT INTO checkpoints VALUES ('new', '', NULL, 'main', '{}')"
MANY = (
    "INSERT INTO checkpoints SELECT value, '', NULL, 'main', zeroblob(5000) FROM"
    " json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]')"
)


class Writer:
    """Another process that has the database open."""

    def __init__(self, path: str, mode: str = "wal") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, path, mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def do(self, sql: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(sql + "\n")
        self.process.stdin.flush()
        self._answer()

    def _answer(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline()

    def end(self) -> None:
        self.process.communicate()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def at_rest(writer: Writer, path: str) -> None:
    writer.end()


def killed(writer: Writer, path: str) -> None:
    writer.kill()


def killed_and_copied_without_shm(writer: Writer, path: str) -> None:
    writer.kill()
    Path(path + "-shm").unlink(missing_ok=True)


def alive(writer: Writer, path: str) -> None:
    pass


def writing(writer: Writer, path: str) -> None:
    writer.do(f"BEGIN IMMEDIATE; {MANY}")


def killed_while_writing(writer: Writer, path: str) -> None:
    writing(writer, path)
    writer.kill()


@pytest.mark.parametrize("mode", ["wal", "delete", "persist"])
@pytest.mark.parametrize(
    "situation",
    [at_rest, killed, killed_and_copied_without_shm, alive, writing, killed_while_writing],
)
def test_reading_leaves_no_trace_and_sees_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, situation: Callable[..., None]
) -> None:
    monkeypatch.setattr(sqlite_open, "PATIENCE", 0.3)
    folder = tmp_path / "a? #%41 ü"
    folder.mkdir()
    path = make(folder / "b?&c=d %.db", ONE)
    writer = Writer(path, mode)
    try:
        writer.do(INSERT)
        situation(writer, path)
        before = listing(folder)
        assert sqlite_kind(path) == "checkpoints"
        with closing(SqliteStore(path)) as store:
            for _ in range(2):
                headers = store.scan().headers
                assert [header.id for header in headers] == [ident(1), "new"]
                assert store.document(headers[0]) == ONE
                assert store.document(headers[1]) == {}
        assert listing(folder) == before
    finally:
        writer.kill()


def test_new_rows_are_seen_when_the_fingerprint_differs(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", ONE)
    with closing(SqliteStore(path)) as store:
        for mode in ("wal", "delete"):
            seen = store.fingerprint()
            count = len(store.scan().headers)
            assert store.fingerprint() == seen
            writer = Writer(path, mode)
            try:
                for number in range(3):
                    seen = store.fingerprint()
                    writer.do(INSERT.replace("new", f"{mode}-{number}"))
                    assert store.fingerprint() != seen
                    count += 1
                    assert len(store.scan().headers) == count
            finally:
                writer.end()
            assert len(store.scan().headers) == count


def test_an_idle_reader_lets_the_writer_clean_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_open, "LINGER", 0.05)
    path = make(tmp_path / "a.db", ONE)
    with closing(SqliteStore(path)) as store:
        writer = Writer(path)
        writer.do(INSERT)
        assert len(store.scan().headers) == 2
        writer.end()
        assert list(listing(tmp_path)) == ["a.db"]
        assert len(store.scan().headers) == 2
        for _ in range(100):
            time.sleep(0.02)
            if store._reader._connection is None:
                break
        assert store._reader._connection is None
        assert len(store.scan().headers) == 2
        # no transaction is left open
        with closing(sqlite3.connect(path, timeout=0)) as db:
            db.execute("PRAGMA journal_mode=delete")
            assert len(store.scan().headers) == 2
            db.execute("BEGIN EXCLUSIVE")


def test_every_connection_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def recorded(*args: Any, **more: Any) -> sqlite3.Connection:
        opened.append(connect(*args, **more))
        return opened[-1]

    paths = [make(tmp_path / "a.db", ONE), make(tmp_path / "wiped.db", ONE)]
    with open(paths[1], "r+b") as file:
        file.write(b"\xff" * 200)
    (tmp_path / "text.db").write_text("no database " * 100)
    monkeypatch.setattr(sqlite3, "connect", recorded)
    for path in [*paths, str(tmp_path / "text.db")]:
        with closing(SqliteStore(path)) as store:
            try:
                for header in store.scan().headers:
                    store.summary(header)
            except Unreadable:
                pass
    assert len(opened) >= 3
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_several_threads(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", *[ONE, FLOW] * 10)
    store = SqliteStore(path)
    headers = store.scan().headers
    found: list[Summary] = []

    def read() -> None:
        found.extend(store.summary(header) for header in headers)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    store.close()
    assert len(found) == 80
    assert {one.name for one in found} == {"newsroom", "Poem"}


def test_a_lock_is_waited_for_and_then_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_open, "PATIENCE", 0.3)
    path = make(tmp_path / "a.db", ONE)
    writer = Writer(path, "delete")
    writing(writer, path)
    stop = threading.Event()

    def keep_changing() -> None:
        while not stop.wait(0.001):
            os.utime(path + "-journal")

    thread = threading.Thread(target=keep_changing)
    thread.start()
    try:
        started = time.monotonic()
        with (
            closing(SqliteStore(path)) as store,
            pytest.raises(Unreadable, match=r"a\.db is locked by another program.*try again"),
        ):
            store.scan()
        assert 0.3 <= time.monotonic() - started < 2
    finally:
        stop.set()
        thread.join()
        writer.kill()


def test_damage_that_a_second_look_does_not_find_is_none(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", ONE)
    os.utime(path, (1, 1))  # long ago: nobody is writing
    reader = Reader(path)
    looks = 0

    def work(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
        nonlocal looks
        looks += 1
        if looks == 1:
            error = sqlite3.DatabaseError("database disk image is malformed")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error
        return rows(db, "SELECT count(*) FROM checkpoints")

    assert reader.run(work) == [(1,)]
    assert (looks, reader.damage) == (2, None)
    reader.close()


def test_a_link_to_a_database_has_its_wal_beside_the_target(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    path = make(tmp_path / "real" / "a.db", ONE)
    (tmp_path / "link.db").symlink_to(path)
    writer = Writer(path)
    writer.do(INSERT)
    with closing(SqliteStore(str(tmp_path / "link.db"))) as store:
        assert len(store.scan().headers) == 2
    writer.end()
    assert sorted(os.listdir(tmp_path)) == ["link.db", "real"]


# Damage to the file itself.


def damaged_pages(path: str, ids: list[str]) -> None:
    """Overwrite the leaf pages that hold these rows."""
    data = bytearray(Path(path).read_bytes())
    for id in ids:
        at, start = 0, 0
        while at >= 0:
            at = data.find(id.encode(), start)
            start = at + 1
            page = at // 4096 * 4096
            if at >= 0 and data[page] == 0x0D:  # a leaf of the table, not of the index
                data[page : page + 4096] = b"\xa5" * 4096
    Path(path).write_bytes(data)


def test_rows_beside_damaged_pages_are_still_read(tmp_path: Path) -> None:
    large = ONE | {"padding": "x" * 2500}  # a page holds one row
    path = make(tmp_path / "a.db", *[large] * 9)
    damaged_pages(path, [ident(3), ident(7)])
    before = listing(tmp_path)
    with closing(SqliteStore(path)) as store:
        scan = store.scan()
        found = {header.id: header for header in scan.headers}
        assert sorted(found) == [ident(number) for number in range(1, 10)]
        lost = {name for name, header in found.items() if header.damage is not None}
        # the ids stand in the rows' children too
        assert lost == {ident(3), ident(4), ident(7), ident(8)}
        assert "a.db is damaged" in scan.problems[0]
        assert f"cannot be read: {len(lost)}" in scan.problems[0]
        for name, header in found.items():
            summary = store.summary(header)
            assert (summary.damage is not None) == (name in lost)
            if name in lost:
                with pytest.raises(DamagedDocument):
                    store.document(header)
            else:
                assert store.document(header) == large
    assert listing(tmp_path) == before


def test_a_schema_that_is_no_text_is_damage(tmp_path: Path) -> None:
    """SQLite quotes it in its message, which sqlite3 cannot decode."""
    path = make(tmp_path / "a.db", ONE)
    data = bytearray(Path(path).read_bytes())
    at = data.index(b"CREATE TABLE")
    data[at : at + 6] = b"\xf0\xff\xc3EAT"
    Path(path).write_bytes(data)
    os.utime(path, (1, 1))
    with pytest.raises(Unreadable, match=r"a\.db is damaged: malformed database schema"):
        sqlite_kind(path)


def test_a_file_that_has_lost_its_end(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", ONE, ONE, *["x" * 9000] * 40, table=LOOSE)
    os.truncate(path, os.path.getsize(path) // 2 // 4096 * 4096)
    with closing(SqliteStore(path)) as store:
        scan = store.scan()
        assert store.document(scan.headers[0]) == ONE
        assert len(scan.headers) > 3
        assert "is damaged" in scan.problems[0]


def test_what_is_no_store_is_named_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no such file: .*none\.db"):
        sqlite_kind(str(tmp_path / "none.db"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("hello")
    (tmp_path / "secret.db").write_bytes(bytes(range(256)) * 32)
    for name, reason in {
        "folder": "no regular file",
        "empty.db": "empty file",
        "text.db": "no SQLite database, or it is encrypted",
        "secret.db": "no SQLite database, or it is encrypted",
    }.items():
        with pytest.raises(Unreadable, match=reason) as caught:
            sqlite_kind(str(tmp_path / name))
        assert str(tmp_path / name) in caught.value.message
        assert "\n" not in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == ["empty.db", "folder", "secret.db", "text.db"]


@pytest.mark.parametrize(
    ("tables", "kind"),
    [
        ([TABLE], "checkpoints"),
        (["CREATE TABLE flow_states (flow_uuid, state_json)"], "flow-states"),
        ([TABLE, "CREATE TABLE flow_states (flow_uuid, state_json)"], "both"),
        (["CREATE TABLE checkpoints (thread_id, checkpoint_id, checkpoint)"], None),
        (["CREATE TABLE other (id, data)"], None),
    ],
)
def test_kinds_by_tables(tmp_path: Path, tables: list[str], kind: str | None) -> None:
    path = str(tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as db:
        for sql in tables:
            db.execute(sql)
    assert sqlite_kind(path) == kind
    if kind != "checkpoints" and kind != "both":
        hint = "crewcheck states" if kind == "flow-states" else ""
        with pytest.raises(Unreadable, match="no table of checkpoints") as caught:
            SqliteStore(path).scan()
        assert hint in caught.value.hint


def test_values_of_odd_types_count_as_they_do_in_the_whole() -> None:
    """What only has to be there may stand in for itself; what counts as true may not."""
    inner = executor(
        executor_type=None, checkpoint_state={"id": "x"}, suppress_flow_events={"a": 1}
    )
    del inner["executor_type"]
    tasks = [task("a", async_execution={"a": 1}), task("b", output="x")]
    value = document(inner, crew(*tasks))
    blob = jsonb(value)
    quick, whole = summary_of_jsonb(blob), summarize(value, all_events=[])
    for one in (quick, whole):
        assert (one.kind, one.name, one.done, one.status) == ("crew", "newsroom", 1, "finished")
