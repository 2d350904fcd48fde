"""Stores of synthetic checkpoints, written once and kept for the next bench.

    python -m tests.bench.stores FOLDER NAME...

writes the stores that are missing (in a process of its own: the measuring one stays small,
since a child's peak memory is never less than its parent's). A store is a function of its
parameters, modification times included. Runs are resumed on their branch (siblings), forked,
and forks are forked again; ids carry whole seconds, so some share theirs.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import sys
import time
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.bench.documents import Shape, Step, steps

_START = 1_767_600_000  # 2026-01-05T08:00:00Z
_VARIANTS = 8
_FORKS, _RESUMES, _DEEPEST = 0.35, 0.25, 5
_TABLE = (
    "CREATE TABLE IF NOT EXISTS checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, "
    "parent_id TEXT, branch TEXT NOT NULL DEFAULT 'main', data JSONB NOT NULL)"
)


class Spec(NamedTuple):
    """A store to be written: ``kind`` is ``json``, ``text`` or ``jsonb`` (SQLite), ``single``
    (one document of about ``size`` bytes) or ``pair`` (two such, of different runs);
    ``size`` is the mean of the documents, give or take a tenth."""

    kind: str
    amount: int
    size: int

    @property
    def name(self) -> str:
        size = self.size // 1000
        return f"{self.kind}-{self.amount}x{size}KB"

    @property
    def bytes(self) -> int:
        return int(self.amount * self.size * 1.15)


class Placed(NamedTuple):
    """A checkpoint in its lineage: the ``step``-th of ``run``; forks are part of it."""

    id: str
    parent: str | None
    branch: str
    stamp: int
    run: int
    step: int

    @property
    def created_at(self) -> str:
        return self.id.partition("_")[0]


def lineage(count: int, length: int, seed: int = 0) -> Iterator[Placed]:
    """``count`` checkpoints of runs of ``length`` steps, each run's oldest first."""
    rng = random.Random(seed)
    made = runs = 0
    now = _START
    # what is to run: (run, branch, parent, first step, forks above)
    pending: list[tuple[int, str, str | None, int, int]] = []
    while True:
        if not pending:
            pending.append((runs, "main", None, 0, 0))
            runs += 1
        run, branch, parent, first, depth = pending.pop()
        for step in range(first, length):
            stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now))
            id = f"{stamp}_{rng.getrandbits(32):08x}"
            yield Placed(id, parent, branch, now * 10**9 + made % 10**6 * 1000, run, step)
            made += 1
            if made == count:
                return
            parent = id
            now += rng.choice((0, 1, 3, 20))
            if depth < _DEEPEST and step + 1 < length:
                chance = rng.random() * (depth + 1)
                if chance < _FORKS:
                    name = rng.choice((f"fork/{id}_{rng.getrandbits(24):06x}", f"try-{made}"))
                    pending.append((run, name, id, step + 1, depth + 1))
                elif chance < _FORKS + _RESUMES:
                    pending.append((run, branch, id, step + 1, depth + 1))
        now += rng.randint(1, 90)


