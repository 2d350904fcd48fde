"""Model calls that work under way had finished are answered from the record.

A task without an output starts anew. What its model had already said to the same request is
not asked (and paid) again: texts, tool calls, and answers in the form of a class. What cannot
be given back exactly as it was is asked again. Tools: `tool_answers`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crewcheck.crewai import given_back
from crewcheck.model.document import mapping, objects, text

#: What a message is, as far as the model is concerned.
_PARTS = ("role", "content", "tool_call_id", "name")

Event = Mapping[str, Any]


@dataclass(frozen=True)
class _Call:
    """A finished call: what was asked with which tools, and what was said."""

    messages: list[Any]
    tools: frozenset[str]
    response: Any

    def answers(self, messages: list[list[Any]], tools: frozenset[str]) -> bool:
        """Whether it was the same request. ``messages`` are forms that they may have."""
        return self.tools == tools and any(self._begins(wanted) for wanted in messages)

    def _begins(self, wanted: list[Any]) -> bool:
        # the recorded list may have grown by what came after the call
        rest = self.messages[len(wanted) :]
        return self.messages[: len(wanted)] == wanted and (
            not rest or rest[0] == _said(self.response)
        )


class Answers:
    """The finished model calls of tasks that run: each answers once, in order."""

    def __init__(self, told: Callable[..., None]) -> None:
        self._told = told
        self._calls: dict[str | None, tuple[Any, list[_Call]]] = {}
        self._lock = threading.Lock()

    def add(self, task: Any, task_id: str, events: Iterable[Event]) -> None:
        """Take the finished calls of a task and of all that it started, from all events (in
        order)."""
        calls = _finished(within(events, task_id))
        if calls:
            self._calls[task_id] = (task, calls)

    def add_for_anyone(self, events: Iterable[Event]) -> None:
        """Take finished calls that answer whoever asks the same for no task."""
        calls = _finished(events)
        if calls:
            self._calls[None] = (None, calls)

    def __bool__(self) -> bool:
        return bool(self._calls)

    def find(self, llm: Any, messages: Any, named: Mapping[str, Any]) -> Any:
        """What a model had said to this request, taken out of the record; None if it had not."""
        wanted = _forms(messages)
        tools = _tool_names(named.get("tools"))
        with self._lock:
            task, calls = next((one for one in self._of_whom(named) if one[1]), (None, []))
            for place, call in enumerate(calls):
                if not call.answers(wanted, tools):
                    continue
                answer = given_back.answer(llm, call.response, named)
                if answer is not None:
                    del calls[place]
                    break
            else:
                return None
        self._told(task, call.response)
        return answer

    def _of_whom(self, named: Mapping[str, Any]) -> Iterable[tuple[Any, list[_Call]]]:
        """The calls of the task that is at work, be it by another agent."""
        asking = getattr(named.get("from_task"), "id", None)
        for key in dict.fromkeys([current_task_id(), asking and str(asking)]):
            if key in self._calls:
                yield self._calls[key]


def current_task_id() -> str | None:
    """The task that CrewAI is at, in this context."""
    try:
        from crewai.context import get_current_task_id
    except ImportError:
        return None
    found: str | None = get_current_task_id()
    return found


def within(events: Iterable[Event], task_id: str) -> list[Event]:
    """The events of a task, and of what it started: other agents, guardrails."""
    inside: set[Any] = set()
    found = []
    for event in events:
        if event.get("task_id") == task_id or event.get("parent_event_id") in inside:
            inside.add(event.get("event_id"))
            found.append(event)
    return found


def _finished(events: Iterable[Event]) -> list[_Call]:
    """The finished calls among some events."""
    asked: dict[str, Event] = {}
    calls: list[_Call] = []
    for event in events:
        call_id = text(event.get("call_id")) or ""
        if event.get("type") == "llm_call_started":
            asked[call_id] = event
        elif event.get("type") == "llm_call_completed" and call_id in asked:
            response = event.get("response")
            wanted = str if event.get("call_type") == "llm_call" else list
            if response and isinstance(response, (wanted, dict)):
                began = asked[call_id]
                calls.append(
                    _Call(_plain(began.get("messages")), _tool_names(began.get("tools")), response)
                )
    return calls


def _tool_names(tools: Any) -> frozenset[str]:
    return frozenset(
        str(mapping(one.get("function")).get("name") or one.get("name")) for one in objects(tools)
    )


def _forms(messages: Any) -> list[list[Any]]:
    """Messages as they are, and as CrewAI writes them down: what is deep is cut."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    try:
        from crewai.utilities.serialization import to_serializable
    except ImportError:
        return [_plain(messages)]
    return [_plain(messages), _plain(to_serializable(messages))]


def _plain(messages: Any) -> list[Any]:
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return [_message(message) for message in objects(messages)]


def _message(message: Mapping[str, Any]) -> list[Any]:
    calls = [mapping(one.get("function")) for one in objects(message.get("tool_calls"))]
    parts = [message.get(part) for part in _PARTS]
    return [*parts, [[call.get("name"), call.get("arguments")] for call in calls]]


def _said(response: Any) -> list[Any]:
    """The message that follows a call, where the list goes on."""
    if isinstance(response, str):
        return _message({"role": "assistant", "content": response})
    return _message({"role": "assistant", "tool_calls": response})


_current: list[Answers] = []
_patched: set[type] = set()


def arm(answers: Answers, agents: Iterable[Any], llms: Iterable[Any] = ()) -> None:
    """Put the record in front of the models of some agents, and of others."""
    if not answers or _has_hooks():
        return
    for llm in [*(getattr(agent, "llm", None) for agent in agents), *llms]:
        kind: Any = type(llm)
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


def _recorded(llm: Any, messages: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    if not _current:
        return None
    if args:  # CrewAI gives tools first
        named = {**named, "tools": args[0]}
    return _current[0].find(llm, messages, named)


def _wrapped(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def answer(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        said = _recorded(self, messages, args, named)
        return call(self, messages, *args, **named) if said is None else said

    return answer


def _awrapped(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    async def answer(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        said = _recorded(self, messages, args, named)
        return await call(self, messages, *args, **named) if said is None else said

    return answer
