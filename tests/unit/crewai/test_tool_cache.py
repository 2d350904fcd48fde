"""Which recorded tool calls a crew remembers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from crewcheck.crewai.crews.tool_cache import fill


class Cache:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def add(self, **call: str) -> None:
        self.kept[f"{call['tool']}-{call['input']}"] = call["output"]


@pytest.fixture(autouse=True)
def _no_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = ModuleType("crewai.hooks")
    for name in ("get_after_tool_call_hooks", "get_before_tool_call_hooks"):
        setattr(hooks, name, list)
    monkeypatch.setitem(sys.modules, "crewai.hooks", hooks)


def call(tool: str, arguments: Any, output: Any, task: str = "t", **more: Any) -> dict[str, Any]:
    made = {"type": "tool_usage_finished", "tool_name": tool, "tool_args": arguments}
    return {"event_id": f"{tool} {arguments}", **made, "output": output, "task_id": task, **more}


EVENTS: list[Mapping[str, Any]] = [
    call("look", {"b": 2, "a": 1}, "seen"),
    call("look", {}, "around"),
    call("look", {"a": 2}, "broken", failure={"message": "no"}),
    call("look", {"a": 3}, {"not": "a text"}),
    call("roll_dice", {"n": 6}, "4"),
    call("look", {"a": 4}, "of another task", task="u"),
]


def crew(*, cache: bool, agent: Any) -> Any:
    never = SimpleNamespace(name="Roll dice", cache_function=lambda arguments, result: False)
    task = SimpleNamespace(agent=agent, tools=[never])
    return SimpleNamespace(cache=cache, _cache_handler=Cache(), agents=[agent], tasks=[task])


def test_calls_that_worked_are_remembered_as_they_were_made() -> None:
    made = crew(cache=True, agent=SimpleNamespace(tools=[]))
    fill(made, [(made.tasks[0], "t")], EVENTS)
    assert made._cache_handler.kept == {'look-{"b": 2, "a": 1}': "seen", "look-": "around"}


def test_agents_may_have_a_memory_of_their_own_or_want_none() -> None:
    own = SimpleNamespace(tools=[], cache_handler=Cache())
    made = crew(cache=False, agent=own)
    fill(made, [(made.tasks[0], "u")], EVENTS)
    assert own.cache_handler.kept == {'look-{"a": 4}': "of another task"}
    assert made._cache_handler.kept == {}
    none = crew(cache=True, agent=SimpleNamespace(tools=[], cache=False))
    fill(none, [(none.tasks[0], "t")], EVENTS)
    assert none._cache_handler.kept == {}
