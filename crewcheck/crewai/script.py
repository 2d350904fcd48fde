"""The user's own program, run as ``__main__`` with the recording armed.

It runs until a crew (or flow, agent) is kicked off that is the checkpoint's, with its inputs:
there it waits for ``go``, and that kickoff answers from the recording. Before it, nothing
else may be kicked off unless that is allowed; after it, the program is on its own.
"""

from __future__ import annotations

import functools
import inspect
import os
import runpy
import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.session import Session

HINT = "allow it to run with --allow-before, or name the {kind} with --entry MODULE:ATTR"

#: What starts a run. CrewAI's other ways (for each, async) come down to these.
_KICKOFFS = ("kickoff", "kickoff_async", "akickoff")

_inside: ContextVar[bool] = ContextVar("inside an allowed kickoff", default=False)


class Watch:
    """Stands before the kickoffs. ``leave`` ends the process at once: in the middle of a
    program, an exception would still run what it does in the end."""

    def __init__(self, session: Session[Any], leave: Callable[[BaseException], None]) -> None:
        self._session = session
        self._leave = leave
        self._lock = threading.RLock()
        self.taken = False
        self.entry = ""
        self.differences: list[str] = []

    def install(self) -> None:
        """Patch the kickoffs of what can be kicked off."""
        from crewai import Agent, Crew
        from crewai.flow.flow import Flow

        kinds: list[tuple[str, Any]] = [("crew", Crew), ("agent", Agent)]
        if self._session.saved.kind == "flow":  # else it may be what the crew is run in
            kinds.append(("flow", Flow))
        for kind, owner in kinds:
            for name in _KICKOFFS:
                original = getattr(owner, name, None)
                if callable(original):
                    setattr(owner, name, self._watched(kind, original))

    def _watched(self, kind: str, original: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(original):

            @functools.wraps(original)
            async def akickoff(target: Any, *args: Any, **named: Any) -> Any:
                if _streams(kind, target):
                    return await original(target, *args, **named)
                given = by_name(original, target, args, named)
                before = self._before(kind, target, given)
                if before is not None:
                    return before[0]
                if not self._ours(kind, target, given):
                    with _Inside():
                        return await original(target, *args, **named)
                given = self._session.arguments(given)
                return await self._session.arun(target, lambda: original(target, **given))

            return akickoff

        @functools.wraps(original)
        def kickoff(target: Any, *args: Any, **named: Any) -> Any:
            if _streams(kind, target):
                return original(target, *args, **named)
            given = by_name(original, target, args, named)
            before = self._before(kind, target, given)
            if before is not None:
                return before[0]
            if not self._ours(kind, target, given):
                with _Inside():
                    return original(target, *args, **named)
            given = self._session.arguments(given)
            return self._session.run(target, lambda: original(target, **given))

        return kickoff

    def _before(self, kind: str, target: Any, given: dict[str, Any]) -> tuple[Any] | None:
        """What a kickoff before ours gave, where the checkpoint tells: it is not made again."""
        with self._lock:
            if self.taken or _inside.get():
                return None
            if self._matches(kind, target, given):
                return None
            try:
                return self._session.earlier(kind, target, given)
            except Refusal as error:
                self._leave(error)
                raise

    def _ours(self, kind: str, target: Any, given: dict[str, Any]) -> bool:
        """Whether this is the kickoff to go on with; then it has been agreed on."""
        session = self._session
        with self._lock:
            if self.taken or _inside.get() or getattr(target, "suppress_flow_events", False):
                return False
            try:
                if not self._matches(kind, target, given):
                    if not session.spec.allow_before:
                        name = getattr(target, "name", None) or getattr(target, "role", None)
                        raise Refusal(
                            "before-the-match",
                            f"the program kicks off {name or f'a {kind}'} before the "
                            f"{session.saved.kind} of this checkpoint",
                            HINT.format(kind=session.saved.kind),
                            self.differences,
                        )
                    return False
                self.taken = True
                session.say_loaded(target, self.entry, ran_before=True)
                session.say_plan(target, ran_before=self.entry)
                session.agree(target)
            except BaseException as error:
                self._leave(error)
                raise
        return True

    def _matches(self, kind: str, target: Any, given: dict[str, Any]) -> bool:
        if kind != self._session.saved.kind:
            return False
        same, self.differences = self._session.differences(target, given)
        return same


def by_name(
    kickoff: Callable[..., Any], target: Any, args: tuple[Any, ...], named: dict[str, Any]
) -> dict[str, Any]:
    """What a kickoff is given, by the names of its parameters: what is put in the place of one
    then is not taken for the next. Raises `TypeError` as the call itself would."""
    signature = inspect.signature(kickoff)
    given = dict(signature.bind(target, *args, **named).arguments)
    del given[next(iter(signature.parameters))]
    for one in signature.parameters.values():
        if one.kind is one.VAR_KEYWORD:
            given.update(given.pop(one.name, {}))
    return given


def _streams(kind: str, target: Any) -> bool:
    """Whether a kickoff only gives a stream: while it is read the crew or flow kicks itself off
    again, and that is the kickoff that runs it."""
    return kind in ("crew", "flow") and bool(getattr(target, "stream", False))


class _Inside:
    """While this holds, what is kicked off belongs to a kickoff that is not ours."""

    def __enter__(self) -> None:
        self._token = _inside.set(True)

    def __exit__(self, *_: object) -> None:
        _inside.reset(self._token)


def run(
    session: Session[Any], file: str, args: list[str], leave: Callable[[BaseException], None]
) -> None:
    """Run the program to its end. Raises `Refusal`, or what the program raises."""
    path = os.path.abspath(file)
    if not os.path.isfile(path):
        raise Refusal("script-not-found", f"there is no file {file}")
    watch = Watch(session, leave)
    watch.entry = file
    watch.install()
    sys.argv = [file, *args]
    sys.path.insert(0, os.path.dirname(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as error:
        if error.code not in (None, 0):
            raise RuntimeError(f"the program left with {error.code}") from None
    if not watch.taken:
        raise NeverMatched(
            f"the program came to its end without kicking off the {session.saved.kind} of this "
            "checkpoint" + "".join(f"; {line}" for line in watch.differences[:3])
        )


class NeverMatched(Exception):
    """The program ran, and what was to be gone on with was never kicked off."""
