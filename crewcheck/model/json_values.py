"""Whether two JSON values are the same. Stdlib only."""

from __future__ import annotations

from typing import Any


def same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, types included: 3 is not "3", and 1 not true.

    The order of an object's keys says nothing. NaN is the same as NaN. Of any depth.
    """
    stack = [(one, other)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, dict):
            if a.keys() != b.keys():
                return False
            stack += [(value, b[key]) for key, value in a.items()]
        elif isinstance(a, list):
            if len(a) != len(b):
                return False
            stack += zip(a, b, strict=True)
        elif a != b and (a == a or b == b):
            return False
    return True
