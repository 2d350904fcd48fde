from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from crewcheck.model.moments import Moment, parse_moment

NOW = 1_795_975_200.5  # 2026-11-29T18:00:00.5Z, a Sunday


@pytest.fixture(autouse=True)
def _berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An hour ahead of UTC in winter, two in summer; the clock goes back on 25 October 2026."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("typed", "first", "last"),
    [
        ("90s", "2026-11-29T17:58:31Z", "2026-11-29T17:58:30Z"),
        ("30m", "2026-11-29T17:30:01Z", "2026-11-29T17:30:00Z"),
        ("2h", "2026-11-29T16:00:01Z", "2026-11-29T16:00:00Z"),
        ("3d", "2026-11-26T18:00:01Z", "2026-11-26T18:00:00Z"),
        ("1w", "2026-11-22T18:00:01Z", "2026-11-22T18:00:00Z"),
        ("today", "2026-11-28T23:00:00Z", "2026-11-29T22:59:59Z"),
        ("Yesterday", "2026-11-27T23:00:00Z", "2026-11-28T22:59:59Z"),
        ("2026-11-29", "2026-11-28T23:00:00Z", "2026-11-29T22:59:59Z"),
        ("2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z"),  # has 25 hours
        ("2026-07-01T12:30", "2026-07-01T10:30:00Z", "2026-07-01T10:30:59Z"),
        ("2026-11-29 17:42:28", "2026-11-29T16:42:28Z", "2026-11-29T16:42:28Z"),
        ("2026-11-29T17:42:28Z", "2026-11-29T17:42:28Z", "2026-11-29T17:42:28Z"),
        ("2026-11-29t17:42:28.5z", "2026-11-29T17:42:29Z", "2026-11-29T17:42:28Z"),
        ("2026-11-29T17:42+05:30", "2026-11-29T12:12:00Z", "2026-11-29T12:12:59Z"),
        ("2026-11-29T17:42-0800", "2026-11-30T01:42:00Z", "2026-11-30T01:42:59Z"),
        ("999999999w", "", ""),
        ("9999-12-31", "9999-12-30T23:00:00Z", "9999-12-31T23:59:59Z"),
    ],
)
def test_what_is_typed_is_a_span_of_whole_seconds(typed: str, first: str, last: str) -> None:
    assert parse_moment(typed, NOW) == Moment(first, last)


def test_the_first_years_are_before_all_times() -> None:
    assert parse_moment("0001-01-01", NOW).first < "1970"


@pytest.mark.parametrize(
    "typed",
    ["", "3", "20261129", "2026", "3M", "3mo", "3 months", "3y", "-2h", "2.5h", "1h30m", "h",
     "2026-11-29Z", "2026-11", "17:42", "tomorrow", "٣h", "2026-W48", "1" * 400 + "h"],
)  # fmt: skip
def test_what_is_no_time_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match="it is no time"):
        parse_moment(typed, NOW)


@pytest.mark.parametrize("typed", ["2026-13-01", "2026-02-30", "2026-11-29T25:00", "0000-01-01"])
def test_what_is_not_in_the_calendar_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match="there is no such time"):
        parse_moment(typed, NOW)
