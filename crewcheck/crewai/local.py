"""A run in the user's own process: it says yes to its plan by itself, and leaves no trace.

The same sessions as in a child, with a channel that hands each message to a function.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from crewcheck.crewai import dumps, telling, writes
from crewcheck.crewai.bus import flush
from crewcheck.crewai.channel import Channel
from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.session import Session
from crewcheck.engine.invalidation import KEEP
from crewcheck.model import words
from crewcheck.runtimes.wire import Message

Confirm = Callable[[list[int]], Mapping[str, Any]]


class LocalChannel(Channel):
    """Takes the messages of a session. ``confirm`` is told which items run, before anything
    does, and gives what ``go`` is to say besides what is kept. ``allow_losses``: say yes to what
    the checkpoint does not tell, too."""

    def __init__(
        self,
        on_message: Callable[[Message], None] | None,
        confirm: Confirm,
        allow_losses: bool = False,
    ) -> None:
        self._on_message = on_message
        self._allow_losses = allow_losses
        self._confirm = confirm
        self._plan: Mapping[str, Any] = {}

    def send(self, kind: str, /, **fields: Any) -> None:
        """Hand a message on."""
        if kind == "plan":
            self._plan = fields
        if self._on_message is not None and kind != "record":  # that is for a supervisor
            self._on_message({"type": kind, **fields})

    def decision(self) -> Message:
        """Go, as planned. Raises `Refusal` for what nobody can tell."""
        doubts = [one for one in self._plan.get("losses") or [] if one.get("doubt")]
        if doubts and not self._allow_losses:
            raise Refusal(
                str(doubts[0]["rule"]),
                f"the checkpoint does not tell whether this would do what the crew does: "
                f"{words.doubts(doubts)}",
                "accept it with allow_losses=True",
            )
        items = self._plan.get("items") or []
        run = [item["index"] for item in items if item["action"] != KEEP]
        keep = [item["index"] for item in items if item["action"] == KEEP]
        return {"type": "go", "keep": keep, **self._confirm(run)}

    def answer(self, prompt_id: str) -> str:
        """Ask the person at the program's own terminal."""
        return input()


def run(session: Session[Any], target: Any, name: str) -> Any:
    """Agree on the plan, run it, and give what the kickoff gave.

    Raises `Refusal`, `NotRun`, or what the user's own code raises. The object and CrewAI's state
    are afterwards as they were, but for the outputs. What stays in CrewAI's classes does
    nothing by itself, but that its checkpoints are written dependably from now on.
    """
    with _as_before(target):
        # CrewAI's runtime state lives in context variables
        return contextvars.copy_context().run(_run, session, target, name)


def _run(session: Session[Any], target: Any, name: str) -> Any:
    try:
        session.say_loaded(target, name, ran_before=False)
        session.say_plan(target)
        session.agree(target)
        result = session.run(target, lambda: session.kickoff(target))
        flush()
        session.finished()
        return result
    finally:
        flush()
        if session.telling is not None:
            telling.deafen(session.telling)


#: What a session changes in the user's objects, and what CrewAI keeps there of a kickoff: with
#: it the next one would run nothing.
_OURS = ("id", "checkpoint")
_KICKOFF = "checkpoint_kickoff_event_id"


@contextmanager
def _as_before(target: Any) -> Iterator[None]:
    parts = [target, *_parts(target)]
    before = [{key: vars(one)[key] for key in _OURS if key in vars(one)} for one in parts]
    writes.harden()
    try:
        yield
    finally:
        dumps.say_nothing(target)
        for one, values in zip(parts, before, strict=True):
            vars(one).update(values)
            if getattr(one, _KICKOFF, None) is not None:
                vars(one)[_KICKOFF] = None


def _parts(target: Any) -> list[Any]:
    """The tasks and agents of a crew."""
    tasks = list(getattr(target, "tasks", None) or [])
    agents = [*(getattr(target, "agents", None) or []), *(one.agent for one in tasks)]
    found = {id(one): one for one in [*tasks, *agents] if one is not None}
    return [one for one in found.values() if hasattr(one, "__dict__")]
