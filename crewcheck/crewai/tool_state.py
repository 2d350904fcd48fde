"""What a tool keeps for itself from one call to the next: a replay does not bring it back.

Of a call only its text is recorded. Told is what can be seen in a tool's class: what it keeps
elsewhere, in its module or in a file, nobody can know.
"""

from __future__ import annotations

import dis
from collections import deque
from collections.abc import Iterator
from types import CodeType
from typing import Any

_CONTAINERS = (dict, list, set, deque)
_CHANGING = {"append", "add", "update", "extend", "insert", "setdefault", "pop", "remove", "clear"}
#: Methods that only prepare a tool.
_PREPARING = {"__init__", "__new__", "model_post_init"}


def state_of(tool: Any) -> list[str]:
    """The names of the attributes that a tool's own methods assign, or, where they are
    containers, change."""
    kinds = [one for one in type(tool).__mro__ if not one.__module__.startswith(("crewai.", "pyd"))]
    named = {name for kind in kinds for name in _attributes(kind)}
    changed = {name for kind in kinds for code in _methods(kind) for name in _changed(code, tool)}
    return sorted(named & changed)


def _attributes(kind: type) -> Iterator[str]:
    yield from vars(kind).get("__private_attributes__", {})
    yield from vars(kind).get("__annotations__", {})


def _methods(kind: type) -> Iterator[CodeType]:
    for name, value in vars(kind).items():
        code = getattr(getattr(value, "__func__", value), "__code__", None)
        if isinstance(code, CodeType) and name not in _PREPARING:
            yield code


def _changed(code: CodeType, tool: Any) -> Iterator[str]:
    steps = list(dis.get_instructions(code))
    changes = any(step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR") for step in steps)
    changes = changes or not _CHANGING.isdisjoint(code.co_names)
    for step in steps:
        if step.opname == "STORE_ATTR":
            yield str(step.argval)
        elif step.opname == "LOAD_ATTR" and changes:
            name = str(step.argval)
            if isinstance(getattr(tool, name, None), _CONTAINERS):
                yield name
