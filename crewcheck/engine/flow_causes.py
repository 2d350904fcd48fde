"""Which call a call of a flow was set off by.

CrewAI runs the routers behind a method first, one after the other, and then names the last
of them as the cause of all that follows: also of what listens to the method itself, or to
the label of an earlier router. What a method listens to tells which it was.

Stdlib only and Python 3.10: the child uses it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from crewcheck.model.flow_calls import DONE


class Caused(Protocol):
    """What is needed of a call."""

    @property
    def method(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def result(self) -> Any: ...
    @property
    def cause(self) -> int | None: ...


C = TypeVar("C", bound=Caused)


def label_of(result: object) -> str | None:
    """The label that a router's result is, None where it leads nowhere."""
    return str(result) if isinstance(result, (str, int, float)) else None


def gives(call: Caused, name: str, is_router: Callable[[str], bool]) -> bool:
    """Whether the end of a call is what a listener of that name waits for."""
    if call.method == name:
        return True
    return call.state == DONE and is_router(call.method) and label_of(call.result) == name


def set_off_by(
    call: C, calls: Sequence[C], waits_for: Iterable[str], is_router: Callable[[str], bool]
) -> int | None:
    """The position of the call that set a call off, as far as ``waits_for`` tells; else of
    the one that the record names. ``is_router`` is asked about methods."""
    names = list(waits_for)
    found = at = call.cause
    is_known = False
    while at is not None:
        if any(gives(calls[at], name, is_router) for name in names):
            found, is_known = at, True  # CrewAI goes on with the first of them first
        at = calls[at].cause if is_router(calls[at].method) else None
    return found if is_known else call.cause
