"""What is too large to be read is not read, and says so; its neighbours are as ever."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from crewcheck.model.scan import Damage
from crewcheck.stores import sqlite_open
from crewcheck.stores.base import MAX_BYTES, TOO_LARGE, DamagedDocument
from crewcheck.stores.flow_states import FlowStatesStore
from crewcheck.stores.json_dir import JsonDirStore
from crewcheck.stores.sqlite import SqliteStore
from tests.build import crew, document, event, ident, task, write
from tests.damaged_databases import filled, jsonb, plain

TOO_MUCH = Damage("unreadable", TOO_LARGE)
proc = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
HUGE = 300 * 1000 * 1000


def peak() -> int:
    """The most memory that this process has had, in MiB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used // (1024 * 1024 if sys.platform == "darwin" else 1024)


def test_a_file_without_end(tmp_path: Path) -> None:
    path = write(tmp_path, b"", ident(1))
    os.truncate(path, 2 * MAX_BYTES)  # without its blocks
    os.utime(path, (1, 1))
    write(tmp_path, document(crew(task())), ident(2))
    store = JsonDirStore(str(tmp_path))
    before = peak()
    found = {header.id: header for header in store.scan().headers}
    assert found[ident(1)].size == 2 * MAX_BYTES
    assert store.summary(found[ident(1)]).damage == TOO_MUCH
    with pytest.raises(DamagedDocument) as caught:
        store.document(found[ident(1)])
    assert caught.value.damage == TOO_MUCH
    assert store.summary(found[ident(2)]).damage is None
    assert peak() - before < 100


def test_head_and_tail_of_a_huge_file_tell_its_summary(tmp_path: Path) -> None:
    data = json.dumps(document(crew(task(output="x")), events=[event(1, "x", text="HOLE")]))
    head, tail = data.split("HOLE")
    path = write(tmp_path, head, ident(1))
    with open(path, "r+b") as file:
        file.seek(MAX_BYTES)
        file.write(tail.encode())
    store = JsonDirStore(str(tmp_path))
    (header,) = store.scan().headers
    before = peak()
    summary = store.summary(header)
    assert (summary.damage, summary.done, summary.trigger) == (None, 1, "task_completed")
    with pytest.raises(DamagedDocument):
        store.document(header)
    assert peak() - before < 100


def test_a_row_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_open, "MAX_BYTES", 100_000)
    good = json.dumps(document(crew(task())))
    large = json.dumps(document(crew(task(output="x" * 100_000))))
    rows = [(ident(n), None, "main", one) for n, one in enumerate((good, large, jsonb(large)), 1)]
    filled(tmp_path / "a.db", rows)
    with closing(SqliteStore(str(tmp_path / "a.db"))) as store:
        first, text, binary = store.scan().headers
        # of a text its head and tail are enough
        assert [store.summary(one).damage for one in (first, text)] == [None, None]
        assert store.summary(binary).damage == TOO_MUCH
        for header in (text, binary):
            with pytest.raises(DamagedDocument) as caught:
                store.document(header)
            assert caught.value.damage == TOO_MUCH


def test_a_flow_state_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_open, "MAX_BYTES", 100_000)
    path = tmp_path / "flow.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE flow_states (id INTEGER PRIMARY KEY, flow_uuid, state_json)")
        for state in ('{"id": "a"}', json.dumps({"id": "a", "x": "x" * 100_000})):
            db.execute("INSERT INTO flow_states (flow_uuid, state_json) VALUES ('a', ?)", (state,))
        db.commit()
    os.utime(path, (1, 1))
    with closing(FlowStatesStore(str(path))) as store:
        first, second = store.scan().headers
        assert store.summary(first).damage is None
        damage = store.summary(second).damage
        assert damage is not None
        assert (damage.rule, TOO_LARGE in damage.message) == ("unreadable", True)
        with pytest.raises(DamagedDocument, match=r"too large to be read"):
            store.document(second)


def commands(store: Path) -> int:
    """Run list, tree and info (of its first) on a store; the most memory that one had, in MiB."""
    most = 0
    for command in (["list", store], ["tree", store], ["info", "-l", store, ident(1)]):
        code = (
            "import sys; from crewcheck.cli.main import run; code = run(sys.argv[1:]);"
            "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0],"
            " file=sys.stderr); sys.exit(code)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, command)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert ident(1) in done.stdout
        most = max(most, int(done.stderr.splitlines()[-1]) // 1024)
    return most


@proc
@pytest.mark.torture
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kind", ["text", "binary"])
def test_a_row_of_300_megabytes_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.db"
    data = json.dumps(document(crew(task(output="x")), events=[event(1, "x", text="y" * HUGE)]))
    huge = jsonb(data) if kind == "binary" else data
    filled(path, [*plain(2), (ident(3), ident(2), "main", huge)])
    with closing(SqliteStore(str(path))) as store:
        header = store.scan().headers[2]
        summary = store.summary(header)
        assert (summary.damage, summary.done, summary.trigger) == (None, 1, "task_completed")
        nodes = store.document(header)["event_record"]["nodes"]
        assert len(nodes["event-1"]["event"]["text"]) == HUGE
    assert commands(path) < 750  # SQLite's copy and ours
    path.unlink()  # pytest would keep it


@proc
@pytest.mark.torture
@pytest.mark.timeout(1200)
def test_a_row_of_900_megabytes_costs_a_listing_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path, plain(2))
    with closing(sqlite3.connect(path)) as db:
        sql = "INSERT INTO checkpoints VALUES (?, '', NULL, 'main', zeroblob(900000000))"
        db.execute(sql, (ident(3),))
        db.commit()
    assert commands(path) < 100
    path.unlink()
