"""Points in time as a person types them: a date, a time, ``yesterday``, or an age.

An age is a whole number with one of five units: ``90s``, ``30m``, ``2h``, ``3d``, ``1w``.
A bare number and any other unit is refused: ``m`` is minutes and nothing else, and months
cannot be typed.
"""

from __future__ import annotations

import math
import re
import time
from datetime import datetime, timedelta
from typing import NamedTuple

#: How a moment can be written; said wherever one is refused.
WAYS = "write 30m, 2h, 3d, 1w, today, yesterday, 2026-11-29, or 2026-11-29T17:42"

_AGE = re.compile(r"([0-9]{1,9})([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_MOMENT = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[T ](?P<minute>[0-9]{2}:[0-9]{2})(?P<second>:[0-9]{2}(?P<part>[.][0-9]{1,6})?)?)?"
    r"(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?",
    re.IGNORECASE,
)


class Moment(NamedTuple):
    """What was typed as the first and last whole second of it: UTC, as headers have times.

    A day is all of it, a minute its sixty seconds. Compared as texts; before the first
    year it is empty, after the last it is behind all times.
    """

    first: str
    last: str


def parse_moment(typed: str, now: float | None = None) -> Moment:
    """A moment as it was typed; without a zone it is local. Raises `ValueError` with why."""
    text = typed.strip()
    now = time.time() if now is None else now
    age = _AGE.fullmatch(text)
    if age is not None:
        at = now - int(age[1]) * _SECONDS[age[2]]
        return Moment(_iso(math.ceil(at)), _iso(math.floor(at)))
    low = text.lower()
    if low in ("today", "yesterday"):
        day = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
        return _span(day - timedelta(days=low == "yesterday"), timedelta(days=1))
    found = _MOMENT.fullmatch(text)
    if found is None or (found["zone"] and not found["minute"]):
        raise ValueError("it is no time")
    zone = (found["zone"] or "").upper().replace("Z", "+00:00")
    try:
        begin = datetime.fromisoformat(
            f"{found['day']}T{found['minute'] or '00:00'}{found['second'] or ''}{zone}"
        )
    except ValueError:
        raise ValueError("there is no such time") from None
    if found["part"]:
        at = _epoch(begin)
        return Moment(_iso(math.ceil(at)), _iso(math.floor(at)))
    if found["second"]:
        return _span(begin, timedelta(seconds=1))
    return _span(begin, timedelta(minutes=1) if found["minute"] else timedelta(days=1))


def _span(begin: datetime, length: timedelta) -> Moment:
    """From a time to the second before the next one: a local day may have 23 hours."""
    first = _epoch(begin)
    if length < timedelta(days=1):
        return Moment(_iso(first), _iso(first + length.total_seconds() - 1))
    try:
        return Moment(_iso(first), _iso(_epoch(begin + length) - 1))
    except OverflowError:
        return Moment(_iso(first), _LATE)


_LATE = "9999-12-31T23:59:59Z"


def _epoch(at: datetime) -> float:
    try:
        return at.timestamp()
    except (OverflowError, ValueError, OSError):
        # local times at the ends of the calendar
        return -math.inf if at.year < 1000 else math.inf


def _iso(at: float) -> str:
    if at == math.inf or at > 253402300799:
        return _LATE
    if at < -62135596800:
        return ""
    return (datetime(1970, 1, 1) + timedelta(seconds=at)).strftime("%Y-%m-%dT%H:%M:%SZ").zfill(20)
