"""One value of a JSON document by a path: ``entities[0].tasks[1].output.raw``, or a JSON
pointer, ``/entities/0/tasks/1/output/raw``.

Keys with dots or brackets are quoted (``state["odd.key"]``); numbers count from 0, from the
end with a minus. A leading ``$`` is passed over.
"""

from __future__ import annotations

import json
import re
from typing import Any

from crewcheck.errors import NotFound, UsageProblem
from crewcheck.model.harmless import name as shown

_STEP = re.compile(
    r"""\.?(?P<key>[^.\[\]"']+)|\.?\[(?P<number>-?[0-9]{1,9})\]"""
    r"""|\.?\[(?P<quoted>"(?:[^"\\]|\\.)*"|'[^']*')\]"""
)
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_NAMED = 20


def parse_path(path: str) -> list[str]:
    """The steps of a path, numbers as they were typed. Raises `UsageProblem`."""
    if path.startswith("/"):
        return [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]
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
    return steps


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


def value_at(document: Any, path: str) -> Any:
    """The value at a path. Raises `NotFound` that says how far it goes and what is there."""
    value = document
    gone = ""
    for step in parse_path(path):
        if isinstance(value, dict):
            if step not in value:
                raise NotFound(
                    f"{_place(gone)} has no {shown(json.dumps(step))}", _keys(value, step)
                )
            value = value[step]
        elif isinstance(value, list):
            index = int(step) if _NUMBER.fullmatch(step) else None
            if index is None or not -len(value) <= index < len(value):
                raise NotFound(f"{_place(gone)} has no [{shown(step)}]", _numbers(value))
            value = value[index]
        else:
            kind = "a text" if isinstance(value, str) else json.dumps(value)
            raise NotFound(f"{_place(gone)} is {kind}: there is no {shown(step)} in it")
        gone = _further(gone, step)
    return value


def _place(gone: str) -> str:
    return shown(gone) if gone else "the document"


def _further(gone: str, step: str) -> str:
    if _NUMBER.fullmatch(step):
        return f"{gone}[{step}]"
    if re.fullmatch(r"[^.\[\]\"'\s]+", step):
        return f"{gone}.{step}" if gone else step
    return f"{gone}[{json.dumps(step)}]"


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
