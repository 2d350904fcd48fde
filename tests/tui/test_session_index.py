"""The app's session knows what an earlier one has read."""

from __future__ import annotations

import os
from pathlib import Path

from crewcheck.engine.redaction import Redactor
from crewcheck.tui.session import Session
from tests.build import small_store


def came_in(root: Path) -> tuple[int, list[int | None]]:
    """How many summaries were read, and the progress then known, oldest first."""
    session = Session(str(root), Redactor())
    session.complete()
    read = sum(came for _, came, _ in session.read_summaries(lambda: False))
    summaries = [node.checkpoint.summary for node in session.forest.order]
    done = [summary.done if summary is not None else None for summary in summaries]
    session.close()
    return read, done


def test_what_one_session_read_the_next_one_knows(tmp_path: Path) -> None:
    root = small_store(tmp_path)
    for path in root.rglob("*.json"):
        os.utime(path, (1000, 1000))
    assert came_in(root) == (5, [1, 2, 3, 2, 3])
    assert came_in(root) == (0, [1, 2, 3, 2, 3])
