"""What holds for all tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def own_index(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test has an index of its own, never the user's."""
    path = tmp_path_factory.mktemp("index") / "index.db"
    monkeypatch.setenv("CREWCHECK_INDEX", str(path))
    return path


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many examples `tests.property.many` has run in a long test run."""
    counts = [
        (report.nodeid, value)
        for report in terminalreporter.getreports("passed")
        for key, value in report.user_properties
        if key == "examples" and value >= 1000
    ]
    if counts:
        terminalreporter.section("examples")
        for test, count in sorted(counts):
            terminalreporter.write_line(f"{count:>9,}  {test}")
        terminalreporter.write_line(f"{sum(count for _, count in counts):>9,}  in all")
