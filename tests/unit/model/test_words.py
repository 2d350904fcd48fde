"""Times, sizes and triggers in words."""

from __future__ import annotations

import pytest

from crewcheck.model import words
from tests.tui.conftest import NOW


@pytest.mark.parametrize(
    ("created", "said"),
    [
        ("2026-11-29T17:59:58Z", "just now"),
        ("2026-11-29T17:59:18Z", "42s ago"),
        ("2026-11-29T17:42:00Z", "18m ago"),
        ("2026-11-29T12:42:00Z", "5h ago"),
        ("2026-11-25T12:42:00Z", "4d ago"),
        ("2026-02-25T12:42:00Z", "25 Feb"),
        ("2019-02-25T12:42:00Z", "Feb 2019"),
        ("2026-11-30T17:59:58Z", "ahead"),
        ("9999-99-99T99:99:99Z", ""),
        ("odd", ""),
        (None, ""),
    ],
)
def test_ago(created: str | None, said: str) -> None:
    assert words.ago(created, NOW) == said
    assert len(said) <= 8


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0s"),
        (0.0031, "3.1ms"),
        (0.42, "420ms"),
        (3.21, "3.2s"),
        (59.97, "1m 00s"),
        (3725, "1h 02m"),
        (None, ""),
    ],
)
def test_took(seconds: float | None, said: str) -> None:
    assert words.took(seconds) == said


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 KB"),
        (66_280, "66 KB"),
        (999_700, "1.0 MB"),
        (None, ""),
    ],
)
def test_size(amount: int | None, said: str) -> None:
    assert words.size(amount) == said


def test_triggers() -> None:
    assert words.trigger_words("task_completed") == "task done"
    assert words.trigger_words("some_new_event") == "some new event"
    assert words.trigger_words("a\x1b[2Jb") == "a␛[2Jb"
    assert words.trigger_words(None) == ""