@cache
def shape_for(size: int, last: bool = False) -> Shape:
    """The run whose documents have a mean of ``size`` bytes, or whose ``last`` one has it."""
    tasks = next(
        tasks
        for tasks, most in ((1, 60_000), (2, 140_000), (4, 1_000_000), (8, 5_000_000), (24, 10**12))
        if size < most
    )

    def mean(text: int) -> float:
        shape = Shape(tasks, text, size >= 60_000)
        if last:
            return float(_length(next(steps(shape, 0, only_last=True))))
        runs = [[_length(step) for step in steps(shape, n)] for n in range(_VARIANTS)]
        placed = list(lineage(500, 2 * tasks))
        return sum(runs[one.run % _VARIANTS][one.step] for one in placed) / len(placed)

    low, high = 50, max(1000, size // 100)
    slope = (mean(high) - mean(low)) / (high - low)
    return Shape(tasks, max(50, round(low + (size - mean(low)) / slope)), size >= 60_000)


def _length(step: Step) -> int:
    return len(step.entities) + len(step.record) + 150


def documents(spec: Spec) -> Iterator[tuple[Placed, str]]:
    """The checkpoints of a store and their documents."""
    shape = shape_for(spec.size)
    runs = [list(steps(shape, variant)) for variant in range(_VARIANTS)]
    for placed in lineage(spec.amount, 2 * shape.tasks):
        step = runs[placed.run % _VARIANTS][placed.step]
        yield placed, step.document(placed.run, placed.parent, placed.branch)


def write_json(root: Path, made: Iterable[tuple[Placed, str]]) -> None:
    """A folder as CrewAI writes it: ``BRANCH/ID_p-PARENT.json``."""
    folders: set[str] = set()
    for placed, document in made:
        if placed.branch not in folders:
            folders.add(placed.branch)
            os.makedirs(os.path.join(root, placed.branch), exist_ok=True)
        name = f"{placed.id}_p-{placed.parent or 'none'}.json"
        path = os.path.join(root, placed.branch, name)
        with open(path, "wb") as file:
            file.write(document.encode("ascii"))
        os.utime(path, ns=(placed.stamp, placed.stamp))


def write_sqlite(path: Path, made: Iterable[tuple[Placed, str]], binary: bool) -> None:
    """A database as CrewAI writes it; ``binary``: documents in SQLite's JSONB, else text.

    apsw brings an SQLite that has JSONB. The database is out of WAL mode when done.
    """
    insert = "INSERT INTO checkpoints VALUES (?, ?, ?, ?, {})"
    rows = ((p.id, p.created_at, p.parent, p.branch, document) for p, document in made)
    if binary:
        import apsw

        database = apsw.Connection(str(path))
        database.execute("PRAGMA synchronous=OFF")
        database.execute(_TABLE)
        with database:
            database.executemany(insert.format("jsonb(?)"), rows)
        database.close()
    else:
        text = sqlite3.connect(path)
        text.execute("PRAGMA synchronous=OFF")
        text.execute(_TABLE)
        with text:
            text.executemany(insert.format("?"), rows)
        text.close()


def write(spec: Spec, path: Path) -> None:
    """Write a store at a path that does not exist yet."""
    if spec.kind in ("text", "jsonb"):
        write_sqlite(path, documents(spec), binary=spec.kind == "jsonb")
        return
    path.mkdir(parents=True)
    if spec.kind == "json":
        write_json(path, documents(spec))
        return
    shape = shape_for(spec.size, last=True)
    last = 2 * shape.tasks - 1
    for run, placed in enumerate(lineage(spec.amount, last + 1)):
        (step,) = steps(shape, run, only_last=True)
        alone = placed._replace(parent=None, branch="main", run=run, step=last)
        write_json(path, [(alone, step.document(run, None, "main"))])


class Stores:
    """The folder that the stores are kept in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, spec: Spec) -> Path:
        """Where a store is: its name tells which code has written it."""
        ending = ".db" if spec.kind in ("text", "jsonb") else ""
        return self.folder / f"{spec.name}-{_version()}{ending}"

    def missing(self, specs: Iterable[Spec]) -> list[Spec]:
        return [spec for spec in dict.fromkeys(specs) if not self.path(spec).exists()]

    def mine(self) -> list[Path]:
        """All stores in the folder, old and half-written ones too."""
        kinds = ("json", "text", "jsonb", "single", "pair")
        return [path for kind in kinds for path in self.folder.glob(f"{kind}-[0-9]*x[0-9]*KB-*")]

    def build(self, spec: Spec) -> None:
        """Write a store, in place of those that earlier code has written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.glob(f"{spec.name}-*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        part = self.path(spec).with_name(f"{self.path(spec).name}.part")
        write(spec, part)
        part.rename(self.path(spec))


@cache
def _version() -> str:
    """Changes with the code that writes the stores."""
    here = Path(__file__).parent
    code = b"".join((here / name).read_bytes() for name in ("documents.py", "stores.py"))
    return f"{zlib.crc32(code):08x}"


def main(folder: str, *names: str) -> None:
    stores = Stores(Path(folder))
    for name in names:
        kind, _, rest = name.partition("-")
        count, _, size = rest.removesuffix("KB").partition("x")
        spec = Spec(kind, int(count), int(size) * 1000)
        began = time.perf_counter()
        stores.build(spec)
        took = time.perf_counter() - began
        print(f"{name} written in {took:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
