"""Oddities of a JSON text that can be read all the same: what a person should know of it.

They are no damage. Nothing here parses a text a second time without a hint that it pays.
"""

from __future__ import annotations

import json
import re
from typing import Any

from crewcheck.stores.base import MAX_DEPTH

#: Above this many bytes repeated keys are not looked for: that takes a second parse.
MAX_FOR_KEYS = 4 * 1024 * 1024
_SHOWN = 3
_CONTAINERS = frozenset({dict, list})

# half of a surrogate pair, without the other half; whether the backslash is itself escaped
# is looked at afterwards
_HALF = re.compile(
    rb"\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u)[dD][c-fC-F][0-9a-fA-F]{2})"
)


def count_keys(value: Any) -> int | None:
    """How many keys its objects have; None if it has more than `MAX_DEPTH` levels."""
    count = 0
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(MAX_DEPTH):
        if not level:
            return count
        count += sum([len(one) for one in level if type(one) is dict])
        level = [
            inner
            for one in level
            for inner in (one.values() if type(one) is dict else one)
            if type(inner) in _CONTAINERS
        ]
    return None if level else count


def oddities(data: bytes, keys: int, constants: set[str]) -> list[str]:
    """What is odd about a text in which ``keys`` were read, and ``constants`` that JSON does
    not have. Each is the end of a sentence about the text."""
    found = [f"contains {name}, which is not JSON" for name in sorted(constants)]
    if data.startswith(b"\xef\xbb\xbf"):
        found.append("begins with a byte order mark")
    half = _lone_surrogate(data)
    if half:
        found.append(f"contains {half}, half of a character, which is no valid text")
    repeated = _repeated_keys(data, keys)
    if repeated:
        shown = ", ".join(json.dumps(key) for key in repeated[:_SHOWN])
        more = f" and {len(repeated) - _SHOWN} more" if len(repeated) > _SHOWN else ""
        found.append(f"repeats a key of an object ({shown}{more}): the last value counts")
    return found


def _lone_surrogate(data: bytes) -> str | None:
    for half in _HALF.finditer(data):
        before = at = half.start()
        while before and data[before - 1] == 0x5C:
            before -= 1
        if (at - before) % 2 == 0:
            return half[0].decode()
    return None


def _repeated_keys(data: bytes, keys: int) -> list[str]:
    """The keys that occur twice in one object, each once."""
    if len(data) > MAX_FOR_KEYS:
        return []
    # Keys end in `":`, which a text can hold only as `\":` (or begin with, but that is rare).
    # So where there are as many as keys have been read, none can have been there twice.
    found = data.count(b'":')
    if found == keys or found - data.count(b'\\":') == keys:
        return []
    repeated: dict[str, None] = {}

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            seen = set()
            for key, _ in pairs:
                if key in seen:
                    repeated[key] = None
                seen.add(key)
        return made

    json.loads(data.decode("utf-8-sig"), object_pairs_hook=checked)
    return list(repeated)
