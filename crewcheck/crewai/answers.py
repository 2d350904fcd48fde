"""Model calls that work under way had finished are answered from the record.

A task without an output starts anew. What its model had already said to the same messages
is not asked (and paid) again: a text, tools to be called, an object of the class that is
asked for. Where the record cannot tell that for sure (`calls`), the model is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from crewcheck.crewai.calls import Call, finished_calls, forms, tool_names
from crewcheck.crewai.wrapping import Args, answered

Event = Mapping[str, Any]


class Answers:
    """The finished model calls of tasks that run: each answers once, in order."""

    def __init__(self, told: Callable[..., None]) -> None:
        self._told = told
        self._calls: dict[str | None, tuple[Any, list[Call]]] = {}
        self._lock = threading.Lock()

    def add(self, task: Any, task_id: str, events: Iterable[Event]) -> None:
        """Take the finished calls of a task and of all that it started, from all events (in
        order)."""
        calls = finished_calls(within(events, task_id))
        if calls:
            self._calls[task_id] = (task, calls)

    def add_for_anyone(self, events: Iterable[Event]) -> None:
        """Take finished calls that answer whoever asks the same for no task."""
        calls = finished_calls(events)
        if calls:
            self._calls[None] = (None, calls)

    def __bool__(self) -> bool:
        return bool(self._calls)

    def find(self, llm: Any, messages: Any, named: Mapping[str, Any]) -> Any:
        """What a model had said to this request, taken out of the record; None if it had not."""
        wanted, tools = forms(messages), tool_names(named.get("tools"))
        with self._lock:
            task, calls = next((one for one in self._of_whom(named) if one[1]), (None, []))
            for place, call in enumerate(calls):
                if any(call.answers(one, tools) for one in wanted):
                    said = formed(llm, call.response, named)
                    if said is None:
                        return None
                    del calls[place]
                    break
            else:
                return None
        self._told(task, said)
        return said

    def _of_whom(self, named: Mapping[str, Any]) -> Iterable[tuple[Any, list[Call]]]:
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


#: Settings of models that are told what they had thought, or by which id to go on.
_REMEMBERING = ("thinking", "auto_chain", "auto_chain_reasoning")

_current: list[Answers] = []
_patched: set[type] = set()


def arm(answers: Answers, agents: Iterable[Any], llms: Iterable[Any] = ()) -> None:
    """Put the record in front of the models of some agents, and of others."""
    if not answers or has_hooks():
        return
    for llm in [*(getattr(agent, "llm", None) for agent in agents), *llms]:
        kind: Any = type(llm)
        if kind in _patched or not callable(getattr(kind, "call", None)):
            continue
        _patched.add(kind)
        kind.call = answered(kind.call, _recorded, awaited=False)
        if callable(getattr(kind, "acall", None)):
            kind.acall = answered(kind.acall, _recorded, awaited=True)
    _current[:] = [answers]


def disarm() -> None:
    """From now on models are asked."""
    _current.clear()


def has_hooks() -> bool:
    """Whether the user's program looks at answers: it would miss those from the record."""
    try:
        from crewai.hooks import get_after_llm_call_hooks, get_before_llm_call_hooks
    except ImportError:
        return False
    return bool(get_after_llm_call_hooks() or get_before_llm_call_hooks())


def _recorded(llm: Any, args: Args, named: Mapping[str, Any]) -> Any:
    if not _current or remembers(llm):
        return None
    given = by_name(args, named)
    return _current[0].find(llm, given.get("messages"), given)


def by_name(args: Args, named: Mapping[str, Any]) -> dict[str, Any]:
    """What a model's call is given, by name: CrewAI gives the messages and the tools by place."""
    return {**named, **dict(zip(("messages", "tools"), args, strict=False))}


def remembers(llm: Any) -> bool:
    """Whether the next request holds more of this call than its messages: then what was
    not really asked would be missing there."""
    return any(getattr(llm, name, None) for name in _REMEMBERING)


def formed(llm: Any, response: Any, named: Mapping[str, Any]) -> Any:
    """A recorded response as the model's class gives it to this call."""
    if isinstance(response, list):
        # with functions at hand the call would use them by itself, and return what they gave
        return None if named.get("available_functions") else response
    asked = named.get("response_model")
    model: Any = asked or getattr(llm, "response_format", None)
    if not callable(getattr(model, "model_validate", None)):
        return response if isinstance(response, str) else None
    origins = [one.__module__ for one in type(llm).__mro__]
    if "crewai.llm" in origins:  # by way of LiteLLM objects are given as their JSON
        return response if asked is not None and isinstance(response, str) else None
    if not any(one.startswith("crewai.llms.providers.") for one in origins):
        return None  # a class of the user's own: nobody knows what it gives
    try:
        if isinstance(response, str):
            return model.model_validate_json(response)
        return model.model_validate(response)
    except Exception:
        return None
