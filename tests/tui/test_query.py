"""The filter."""

from __future__ import annotations

import pytest

from crewcheck.tui.query import Term, parse, search
from tests.tui.forests import forked


def test_terms() -> None:
    assert parse("Status:Failed  task") == [Term("status", "failed"), Term("", "task")]
    assert parse("branch: x") == [Term("", "x")]
    assert parse("10:42") == [Term("", "10:42")]
    assert parse("  ") == []


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("id000007", 1),
        ("branch:exp", 2),
        ("task done", 9),
        ("TASK_COMPLETED", 9),
        ("status:finished", 1),
        ("status:finished branch:exp", 0),
        ("name:newsroom kind:crew", 9),
        ("[red]", 0),
        (".*", 0),
    ],
)
def test_words_are_literal_and_all_needed(query: str, hits: int) -> None:
    match = search(forked(), query)
    assert match is not None
    assert len(match.hits) == hits


def test_nothing_asked_and_cancelled() -> None:
    assert search(forked(), "") is None
    assert search(forked(), "x", lambda: True) is None
