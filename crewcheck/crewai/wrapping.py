"""Putting something in front of CrewAI's methods, whether they are awaited or not."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

Args = tuple[Any, ...]
Named = dict[str, Any]


def answered(
    method: Callable[..., Any],
    find: Callable[[Any, Args, Mapping[str, Any]], Any],
    *,
    awaited: bool,
) -> Callable[..., Any]:
    """A method that gives what ``find`` does for its object and arguments; where that is None,
    it is really called."""
    if awaited:

        @functools.wraps(method)
        async def answer(self: Any, *args: Any, **named: Any) -> Any:
            found = find(self, args, named)
            return await method(self, *args, **named) if found is None else found

    else:

        @functools.wraps(method)
        def answer(self: Any, *args: Any, **named: Any) -> Any:
            found = find(self, args, named)
            return method(self, *args, **named) if found is None else found

    return answer


def held(
    method: Callable[..., Any],
    hold: Callable[[Any, Args, Named], AbstractContextManager[tuple[Args, Named]]],
    *,
    awaited: bool,
) -> Callable[..., Any]:
    """A method that is called within what ``hold`` gives for its object and arguments, with
    the arguments that that gives."""
    if awaited:

        @functools.wraps(method)
        async def again(self: Any, *args: Any, **named: Any) -> Any:
            with hold(self, args, named) as (given, by_name):
                return await method(self, *given, **by_name)

    else:

        @functools.wraps(method)
        def again(self: Any, *args: Any, **named: Any) -> Any:
            with hold(self, args, named) as (given, by_name):
                return method(self, *given, **by_name)

    return again
