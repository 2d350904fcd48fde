"""What a supervisor answers to requests on its socket.

Each order is taken at most once: of two answers to one question, or two `go`, the first
wins and the other is told so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crewcheck.runtimes.run_state import PLANNING, RUNNING
from crewcheck.runtimes.wire import Message

if TYPE_CHECKING:
    from crewcheck.runtimes.supervisor import Supervisor

_OK: Message = {"type": "ok"}


class Orders:
    """Takes requests for a supervisor."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._prepared = list(supervisor.spec.answers)

    def handle(self, request: Message) -> Message:
        """Do what is asked, and say what came of it."""
        kind = request["type"]
        if kind == "attach":
            return _OK
        if kind == "status":
            return {"type": "status", "status": self._supervisor.state.as_dict()}
        order = {
            "go": self._go,
            "abort": self._abort,
            "answer": self._answer,
            "cancel": self._cancel,
        }.get(kind)
        if order is None:
            return _error(f"a supervisor takes no order {kind!r}")
        return order(request)

    def prepared_answer(self, prompt: Message) -> None:
        """Answer a prompt with what was prepared for it, if something was."""
        if self._prepared:
            text = self._prepared.pop(0)
            self._give({"type": "answer", "id": prompt.get("id"), "text": text})

    def _go(self, request: Message) -> Message:
        state = self._supervisor.state
        if self._supervisor.ending.begun or state.state not in (PLANNING, RUNNING):
            return _error(f"the run is over already: {state.state}")
        if state.state == RUNNING:
            return _error("the run has begun already", "follow it, or cancel it")
        if not state.waiting:
            return _error("there is no plan yet", "wait for the plan, then confirm it")
        self._supervisor.go()
        self._supervisor.record(request)
        self._supervisor.tell_child(request)
        return _OK

    def _abort(self, request: Message) -> Message:
        state = self._supervisor.state
        if state.state == RUNNING:
            return _error("the run has begun already", "cancel it instead")
        if state.state == PLANNING and not self._supervisor.ending.begun:
            why = request.get("message")
            self._supervisor.abort(why if isinstance(why, str) else "it was not confirmed")
        return _OK

    def _answer(self, request: Message) -> Message:
        asked = {one.get("id") for one in self._supervisor.state.prompts}
        wanted = request.get("id")
        if isinstance(wanted, (dict, list)) or wanted not in asked:
            return _error(
                "this question does not wait for an answer: it was answered, or the run has ended",
                "see the run for the question that waits now",
            )
        given = request.get("text", "")
        text = None if given is None else str(given)
        self._give({"type": "answer", "id": wanted, "text": text})
        return _OK

    def _give(self, answer: Message) -> None:
        self._supervisor.record(answer)
        self._supervisor.tell_child(answer)

    def _cancel(self, _: Message) -> Message:
        if self._supervisor.state.live:
            self._supervisor.cancel()
        return _OK


def _error(message: str, hint: str = "") -> Message:
    return {"type": "error", "message": message, "hint": hint}
