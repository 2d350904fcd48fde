"""Where two JSON values differ, and the same as a JSON patch (RFC 6902).

Applying `patch(a, b)` to ``a`` gives ``b``. Time grows with the size of the values, and
any depth will do. Items of lists are paired by their ids where all have one, else what
lists have in common at both ends is kept and the rest is paired in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crewcheck.model.identity import longest_rising
from crewcheck.model.json_values import same_json

ADD, REMOVE, REPLACE = "add", "remove", "replace"

#: Keys and places in lists.
Path = tuple[str | int, ...]

#: Where items of lists keep what they are known by.
_IDS = ("id", "event_id")


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. ``path`` is where it is once the differences before it are applied,
    ``old_path`` where it was (of an added value, where it would have been)."""

    op: str
    path: Path
    old_path: Path
    old: Any = None
    new: Any = None


def differences(old: Any, new: Any) -> Iterator[Difference]:
    """The differences of two JSON values, in an order in which they can be applied."""
    stack: list[tuple[Path, Path, Any, Any]] = [((), (), old, new)]
    while stack:
        path, old_path, a, b = stack.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            for key in a:
                if key not in b:
                    yield Difference(REMOVE, (*path, key), (*old_path, key), old=a[key])
            inner = []
            for key, value in b.items():
                if key not in a:
                    yield Difference(ADD, (*path, key), (*old_path, key), new=value)
                elif a[key] is not value:
                    inner.append(((*path, key), (*old_path, key), a[key], value))
            stack += reversed(inner)
        elif isinstance(a, list) and isinstance(b, list):
            kept = _kept(a, b)
            olds, news = {one for one, _ in kept}, {one for _, one in kept}
            for at in range(len(a) - 1, -1, -1):
                if at not in olds:
                    yield Difference(REMOVE, (*path, at), (*old_path, at), old=a[at])
            for at, value in enumerate(b):
                if at not in news:
                    yield Difference(ADD, (*path, at), (*old_path, at), new=value)
            stack += (((*path, j), (*old_path, i), a[i], b[j]) for i, j in reversed(kept))
        elif not same_json(a, b):
            yield Difference(REPLACE, path, old_path, a, b)


def _kept(a: list[Any], b: list[Any]) -> list[tuple[int, int]]:
    """The places of items that are the same one in both lists, in order."""
    for key in _IDS:
        ids, others = _ids(a, key), _ids(b, key)
        if ids is not None and others is not None:
            places = {one: at for at, one in enumerate(others)}
            common = [(at, places[one]) for at, one in enumerate(ids) if one in places]
            if common:
                return [common[at] for at in longest_rising([place for _, place in common])]
    shorter = min(len(a), len(b))
    if len(a) == len(b):
        return [(at, at) for at in range(shorter)]
    start = 0
    while start < shorter and same_json(a[start], b[start]):
        start += 1
    end = 0
    while end < shorter - start and same_json(a[-1 - end], b[-1 - end]):
        end += 1
    middle = shorter - end
    return [
        *((at, at) for at in range(middle)),
        *((len(a) - at, len(b) - at) for at in range(end, 0, -1)),
    ]


def _ids(items: list[Any], key: str) -> list[str] | None:
    """What the items are known by, None unless each has an id of its own."""
    ids: list[str] = []
    for item in items:
        one = item.get(key) if isinstance(item, dict) else None
        if not isinstance(one, str):
            return None
        ids.append(one)
    return ids if ids and len(set(ids)) == len(ids) else None


def patch(old: Any, new: Any) -> list[dict[str, Any]]:
    """The operations that make the new value of the old one."""
    return [operation(one) for one in differences(old, new)]


def operation(difference: Difference) -> dict[str, Any]:
    """A difference as an operation of a JSON patch."""
    made = {"op": difference.op, "path": pointer(difference.path)}
    return made if difference.op == REMOVE else made | {"value": difference.new}


def pointer(path: Path) -> str:
    """A path as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
