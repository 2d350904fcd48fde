"""What the tools of finished tasks gave, for tasks that call them in the same way again.

A crew that caches remembers tool calls from one task to the next, so that the same one is not
made twice. After a replay it would have forgotten those of the tasks that were not really run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.crewai.answers import within
from crewcheck.crewai.tool_answers import has_hooks, plain_name, worked
from crewcheck.model.document import text


def fill(crew: Any, kept: Iterable[tuple[Any, str]], events: list[Mapping[str, Any]]) -> None:
    """Put the recorded calls of tasks (with their ids in the events) into the memory of a
    crew, or else of their agents, as far as it would have kept them."""
    if has_hooks():  # a hook's text is not what the tool gave
        return
    tools = {plain_name(str(tool.name)): tool for tool in _tools(crew)}
    for task, task_id in kept:
        own = getattr(task.agent, "cache_handler", None)
        cache = getattr(crew, "_cache_handler", None) if crew.cache else own
        if cache is None or not getattr(task.agent, "cache", True):
            continue
        for event in within(events, task_id):
            name, arguments = text(event.get("tool_name")), event.get("tool_args")
            output = event.get("output")
            if not name or not worked(event) or not isinstance(arguments, dict):
                continue
            if _is_kept(tools.get(plain_name(name)), arguments, output):
                given = json.dumps(arguments) if arguments else ""
                cache.add(tool=name, input=given, output=output)


def _tools(crew: Any) -> list[Any]:
    holders = [*crew.agents, *(task.agent for task in crew.tasks), *crew.tasks]
    return [tool for one in holders for tool in getattr(one, "tools", None) or []]


def _is_kept(tool: Any, arguments: dict[str, Any], output: Any) -> bool:
    """Whether the tool lets its results be kept. It is asked with the text, which is all that
    is recorded."""
    decide = getattr(tool, "cache_function", None)
    if not callable(decide):
        return True
    try:
        return bool(decide(arguments, output))
    except Exception:
        return False  # it wants more than a text
