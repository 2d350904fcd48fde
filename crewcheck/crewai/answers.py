"""Model calls that work under way had finished are answered from the record.

A task without an output starts anew. What its model had already said to the same messages
is not asked (and paid) again. Only plain texts are answered: what a tool call or a
structured answer was cannot be told from the record for sure.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from crewcheck.model.document import mapping, objects, text

#: What a message is, as far as the model is concerned.
_PARTS = ("role", "content", "tool_call_id", "name")


class Answers:
    """The finished model calls of tasks that run: each answers once, in order."""

    def __init__(self, told: Callable[..., None]) -> None:
        self._told = told
        self._tasks: dict[int, tuple[Any, list[tuple[list[Any], str]]]] = {}
        self._lock = threading.Lock()

    def add(self, task: Any, task_id: str, events: Iterable[Mapping[str, Any]]) -> None:
        """Take the finished calls of a task from its events (in order)."""
        calls = _finished(event for event in events if event.get("task_id") == task_id)
        if calls:
            self._tasks[id(task)] = (task, calls)

    def add_for_anyone(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Take finished calls that answer whoever asks the same for no task."""
        calls = _finished(events)
        if calls:
            self._tasks[id(None)] = (None, calls)

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def find(self, task: Any, messages: Any) -> str | None:
        """What the model had said to these messages, taken out of the record."""
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        wanted = _plain(messages)
        with self._lock:
            owner, calls = self._tasks.get(id(task), (None, []))
            if owner is not task:
                return None
            for place, (recorded, response) in enumerate(calls):
                # the recorded list may have grown by what came after the call
                rest = recorded[len(wanted) :]
                if recorded[: len(wanted)] == wanted and (
                    not rest or rest[0][:2] == ["assistant", response]
                ):
                    del calls[place]
                    break
            else:
                return None
        self._told(task, response)
        return response


def _finished(events: Iterable[Mapping[str, Any]]) -> list[tuple[list[Any], str]]:
    """The finished calls among some events: what was asked, and the text of the answer."""
    asked: dict[str, Mapping[str, Any]] = {}
    calls: list[tuple[list[Any], str]] = []
    for event in events:
        call_id = text(event.get("call_id")) or ""
        if event.get("type") == "llm_call_started":
            asked[call_id] = event
        elif event.get("type") == "llm_call_completed" and call_id in asked:
            response = text(event.get("response"))
            if response and event.get("call_type") == "llm_call":
                calls.append((_plain(asked[call_id].get("messages")), response))
    return calls


def _plain(messages: Any) -> list[Any]:
    made = []
    for message in objects(messages):
        calls = [mapping(one.get("function")) for one in objects(message.get("tool_calls"))]
        parts = [message.get(part) for part in _PARTS]
        made.append([*parts, [[call.get("name"), call.get("arguments")] for call in calls]])
    return made


_current: list[Answers] = []
_patched: set[type] = set()


def arm(answers: Answers, agents: Iterable[Any]) -> None:
    """Put the record in front of the models of some agents."""
    if not answers or _has_hooks():
        return
    for agent in agents:
        kind: Any = type(getattr(agent, "llm", None))
        if kind in _patched or not callable(getattr(kind, "call", None)):
            continue
        _patched.add(kind)
        kind.call = _wrapped(kind.call)
        if callable(getattr(kind, "acall", None)):
            kind.acall = _awrapped(kind.acall)
    _current[:] = [answers]


def disarm() -> None:
    """From now on models are asked."""
    _current.clear()


def _has_hooks() -> bool:
    """Whether the user's program looks at answers: it would miss those from the record."""
    try:
        from crewai.hooks import get_after_llm_call_hooks, get_before_llm_call_hooks
    except ImportError:
        return False
    return bool(get_after_llm_call_hooks() or get_before_llm_call_hooks())


def _recorded(messages: Any, named: Mapping[str, Any]) -> str | None:
    if not _current or named.get("response_model") is not None:
        return None
    return _current[0].find(named.get("from_task"), messages)


def _wrapped(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def answer(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        said = _recorded(messages, named)
        return call(self, messages, *args, **named) if said is None else said

    return answer


def _awrapped(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    async def answer(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        said = _recorded(messages, named)
        return await call(self, messages, *args, **named) if said is None else said

    return answer
