"""Checkpoint ids and the names of checkpoint files, as CrewAI writes them.

``20261129T174228_176e579a`` is a UTC time to the second and 8 hex digits; the file of a
checkpoint is ``ID_p-PARENT.json`` with ``none`` for no parent (CrewAI 1.14.2 and newer),
or ``ID.json`` (1.14.1, which knows no parents).
"""

from __future__ import annotations

import re
from datetime import datetime

_NAME = re.compile(r"(\d{8}T\d{6}_[0-9a-zA-Z]+)(?:_p-(.+))?\.json", re.DOTALL)
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?:_|\Z)")

# parts of times that have come before, and what they look like in ISO: a store has as
# many times as checkpoints, but few days
_DAYS: dict[str, str] = {}
_MINUTES: dict[str, str] = {}
_SECONDS = {f"{second:02}": f"{second:02}Z" for second in range(60)}
_KEPT_DAYS = 4096


def parse_file_name(name: str) -> tuple[str, str | None, bool] | None:
    """``(id, parent id, whether the name has a place for a parent)``, None if foreign."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    checkpoint_id, parent = found.groups()
    return checkpoint_id, None if parent == "none" else parent, parent is not None


def dated_file_name(name: str) -> tuple[str, str | None, bool, str | None] | None:
    """What `parse_file_name` tells, and the `time_of` the id."""
    # nearly all look the same: a pattern would take twice as long
    checkpoint_id, mark, rest = name.partition("_p-")
    serial = checkpoint_id[16:]
    if mark and serial.isalnum() and serial.isascii() and len(rest) > 5 and rest[-5:] == ".json":
        try:
            if name[8] == "T" and name[15] == "_":
                created = _DAYS[name[:8]] + _MINUTES[name[9:13]] + _SECONDS[name[13:15]]
                return checkpoint_id, None if rest == "none.json" else rest[:-5], True, created
        except KeyError:
            pass
    named = parse_file_name(name)
    return (*named, time_of(named[0])) if named is not None else None


def time_of(text: str | None) -> str | None:
    """UTC ISO time (``2026-11-29T17:42:28Z``) of an id or ``created_at``, None if odd."""
    if not text:
        return None
    try:
        if text[8] == "T" and text[15:16] in "_":
            return _DAYS[text[:8]] + _MINUTES[text[9:13]] + _SECONDS[text[13:15]]
    except (IndexError, KeyError):
        pass
    found = _TIME.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = found.groups()
    try:
        datetime(int(year), int(month), int(day), int(hour), int(minute), int(second))
    except ValueError:
        return None
    if len(_DAYS) < _KEPT_DAYS and text[:15].isascii():
        _DAYS[text[:8]] = f"{year}-{month}-{day}"
        _MINUTES[text[9:13]] = f"T{hour}:{minute}:"
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"
