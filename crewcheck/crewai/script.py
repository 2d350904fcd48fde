"""The user's own program, run as ``__main__`` with the recording armed.

It runs until a crew is kicked off that has the tasks and the inputs of the checkpoint:
there it waits for ``go``, and that kickoff answers from the recording. Before it, nothing
else may be kicked off unless that is allowed; after it, the program is on its own.
"""

from __future__ import annotations

import functools
import os
import runpy
import sys
import threading
from collections.abc import Callable
from typing import Any

from crewcheck.crewai import match, recording
from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.session import Session

HINT = "allow it to run with --allow-before, or name the crew with --entry MODULE:ATTR"


class Watch:
    """Stands before `Crew.kickoff`. ``leave`` ends the process at once: in the middle of a
    program, an exception would still run what it does in the end."""

    def __init__(self, session: Session, leave: Callable[[BaseException], None]) -> None:
        self._session = session
        self._leave = leave
        self._lock = threading.RLock()
        self.taken = False
        self.entry = ""
        self.differences: list[str] = []

    def install(self, before: Callable[[Any], None] | None = None) -> None:
        """Patch the kickoffs. ``before`` is called instead where no script is run."""
        from crewai import Crew

        Crew.kickoff = self._kickoff(Crew.kickoff)
        if callable(getattr(Crew, "akickoff", None)):
            Crew.akickoff = self._akickoff(Crew.akickoff)

    def _kickoff(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def kickoff(crew: Any, inputs: Any = None, *args: Any, **named: Any) -> Any:
            if not self._ours(crew, inputs):
                return original(crew, inputs, *args, **named)
            named.pop("from_checkpoint", None)

            def go(given: Any) -> Any:
                return original(crew, given, *args, **named)

            return self._session.run(crew, go)

        return kickoff

    def _akickoff(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        async def akickoff(crew: Any, inputs: Any = None, *args: Any, **named: Any) -> Any:
            if not self._ours(crew, inputs):
                return await original(crew, inputs, *args, **named)
            named.pop("from_checkpoint", None)

            async def go(given: Any) -> Any:
                return await original(crew, given, *args, **named)

            return await self._session.arun(crew, go)

        return akickoff

    def _ours(self, crew: Any, inputs: Any) -> bool:
        """Whether this is the kickoff to go on with; then it has been agreed on."""
        with self._lock:
            if self.taken:
                return False
            try:
                if not self._matches(crew, inputs):
                    if not self._session.spec.allow_before:
                        raise Refusal(
                            "before-the-match",
                            f"the program kicks off {crew.name or 'a crew'} before the crew of "
                            "this checkpoint",
                            HINT,
                            self.differences,
                        )
                    return False
                self.taken = True
                self._session.say_loaded(crew, self.entry, ran_before=True)
                self._session.say_plan(crew, ran_before=self.entry)
                self._session.agree(crew)
            except BaseException as error:
                self._leave(error)
                raise
        return True

    def _matches(self, crew: Any, inputs: Any) -> bool:
        saved = self._session.saved
        self.differences = [one.line for one in match.compare(crew, saved)]
        if not crew.before_kickoff_callbacks and not recording.same_inputs(inputs, saved.inputs):
            self.differences += _inputs_differ(saved.inputs, inputs)
        elif self.differences and self._session.spec.allow_changed:
            return len(crew.tasks) == len(saved.tasks) or crew.name == saved.name
        return not self.differences


def _inputs_differ(before: Any, now: Any) -> list[str]:
    before, now = dict(before or {}), dict(now or {})
    return [
        f"input {name}: {before.get(name)!r} in the checkpoint, {now.get(name)!r} in the program"
        for name in {**before, **now}
        if name not in before or name not in now or before[name] != now[name]
    ] or ["inputs: their types differ"]


def run(
    session: Session, file: str, args: list[str], leave: Callable[[BaseException], None]
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
            "the program came to its end without kicking off the crew of this checkpoint"
            + "".join(f"; {line}" for line in watch.differences[:3])
        )


class NeverMatched(Exception):
    """The program ran, and the crew was never kicked off."""
