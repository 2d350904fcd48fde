"""What people had said to a flow, and what they are asked."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from crewcheck.crewai import prompts
from crewcheck.crewai.flows import values
from crewcheck.crewai.flows.saved import Pause, SavedFlow
from crewcheck.model.document import text
from crewcheck.model.flow_calls import Call


def outcomes_of(flow: Any, method: str) -> tuple[bool, bool]:
    """Whether a person is asked about what a method gives, and whether that leads to
    outcomes."""
    definition = getattr(flow, "_definition", None)
    known = getattr(definition, "methods", {}).get(method)
    feedback = getattr(known, "human_feedback", None)
    if feedback is None:
        feedback = getattr(flow._methods.get(method), "__human_feedback_config__", None)
    return feedback is not None, bool(getattr(feedback, "emit", None))


def result_of(flow: Any, saved: SavedFlow, call: Call, result: Any) -> Any:
    """A recorded result: of a method that a person is asked about, what they said."""
    asks, has_outcomes = outcomes_of(flow, call.method)
    if not asks or has_outcomes or not isinstance(result, dict) or "feedback" not in result:
        return result
    output = values.typed(values.annotation(flow._methods[call.method]), result.get("output"))
    return values.feedback_result(result, output)


def restore(flow: Any, saved: SavedFlow, call: Call, result: Any) -> Any:
    """Let a flow know what was said to a call. Returns that where it made the result a label."""
    asks, has_outcomes = outcomes_of(flow, call.method)
    if not asks:
        return None
    said = result
    if has_outcomes:
        recorded = saved.outputs_of(call)
        own = recorded.get("human_feedback")
        known = own if isinstance(own, dict) else saved.feedback_of(call)
        output = known.get("output", recorded.get("output"))
        output = values.typed(values.annotation(flow._methods[call.method]), output)
        given = {**known, "method_name": call.method, "outcome": text(result)}
        said = values.feedback_result(given, output)
    flow.human_feedback_history.append(said)
    flow.last_human_feedback = said
    return said if has_outcomes else None


def is_pending(result: Any) -> bool:
    """Whether a kickoff has come to its end because a person must answer first."""
    return any(one.__name__ == "HumanFeedbackPending" for one in type(result).__mro__)


def as_paused(pending: Any) -> dict[str, Any]:
    """The fields of a ``paused`` message."""
    context = pending.context
    return {
        "method": str(context.method_name),
        "message": str(context.message),
        "output": values.as_text(context.method_output),
        "outcomes": list(context.emit or []),
        "flow_id": str(context.flow_id),
    }


class Answering:
    """The call that waits for a person is answered: by them now, not by its own provider.

    What it had given is in the project's own record of waiting flows, if that is there:
    then it is not made again, and ``state`` is the state after it. ``clears``: what waits
    there is over with the answer.
    """

    def __init__(self, flow: Any, pause: Pause, *, clears: bool) -> None:
        self.call = pause.call
        self.state = pause.state
        self._pause = pause
        self._flow = flow
        self._clears = clears
        self._persistence: Any = None
        self.known = False
        self._output: Any = None
        self._look()

    def _look(self) -> None:
        """Find what the call had given."""
        with suppress(Exception):
            self._persistence = self._flow.persistence or _default_persistence()
            found = self._persistence.load_pending_feedback(self._pause.flow_id)
            if found is not None and found[1].method_name == self.call.method:
                method = self._flow._methods[self.call.method]
                self._output = values.typed(values.annotation(method), found[1].method_output)
                self.known = True

    def method(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """What is called in place of the method."""
        if not self.known:
            return method

        async def given(*_: Any, **__: Any) -> Any:
            return self._output

        return given

    def provider(self, own: Any) -> Any:
        """Who asks about it, in place of its own provider."""
        return _Person() if own is not None else None

    def answered(self) -> None:
        """It has been answered: nothing waits any more."""
        if self._clears and self._persistence is not None:
            with suppress(Exception):
                self._persistence.clear_pending_feedback(self._pause.flow_id)


def _default_persistence() -> Any:
    try:
        from crewai.flow.persistence.factory import default_flow_persistence
    except ImportError:
        from crewai.flow.persistence import SQLiteFlowPersistence

        return SQLiteFlowPersistence()
    return default_flow_persistence()


class _Person:
    """A provider of feedback that asks the person who resumes."""

    def request_feedback(self, context: Any, flow: Any) -> str:
        """Ask. Where nobody is there the flow waits again."""
        try:
            return _ask(context)
        except EOFError:
            from crewai.flow.async_feedback.types import HumanFeedbackPending

            raise HumanFeedbackPending(context=context) from None


class _Pausing:
    """The project's own provider. Where it lets the flow wait, that is over at once if the
    answer is here: one given beforehand, or, of a flow that had come to wait for it already,
    that of the person who resumes."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def request_feedback(self, context: Any, flow: Any) -> Any:
        """Ask as the project does."""
        try:
            answer = self._own.request_feedback(context, flow)
        except Exception as error:
            return _answer_to(error, context, flow)
        return _awaited(answer, context, flow) if inspect.iscoroutine(answer) else answer


def pausing(own: Any) -> Any:
    """The provider to take in place of a project's own, None where it has none."""
    return _Pausing(own) if own is not None else None


async def _awaited(answer: Any, context: Any, flow: Any) -> Any:
    try:
        return await answer
    except Exception as error:
        return await asyncio.to_thread(_answer_to, error, context, flow)


def _answer_to(error: Exception, context: Any, flow: Any) -> str:
    """What a person says where the project's provider lets the flow wait. Raises the error
    where that is no waiting, or nobody is there."""
    if not is_pending(error):
        raise error
    persistence: Any = None
    with suppress(Exception):
        persistence = flow.persistence or _default_persistence()
    waits = _waits(persistence, context)
    if not (waits or prompts.has_answer()):
        raise error
    try:
        answer = _ask(context)
    except EOFError:
        raise error from None
    if waits:
        with suppress(Exception):
            persistence.clear_pending_feedback(context.flow_id)
    return answer


def _waits(persistence: Any, context: Any) -> bool:
    """Whether an earlier run of a flow has come to wait for the same answer."""
    with suppress(Exception):
        found = persistence.load_pending_feedback(context.flow_id)
        return found is not None and found[1].method_name == context.method_name
    return False


def _ask(context: Any) -> str:
    """Ask what a flow's method asks. Raises `EOFError` where nobody is there."""
    return prompts.ask(
        str(context.message),
        {
            "kind": "human_feedback",
            "method": str(context.method_name),
            "output": values.as_text(context.method_output),
            "outcomes": list(context.emit or []),
            "waits": True,
        },
    )
