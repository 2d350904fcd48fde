"""Places in a JSON value, as a person names them: ``plan.steps[0].name`` or ``/plan/steps/0``.

Keys with dots or brackets are written as a JSON pointer (RFC 6901).
"""

from __future__ import annotations

import re
from typing import Any

from crewcheck.errors import NotFound, UsageProblem
from crewcheck.model.harmless import name as shown

Path = tuple[str | int, ...]

_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")
_PLAIN = re.compile(r"[^.\[\]/]+")


def parse_path(text: str) -> Path:
    """The steps of a path; numbers of a pointer are told from keys when it is followed.

    Raises `UsageProblem`.
    """
    if text.startswith("/"):
        return tuple(one.replace("~1", "/").replace("~0", "~") for one in text[1:].split("/"))
    steps: list[str | int] = []
    place = 0
    while place < len(text):
        step = _STEP.match(text, place)
        if step is None or (place == 0 and step[0].startswith(".")):
            raise UsageProblem(
                f'"{shown(text)}" is no path', "write it as plan.steps[0].name or /plan/steps/0"
            )
        steps.append(step[1] if step[1] is not None else int(step[2]))
        place = step.end()
    if not steps:
        raise UsageProblem("the path is empty", "write it as plan.steps[0].name or /plan/steps/0")
    return tuple(steps)


def write_path(path: Path) -> str:
    """A path in the form that reads best: with dots where each key allows it."""
    if all(isinstance(one, int) or _PLAIN.fullmatch(one) for one in path):
        parts = [f"[{one}]" if isinstance(one, int) else f".{one}" for one in path]
        return "".join(parts).removeprefix(".")
    escaped = (str(one).replace("~", "~0").replace("/", "~1") for one in path)
    return "/" + "/".join(escaped)


def follow(value: Any, path: Path) -> Any:
    """What is at a path. Raises `NotFound`, which says how far it goes and what is there."""
    at = value
    for place, step in enumerate(path):
        at = _into(at, step, path[:place])
    return at


def holds(value: Any, path: Path) -> bool:
    """Whether there is something at a path."""
    try:
        follow(value, path)
    except NotFound:
        return False
    return True


def changed_at(value: Any, path: Path, new: Any, before: Path = ()) -> tuple[Any, Any]:
    """A copy of a value with something else at a path: ``(copy, what was there or None)``.

    The last key may be new, and a list may grow by one at its end. ``before`` is where the
    value itself is. Raises `NotFound`.
    """
    if not path:
        return new, value
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        key = str(step)
        if not rest:
            return {**value, key: new}, value.get(key)
        if key not in value:
            raise _nothing(value, step, before)
        inner, old = changed_at(value[key], rest, new, (*before, step))
        return {**value, key: inner}, old
    if isinstance(value, list):
        index = _index(step)
        if index is not None and index == len(value) and not rest:
            return [*value, new], None
        if index is None or index >= len(value):
            raise _nothing(value, step, before)
        inner, old = changed_at(value[index], rest, new, (*before, step))
        return [*value[:index], inner, *value[index + 1 :]], old
    raise _nothing(value, step, before)


def _into(value: Any, step: str | int, before: Path) -> Any:
    if isinstance(value, dict) and str(step) in value:
        return value[str(step)]
    if isinstance(value, list):
        index = _index(step)
        if index is not None and index < len(value):
            return value[index]
    raise _nothing(value, step, before)


def _index(step: str | int) -> int | None:
    if isinstance(step, int):
        return step
    return int(step) if step.isascii() and step.isdigit() else None


def _nothing(value: Any, step: str | int, before: Path) -> NotFound:
    where = f"in {shown(write_path(before))} " if before else ""
    if isinstance(value, dict):
        keys = ", ".join(shown(str(key)) for key in list(value)[:12])
        there = f"there are: {keys}" if keys else "it is an empty object"
    elif isinstance(value, list):
        there = f"it is a list of {len(value)}, counted from 0"
    else:
        there = "it is a single value"
    return NotFound(f'no "{shown(str(step))}" {where}'.rstrip(), there)
