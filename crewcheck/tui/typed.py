"""Values as they are typed in an editor: each keeps its JSON type, and mistakes have a place."""

from __future__ import annotations

import json
import re
from typing import Any

from crewcheck.engine.cut import Cut
from crewcheck.model.harmless import harmless

TEXT, NUMBER, BOOLEAN, LIST, OBJECT, NULL = "text", "number", "boolean", "list", "object", "null"
KINDS = (TEXT, NUMBER, BOOLEAN, LIST, OBJECT, NULL)

#: Longer texts are edited in a program of the person's only.
MOST_IN_PLACE = 64 * 1024

_MASK = re.compile(r"<redacted [^<>]{1,80}>")
_SAYS = {
    NUMBER: "a number, like 3 or 0.5",
    BOOLEAN: "true or false",
    LIST: "a list, like [1, 2]",
    OBJECT: 'an object, like {"a": 1}',
    NULL: "null",
}


class NotThat(ValueError):
    """A text is no value of its kind. ``line`` and ``column`` count from 0."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


def kind_of(value: Any) -> str:
    """The JSON type of a value in a person's words."""
    if isinstance(value, Cut):
        return value.kind
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, (int, float)):
        return NUMBER
    if isinstance(value, str):
        return TEXT
    return LIST if isinstance(value, list) else OBJECT


def written(value: Any) -> str:
    """A value as it stands in an editor."""
    if isinstance(value, str):
        return value
    indent = 2 if isinstance(value, (dict, list)) and value else None
    return json.dumps(value, ensure_ascii=False, indent=indent)


def read(text: str, kind: str) -> Any:
    """The value of a text. Raises `NotThat` where it is none of this kind."""
    if kind == TEXT:
        return text
    try:
        value = read_json(text)
    except NotThat as error:
        if kind in (LIST, OBJECT):
            raise
        raise NotThat(f"this should be {_SAYS[kind]}", error.line, error.column) from None
    if kind_of(value) != kind:
        raise NotThat(f"this is {_a(kind_of(value))}, and it should be {_SAYS[kind]}")
    return value


def read_json(text: str) -> Any:
    """Any JSON value. Raises `NotThat` with the place of the mistake."""
    if not text.strip():
        raise NotThat("there is nothing here")
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        said = error.msg[:1].lower() + error.msg[1:]
        raise NotThat(f"{said} at {where}", error.lineno - 1, error.colno - 1) from None
    except (ValueError, RecursionError) as error:
        raise NotThat(f"this is no JSON: {error}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} has no place in JSON")


def _a(kind: str) -> str:
    return kind if kind == NULL else f"an {kind}" if kind == OBJECT else f"a {kind}"


def is_masked(text: str) -> bool:
    """Whether a secret is hidden in a text: what is written back would be the mask."""
    return _MASK.search(text) is not None


def masked_in(value: Any) -> bool:
    """Whether a secret is hidden anywhere in a value, of any depth."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str) and is_masked(one):
            return True
        if isinstance(one, dict):
            stack += [*map(str, one), *one.values()]
        elif isinstance(one, list):
            stack += one
    return False


def unfit(text: str) -> str:
    """Why a text cannot be edited in place, empty if it can."""
    if len(text) > MOST_IN_PLACE:
        return f"this text is too long to be edited here ({len(text):,} characters)"
    if harmless(text) != text.replace("\r\n", "\n"):
        return "this text holds invisible or control characters, which would be lost here"
    return ""
