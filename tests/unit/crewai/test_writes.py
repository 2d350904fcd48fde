"""Rows of checkpoints that a run adds to a database, whatever version made it."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from crewcheck.crewai.writes import _write_row

NOW = (
    "CREATE TABLE IF NOT EXISTS checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, "
    "parent_id TEXT, branch TEXT NOT NULL DEFAULT 'main', data JSONB NOT NULL)"
)
#: CrewAI 1.14.1
THEN = (
    "CREATE TABLE checkpoints (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, data JSONB NOT NULL)"
)


@pytest.fixture(autouse=True)
def _provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of CrewAI's module that is used."""
    provider = SimpleNamespace(_make_id=lambda: ("c1", "20261130T000000"), _CREATE_TABLE=NOW)
    package = ModuleType("crewai.state.provider")
    package.sqlite_provider = provider  # type: ignore[attr-defined]
    for name in ("crewai", "crewai.state"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "crewai.state.provider", package)


def written(path: Path) -> tuple[list[str], list[object]]:
    where = _write_row(None, '{"a": 1}', str(path), parent_id="c0", branch="what-if")
    assert where == f"{path}#c1"
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT *, typeof(data) FROM checkpoints")
    names, row = [one[0] for one in found.description], list(found.fetchone())
    connection.close()
    return names[:-2], row[:-2]


def test_a_new_database_gets_parent_and_branch(tmp_path: Path) -> None:
    assert written(tmp_path / "new.db") == (
        ["id", "created_at", "parent_id", "branch"],
        ["c1", "20261130T000000", "c0", "what-if"],
    )


def test_an_old_table_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    connection = sqlite3.connect(path)
    connection.execute(THEN)
    connection.close()
    assert written(path) == (["id", "created_at"], ["c1", "20261130T000000"])
