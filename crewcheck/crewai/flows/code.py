"""What the code of the user's functions names."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType
from typing import Any


def function_of(method: Any) -> Any:
    """The user's own function of a method of a flow."""
    function = getattr(method, "__func__", method)
    while hasattr(function, "unwrap"):
        function = function.unwrap()
    return function


def codes(function: Any) -> Iterator[CodeType]:
    """A function's code, and that of comprehensions and functions in it."""
    code = getattr(function, "__code__", None)
    found = [code] if code is not None else []
    for one in found:
        yield one
        found += [inner for inner in one.co_consts if isinstance(inner, CodeType)]


def names(function: Any) -> set[str]:
    """The names of globals and attributes."""
    return {name for code in codes(function) for name in code.co_names}


def attributes(function: Any, parameter: int = 0, *, stored: bool = False) -> list[str]:
    """The attributes of a parameter that are read, or set."""
    own = next((code.co_varnames[: code.co_argcount] for code in codes(function)), ())
    if len(own) <= parameter:
        return []
    found: dict[str, None] = {}
    wanted = ("STORE_ATTR",) if stored else ("LOAD_ATTR", "LOAD_METHOD")
    for code in codes(function):
        before: Any = None
        for one in dis.get_instructions(code):
            # from Python 3.13 on one instruction may load two
            loaded = before[-1] if isinstance(before, tuple) and before else before
            if one.opname in wanted and loaded == own[parameter]:
                found[str(one.argval)] = None
            before = one.argval
    return list(found)
