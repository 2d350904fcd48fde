"""A whole document as a person reads it, made in small steps so that other threads go on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

#: Levels that are opened one by one; what is below is small.
_OPENED = 4


def pretty(value: Any) -> str:
    """A JSON value on indented lines, keys in their order, all characters as they are."""
    return "".join(pieces(value))


def pieces(value: Any, level: int = 0) -> Iterator[str]:
    """The parts of that text, one after the other."""
    if level >= _OPENED or not value or not isinstance(value, (dict, list)):
        text = _formatted(value)
        yield text.replace("\n", "\n" + "  " * level) if level else text
        return
    is_dict = isinstance(value, dict)
    yield "{" if is_dict else "["
    between = "\n" + "  " * (level + 1)
    for place, at in enumerate(value if is_dict else range(len(value))):
        yield "," + between if place else between
        if is_dict:
            yield json.dumps(at, ensure_ascii=False) + ": "
        yield from pieces(value[at], level + 1)
    yield "\n" + "  " * level + ("}" if is_dict else "]")


def _formatted(value: Any) -> str:
    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, ensure_ascii=False)
    import msgspec

    text = json.dumps(value, ensure_ascii=False)
    try:
        return msgspec.json.format(text, indent=2)
    except (msgspec.MsgspecError, UnicodeError):  # NaN, halves of surrogate pairs
        return json.dumps(value, indent=2, ensure_ascii=False)
