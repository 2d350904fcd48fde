"""A reader that looks all the time does not hold a writer up."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from crewcheck.stores.sqlite import SqliteStore
from tests.damaged_databases import TABLE, plain

# As CrewAI writes: a connection for each checkpoint, which waits for locks.
WRITER = """
import sqlite3, sys, time
path, data, count = sys.argv[1], sys.stdin.read(), 200
waits = []
for number in range(count):
    began = time.perf_counter()
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO checkpoints VALUES (?, '', NULL, 'main', ?)",
                   (f"20261129T180000_{sys.argv[2]}{number:06x}", data))
    db.close()
    waits.append(time.perf_counter() - began)
    time.sleep(0.005)
print(sum(waits), max(waits))
"""


@pytest.mark.torture
@pytest.mark.timeout(300)
@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_writer_goes_on_beside_a_reader(tmp_path: Path, mode: str) -> None:
    path = str(tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode={mode}")
        db.execute(TABLE)
    data = plain(1)[0][3]
    alone, _ = written(path, data, "a", None)
    with closing(SqliteStore(path)) as store:
        beside, slowest = written(path, data, "b", store)
        assert len(store.scan().headers) == 400
    assert beside < 4 * alone + 1
    assert slowest < 2


def written(path: str, data: str, mark: str, store: SqliteStore | None) -> tuple[float, float]:
    """Seconds that 200 commits took, and the longest, with ``store`` reading meanwhile."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, path, mark],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdin is not None
    assert writer.stdout is not None
    writer.stdin.write(data)
    writer.stdin.close()
    looks = 0
    while writer.poll() is None:
        if store is None:
            writer.wait()
            break
        headers = store.scan().headers
        for header in headers[-2:]:
            assert store.summary(header).damage is None
        looks += 1
    assert writer.returncode == 0
    assert store is None or looks > 5
    took, longest = writer.stdout.read().split()
    writer.stdout.close()
    return float(took), float(longest)
