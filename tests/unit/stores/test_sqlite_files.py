"""Databases that are cut, locked, endless, or have something odd beside them."""

from __future__ import annotations

import _thread
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from crewcheck.errors import Unreadable
from crewcheck.stores import sqlite_open
from crewcheck.stores.detect import open_path
from crewcheck.stores.sqlite import SqliteStore
from crewcheck.stores.sqlite_files import Files, is_wal_header
from crewcheck.stores.sqlite_open import sqlite_kind

pytestmark = pytest.mark.timeout(60)

ENDLESS = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    " SELECT 'a' || x AS id, '{}' AS data FROM c"
)


def make(path: Path, mode: str = "wal", rows: int = 2) -> str:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode={mode}")
        db.execute("CREATE TABLE checkpoints (id TEXT PRIMARY KEY, data)")
        for number in range(rows):
            db.execute("INSERT INTO checkpoints VALUES (?, '{}')", (f"row-{number}",))
        db.commit()
    return str(path)


def with_wal(folder: Path) -> str:
    """A database whose second row is in its -wal, as a killed writer leaves it."""
    path = make(folder / "live.db", rows=1)
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO checkpoints VALUES ('row-1', '{}')")
        db.commit()
        for end in ("", "-wal"):
            (folder / f"a.db{end}").write_bytes(Path(path + end).read_bytes())
    for end in ("", "-wal", "-shm"):
        (folder / f"live.db{end}").unlink(missing_ok=True)
    return str(folder / "a.db")


def copies(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith("crewcheck-")]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_copy_is_gone_while_it_is_read(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_open, "LINGER", 0.02)
    path = with_wal(tmp_path)
    with closing(SqliteStore(path)) as store:
        headers = store.scan().headers
        assert copies(temporary) == []
        connection = store._reader._connection
        assert connection is not None
        time.sleep(0.1)
        # it is not made again, neither after a pause nor for a second kind of reading
        assert [store.document(header) for header in headers] == [{}, {}]
        assert store._reader.run(lambda db: db.in_transaction, forgiving=True) is False
        assert len(store.scan().headers) == 2
        assert store._reader._connection is connection
    assert copies(temporary) == []
    assert sorted(os.listdir(tmp_path)) == ["a.db", "a.db-wal", "temporary"]


