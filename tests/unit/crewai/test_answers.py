"""Finished calls of work under way: which request they answer."""

from __future__ import annotations

from typing import Any

import pytest

from crewcheck.crewai.answers import Answers, within
from crewcheck.crewai.tool_answers import ToolAnswers

ASK = [{"role": "user", "content": "How many?"}]


def started(call: str, messages: Any, **more: Any) -> dict[str, Any]:
    return {"type": "llm_call_started", "call_id": call, "messages": messages, **more}


def completed(call: str, response: Any, kind: str = "llm_call") -> dict[str, Any]:
    return {
        "type": "llm_call_completed",
        "call_id": call,
        "response": response,
        "call_type": kind,
    }


def answers(*events: dict[str, Any]) -> Answers:
    found = Answers(lambda *_: None)
    found.add_for_anyone(events)
    return found


def test_the_same_request_is_answered_once_and_in_order() -> None:
    found = answers(
        started("1", ASK), completed("1", "one"), started("2", ASK), completed("2", "two")
    )
    said = [found.find(None, list(ASK), {}) for _ in range(3)]
    assert said == ["one", "two", None]


def test_another_request_is_not() -> None:
    found = answers(started("1", ASK, tools=[{"function": {"name": "count"}}]), completed("1", "x"))
    other = [{"role": "user", "content": "How much?"}]
    offered = {"tools": [{"type": "function", "function": {"name": "count"}}]}
    assert found.find(None, other, offered) is None
    assert found.find(None, ASK, {}) is None  # without the tool
    assert found.find(None, ASK, offered) == "x"


def test_a_list_that_has_grown_since() -> None:
    later = [*ASK, {"role": "assistant", "content": "one"}, {"role": "user", "content": "Sure?"}]
    found = answers(started("1", later), completed("1", "one"))
    assert found.find(None, ASK, {}) == "one"


def test_a_call_that_has_not_finished_answers_nothing() -> None:
    assert not answers(started("1", ASK))


def test_what_another_agent_did_for_the_task_is_its_own() -> None:
    events = [
        {"type": "task_started", "event_id": "e1", "task_id": "t1"},
        {"type": "agent_execution_started", "event_id": "e2", "parent_event_id": "e1"},
        {"type": "llm_call_started", "event_id": "e3", "parent_event_id": "e2", "task_id": "t9"},
        {"type": "task_started", "event_id": "e4", "task_id": "t2"},
        {"type": "llm_call_started", "event_id": "e5", "parent_event_id": "e4", "task_id": "t2"},
    ]
    assert [one["event_id"] for one in within(events, "t1")] == ["e1", "e2", "e3"]


def tool_event(output: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "tool_usage_finished",
        "task_id": "t1",
        "tool_name": "count_things",
        "tool_args": {"a": 1},
        "output": output,
        **more,
    }


class _Tool:
    name = "Count Things"


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crewcheck.crewai.tool_answers.current_task_id", lambda: "t1")


def tool_answers(*events: dict[str, Any]) -> ToolAnswers:
    found = ToolAnswers(lambda *_: None)
    found.add("the task", "t1", events)
    return found


def test_a_finished_tool_call_is_answered(at_work: None) -> None:
    found = tool_answers(tool_event("one"), tool_event("two"))
    assert found.find(_Tool(), {"a": 2}) is None
    assert [found.find(_Tool(), {"a": 1}) for _ in range(3)] == ["one", "two", None]


def test_calls_that_an_attempt_made_again_count_once(at_work: None) -> None:
    began = {"type": "task_started", "task_id": "t1"}
    found = tool_answers(began, tool_event("one"), tool_event("two"), began, tool_event("one"))
    assert [found.find(_Tool(), {"a": 1}) for _ in range(3)] == ["one", "two", None]


def test_an_agent_without_a_task_is_answered() -> None:
    asked = {"type": "lite_agent_execution_started"}
    found = ToolAnswers(lambda *_: None)
    calls = [tool_event("one", task_id=None), tool_event("two", task_id=None)]
    found.add_for_anyone([asked, *calls, asked, calls[0]], lambda one: one["type"] == asked["type"])
    assert [found.find(_Tool(), {"a": 1}) for _ in range(3)] == ["one", "two", None]


@pytest.mark.parametrize(
    "event",
    [
        tool_event("x", from_cache=True),
        tool_event("x", failure={"message": "broken"}),
        tool_event(None),
        tool_event("x\n\nYou ONLY have access to the following tools, and so on"),
    ],
)
def test_what_cannot_be_given_back_exactly_is_done_again(
    at_work: None, event: dict[str, Any]
) -> None:
    assert not tool_answers(event)
