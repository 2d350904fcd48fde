"""One value of a JSON document by a path: ``entities[0].tasks[1].output.raw``, or a JSON
pointer, ``/entities/0/tasks/1/output/raw``.

Keys with dots or brackets are quoted (``state["odd.key"]``); numbers count from 0, from the
end with a minus. A leading ``$`` is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from crewcheck.errors import NotFound, UsageProblem
from crewcheck.model.harmless import name as shown


class Removed:
    """Stands for nothing, where a key of an object is taken away."""

    def __repr__(self) -> str:
        return "gone"


REMOVED = Removed()

#: The steps of a path; numbers are told from keys when it is followed.
Path = tuple[str, ...]

_STEP = re.compile(
    r"""\.?(?P<key>[^.\[\]"']+)|\.?\[(?P<number>-?[0-9]{1,9})\]"""
    r"""|\.?\[(?P<quoted>"(?:[^"\\]|\\.)*"|'[^']*')\]"""
)
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_NAMED = 20


def parse_path(path: str) -> Path:
    """The steps of a path, numbers as they were typed. Raises `UsageProblem`."""
    if path.startswith("/"):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/"))
    steps: list[str] = []
    at = 1 if path.startswith("$") else 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None or (path[at] not in ".[" and steps):
            raise UsageProblem(
                f'"{shown(path)}" is no path: "{shown(path[at : at + 20])}" cannot be read',
                "write entities[0].tasks[1].output.raw, or /entities/0/tasks/1/output/raw",
            )
        steps.append(_step(found))
        at = found.end()
    return tuple(steps)


def _step(found: re.Match[str]) -> str:
    quoted = found["quoted"]
    if quoted is None:
        return found["key"] or found["number"]
    if quoted[0] == "'":
        return quoted[1:-1]
    try:
        return str(json.loads(quoted))
    except ValueError:
        return quoted[1:-1]


def write_path(steps: Iterable[str]) -> str:
    """A path as `parse_path` reads it, in the form that reads best."""
    gone = ""
    for step in steps:
        gone = _further(gone, step)
    return gone


def value_at(document: Any, path: str, what: str = "the document") -> Any:
    """The value at a path. Raises `NotFound` that says how far it goes and what is there;
    ``what`` is what a person calls the whole."""
    value = document
    gone = ""
    for step in parse_path(path):
        value = value[_key(value, step, gone or what)]
        gone = _further(gone, step)
    return value


def changed_at(value: Any, steps: Sequence[str], new: Any, where: str) -> tuple[Any, Any]:
    """A copy of a value with something else at a path: ``(copy, what was there or None)``.

    The last key may be new, and a list may grow by one at its end; `REMOVED` takes a key away.
    ``where`` is what a person calls the value. Raises `NotFound`.
    """
    if not steps:
        return new, value
    step, rest = steps[0], steps[1:]
    if not rest and isinstance(value, dict) and new is REMOVED:
        key = _key(value, step, where)
        return {one: inner for one, inner in value.items() if one != key}, value[key]
    if not rest and isinstance(value, list) and new is REMOVED:
        raise NotFound(f"{shown(where)} is a list: only a key can be taken away", "set the list")
    if not rest and isinstance(value, dict) and step not in value:
        return {**value, step: new}, None
    if not rest and isinstance(value, list) and step == str(len(value)):
        return [*value, new], None
    key = _key(value, step, where)
    inner, old = changed_at(value[key], rest, new, _further(where, step))
    copy = value.copy()
    copy[key] = inner
    return copy, old


def holds(value: Any, steps: Iterable[str]) -> bool:
    """Whether there is something at a path."""
    try:
        for step in steps:
            value = value[_key(value, step, "it")]
    except NotFound:
        return False
    return True


def _key(value: Any, step: str, where: str) -> Any:
    """The key or place in a list that a step means. Raises `NotFound`."""
    if isinstance(value, dict):
        if step not in value:
            raise NotFound(f"{shown(where)} has no {shown(json.dumps(step))}", _keys(value, step))
        return step
    if isinstance(value, list):
        index = int(step) if _NUMBER.fullmatch(step) else None
        if index is None or not -len(value) <= index < len(value):
            raise NotFound(f"{shown(where)} has no [{shown(step)}]", _numbers(value))
        return index
    kind = "a text" if isinstance(value, str) else json.dumps(value)
    raise NotFound(f"{shown(where)} is {kind}: there is no {shown(step)} in it")


def _further(gone: str, step: str) -> str:
    gone = gone.removeprefix("the ")  # "the state" as a whole, but "state.size"
    if _NUMBER.fullmatch(step):
        return f"{gone}[{step}]"
    # what begins a path with one of these is read as another form of it
    if re.fullmatch(r"[^.\[\]\"'\s]+", step) and (gone or step[0] not in "/$"):
        return f"{gone}.{step}" if gone else step
    return f"{gone}[{json.dumps(step, ensure_ascii=False)}]"


def _keys(value: dict[str, Any], wanted: str) -> str:
    from difflib import get_close_matches

    if not value:
        return "it is empty"
    close = get_close_matches(wanted, list(value)[:5000], 3, 0.7)
    keys = [*close, *(key for key in value if key not in close)]
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return f"there are {', '.join(map(shown, keys[:_NAMED]))}{more}"


def _numbers(value: list[Any]) -> str:
    if not value:
        return "it is an empty list"
    return "there is [0] only" if len(value) == 1 else f"there are [0] to [{len(value) - 1}]"