def test_nothing_outlives_a_killed_process(tmp_path: Path, temporary: Path) -> None:
    code = (
        "import sys, time; from crewcheck.stores.sqlite import SqliteStore;"
        "print(len(SqliteStore(sys.argv[1]).scan().headers), flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, with_wal(tmp_path)],
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"2\n"
    process.kill()
    process.communicate()
    assert copies(temporary) == []


def test_what_dead_processes_have_left_is_swept(tmp_path: Path, temporary: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    old = time.time() - 3600
    for name, at in {
        f"crewcheck-{ended.pid}-old": old,
        f"crewcheck-{ended.pid}-new": time.time(),
        f"crewcheck-{os.getpid()}-alive": old,
        "crewcheck-notes": old,
        "another-1-x": old,
    }.items():
        (temporary / name).mkdir()
        (temporary / name / "copy.db").touch()
        os.utime(temporary / name, (at, at))
    (temporary / f"crewcheck-{ended.pid}-link").symlink_to(tmp_path)
    with closing(SqliteStore(with_wal(tmp_path))) as store:
        assert len(store.scan().headers) == 2
    assert sorted(os.listdir(temporary)) == sorted(
        [
            f"crewcheck-{ended.pid}-new",
            f"crewcheck-{ended.pid}-link",
            f"crewcheck-{os.getpid()}-alive",
            "crewcheck-notes",
            "another-1-x",
        ]
    )


@pytest.mark.parametrize("shm", [None, b"", b"\0" * 32768, b"\xa5" * 32768])
@pytest.mark.parametrize("mode", ["wal", "delete"])
@pytest.mark.parametrize("journal", [None, b"\xa5" * 600])
def test_a_wal_that_is_none_is_passed_over_at_once(
    tmp_path: Path, temporary: Path, shm: bytes | None, mode: str, journal: bytes | None
) -> None:
    path = make(tmp_path / "a.db", mode)
    for garbage in (b"\xa5" * 9000, b"\0" * 9000, b"short"):
        for end, data in {"-wal": garbage, "-shm": shm, "-journal": journal}.items():
            if data is not None:
                Path(path + end).write_bytes(data)
        started = time.monotonic()
        with closing(SqliteStore(path)) as store:
            assert len(store.scan().headers) == 2
        assert time.monotonic() - started < 5  # SQLite's own retries take ten
        assert Path(path + "-wal").read_bytes() == garbage


def test_a_wal_of_a_header_alone_is_passed_over_at_once(tmp_path: Path) -> None:
    """Its writer was killed between the header and the first frame."""
    path = tmp_path / "runs.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE checkpoints (id TEXT PRIMARY KEY, data TEXT)")
        db.execute("INSERT INTO checkpoints VALUES ('20261129T170001_00000001', '{}')")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("INSERT INTO checkpoints VALUES ('20261129T170002_00000002', '{}')")
        header = Path(f"{path}-wal").read_bytes()[:32]
        killed = tmp_path / "killed.db"
        killed.write_bytes(path.read_bytes())
    Path(f"{killed}-wal").write_bytes(header)
    # as SQLite makes it: nothing is in its index so far
    Path(f"{killed}-shm").write_bytes(bytes(32768))
    assert not Files(str(killed)).look().log
    with closing(SqliteStore(str(killed))) as store:
        assert [one.id for one in store.scan().headers] == ["20261129T170001_00000001"]


def test_fifos_beside_a_database(tmp_path: Path, temporary: Path) -> None:
    path = with_wal(tmp_path)
    os.mkfifo(path + "-shm")
    assert sqlite_kind(path) == "checkpoints"
    os.unlink(path + "-wal")
    os.mkfifo(path + "-wal")
    with closing(SqliteStore(path)) as store:
        assert len(store.scan().headers) == 1


def test_wal_headers_are_told_by_their_checksum(tmp_path: Path) -> None:
    with closing(sqlite3.connect(make(tmp_path / "a.db"))) as db:
        db.execute("INSERT INTO checkpoints VALUES ('x', '')")
        db.commit()
        header = (tmp_path / "a.db-wal").read_bytes()[:32]
    assert is_wal_header(header)
    assert not is_wal_header(header[:31])
    for at in range(32):
        broken = bytearray(header)
        broken[at] ^= 0x10
        assert not is_wal_header(bytes(broken))


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_an_exclusive_lock_is_answered_in_time(tmp_path: Path, temporary: Path, mode: str) -> None:
    path = make(tmp_path / "a.db", mode)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA locking_mode=EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("INSERT INTO checkpoints VALUES ('new', '{}')")
        started = time.monotonic()
        # in another process: locks do not keep a process from itself
        code = (
            "import sys; from crewcheck.stores.sqlite import SqliteStore;"
            "print(len(SqliteStore(sys.argv[1]).scan().headers))"
        )
        found = subprocess.run([sys.executable, "-c", code, path], capture_output=True)
        assert time.monotonic() - started < 10  # 2 s of patience, and the start of Python
        assert found.stdout == b"2\n", found.stderr


@pytest.mark.parametrize("size", [16, 50, 100, 511])
def test_a_database_cut_within_its_first_page(tmp_path: Path, size: int) -> None:
    path = make(tmp_path / "a.db")
    os.truncate(path, size)
    with pytest.raises(Unreadable, match=f"is a SQLite database cut short after {size} bytes"):
        open_path(path)


def test_a_view_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = f"SELECT id, data FROM ({ENDLESS}) WHERE id = 'none'"
    for name, limit, sql, reason in [
        ("many", 30, ENDLESS, "gives more rows than the file can hold"),
        ("quiet", 0.2, quiet, "did not come to an end within 0.2 s"),
    ]:
        monkeypatch.setattr(sqlite_open, "SCAN_LIMIT", limit)
        path = str(tmp_path / f"{name}.db")
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"CREATE VIEW checkpoints AS {sql}")
        started = time.monotonic()
        with (
            closing(SqliteStore(path)) as store,
            pytest.raises(Unreadable, match=f"`checkpoints` {reason}"),
        ):
            store.scan()
        assert time.monotonic() - started < 10


def test_ctrl_c_ends_a_query(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = str(tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"CREATE VIEW checkpoints AS SELECT * FROM ({ENDLESS}) WHERE id = 'none'")
    # a test run in the background begins with the signal ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    timer = threading.Timer(0.2, _thread.interrupt_main)
    with closing(SqliteStore(path)) as store:

        def interrupted() -> None:
            timer.start()
            store.scan()

        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert time.monotonic() - started < 5
    timer.join()


def test_a_column_may_be_called_rowid(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE checkpoints (id, data, _rowid_)")
        db.executemany(
            "INSERT INTO checkpoints VALUES (?, ?, 'x')", [("a", "{}"), ("b", '{"c":1}')]
        )
        db.commit()
    with closing(SqliteStore(path)) as store:
        headers = store.scan().headers
        assert [(one.key, one.id) for one in headers] == [(1, "a"), (2, "b")]
        assert [store.document(one) for one in headers] == [{}, {"c": 1}]
        assert store.notes(headers[0]) == ()
