"""What holds for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_index(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test has an index of its own, never the user's."""
    path = tmp_path_factory.mktemp("index") / "index.db"
    monkeypatch.setenv("CREWCHECK_INDEX", str(path))
    return path
