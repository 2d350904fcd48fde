"""Tool calls that work under way had finished are answered from the record.

So what a tool did to the world is not done twice. The result is the text that the agent was
given; each answers once, in order, the same tool with the same arguments.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from crewcheck.crewai.answers import Event, current_task_id, within
from crewcheck.crewai.wrapping import Args, answered
from crewcheck.model.document import text

#: CrewAI's reminder of the tools that there are is not the tool's own text.
_REMINDER = "You ONLY have access to the following tools"

_Key = tuple[str, str]

#: Stands for the task of a call that is made for none.
_NO_TASK = ""


class ToolAnswers:
    """The finished tool calls of tasks that run, or of an agent that has no task."""

    def __init__(self, told: Callable[..., None]) -> None:
        self._told = told
        self._tasks: dict[str, tuple[Any, dict[_Key, list[str]]]] = {}
        self._lock = threading.Lock()

    def add(self, task: Any, task_id: str, events: Iterable[Event]) -> None:
        """Take the finished calls of a task and of all that it started, from all events (in
        order)."""
        calls = _finished(within(events, task_id), lambda one: _begins_task(one, task_id))
        if calls:
            self._tasks[task_id] = (task, calls)

    def add_for_anyone(self, events: Iterable[Event], begins: Callable[[Event], bool]) -> None:
        """Take finished calls that answer whoever makes the same for no task. ``begins``:
        whether an attempt begins with an event."""
        calls = _finished(events, begins)
        if calls:
            self._tasks[_NO_TASK] = (None, calls)

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def find(self, tool: Any, arguments: Any) -> str | None:
        """What a tool had given, taken out of the record; None if it had not."""
        name = plain_name(getattr(tool, "name", ""))
        with self._lock:
            task, calls = self._tasks.get(current_task_id() or _NO_TASK, (None, {}))
            outputs = calls.get((name, _plain(arguments)))
            if not outputs:
                return None
            output = outputs.pop(0)
        self._told(task, name)
        return output


def _begins_task(event: Event, task_id: str) -> bool:
    return event.get("type") == "task_started" and event.get("task_id") == task_id


def _finished(events: Iterable[Event], begins: Callable[[Event], bool]) -> dict[_Key, list[str]]:
    """Tool and arguments -> outputs. An attempt that goes on makes its calls again, in the
    record, too: of several attempts the one counts that got furthest."""
    best: dict[_Key, list[str]] = {}
    here: dict[_Key, list[str]] = {}
    for event in events:
        if begins(event):
            here = {}
        output = event.get("output")
        if event.get("from_cache") or not worked(event) or not isinstance(output, str):
            continue
        key = plain_name(text(event.get("tool_name")) or ""), _plain(event.get("tool_args"))
        here.setdefault(key, []).append(output)
        if len(here[key]) > len(best.get(key, [])):
            best[key] = list(here[key])
    return best


def worked(event: Event) -> bool:
    """Whether an event tells what a tool gave, as a text of its own."""
    if event.get("type") != "tool_usage_finished" or event.get("failure"):
        return False
    output = event.get("output")
    return isinstance(output, str) and _REMINDER not in output


def plain_name(name: str) -> str:
    """A tool's name however CrewAI writes it: ``Ask Question`` and ``ask_question`` are one."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _plain(arguments: Any) -> str:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return str(arguments)
    return json.dumps(arguments or {}, sort_keys=True, default=str)


_current: list[ToolAnswers] = []
_patched: set[tuple[type, str]] = set()


def arm(answers: ToolAnswers) -> None:
    """Put the record in front of all tools."""
    if not answers or has_hooks():
        return
    from crewai.tools import BaseTool
    from crewai.tools.structured_tool import CrewStructuredTool

    kinds = [BaseTool, *_below(BaseTool)]
    for kind, names in ((CrewStructuredTool, ("invoke", "ainvoke")), *((k, _RUN) for k in kinds)):
        for name in names:
            method = vars(kind).get(name)
            if callable(method) and (kind, name) not in _patched:
                _patched.add((kind, name))
                awaited = name in ("ainvoke", "arun")
                setattr(kind, name, answered(method, _recorded, awaited=awaited))
    _current[:] = [answers]


_RUN = ("run", "arun")


def disarm() -> None:
    """From now on tools are really called."""
    _current.clear()


def _below(kind: type) -> set[type]:
    direct: list[type] = kind.__subclasses__()
    return {one for sub in direct for one in (sub, *_below(sub))}


def has_hooks() -> bool:
    """Whether the user's program looks at tool calls: it may look at more than the text."""
    try:
        from crewai.hooks import get_after_tool_call_hooks, get_before_tool_call_hooks
    except ImportError:
        return False
    return bool(get_after_tool_call_hooks() or get_before_tool_call_hooks())


def _recorded(tool: Any, args: Args, named: Mapping[str, Any]) -> str | None:
    if not _current:
        return None
    arguments = args[0] if args else named.get("input", named)
    output = _current[0].find(tool, arguments)
    if output is not None:
        used = getattr(tool, "current_usage_count", None)
        if isinstance(used, int):
            tool.current_usage_count = used + 1  # it counts as a use
    return output
