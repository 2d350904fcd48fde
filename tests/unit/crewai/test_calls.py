"""Which finished model calls the events tell, and whom they answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from crewcheck.crewai.answers import Answers
from crewcheck.crewai.calls import digest_of, finished_calls, plain

ASKED = [{"role": "system", "content": "You count"}, {"role": "user", "content": "Count"}]
TOOLS = [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}]
USED = [
    *ASKED,
    {"role": "assistant", "content": None, "tool_calls": TOOLS},
    {"role": "tool", "tool_call_id": "c1", "name": "add", "content": "2"},
]


def pair(messages: Any, response: Any, kind: str = "llm_call", **more: Any) -> list[dict[str, Any]]:
    call = f"call of {response}"
    about = {"call_id": call, "task_id": "t"}
    return [
        {"type": "llm_call_started", "messages": messages, **about, **more},
        {"type": "llm_call_completed", "response": response, "call_type": kind, **about},
    ]


def test_a_call_answers_what_was_asked_and_nothing_longer_or_shorter() -> None:
    (call,) = finished_calls(pair(ASKED, "Two"))
    assert call.answers(plain(ASKED))
    assert not call.answers(plain(ASKED[1:]))
    assert not call.answers(plain([*ASKED, {"role": "user", "content": "And?"}]))
    # a prefix of what was asked is another question, unless it went on from this answer
    assert not call.answers(plain(ASKED[:1]))


def test_a_list_that_grew_later_answers_by_how_it_went_on() -> None:
    first, second = finished_calls([*pair(USED, TOOLS, "tool_call"), *pair(USED, "Two")])
    assert first.answers(plain(ASKED))
    assert not second.answers(plain(ASKED))
    assert second.answers(plain(USED))


def test_a_digest_stands_for_the_messages() -> None:
    (call,) = finished_calls(pair(None, "Two", asked=digest_of(plain(ASKED))))
    assert call.answers(plain(ASKED))
    assert not call.answers(plain(USED))
    # of messages that were not given nothing is told
    assert not finished_calls(pair(None, "Two"))[0].answers(plain(ASKED))


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        ("", "llm_call"),
        (None, "llm_call"),
        ("what the tool gave", "tool_call"),
        ([], "tool_call"),
        ([{"function_call": {"name": "add"}}], "tool_call"),
        ([{"name": "add", "input": {"a": {"b": {"c": "'cut'"}}}}], "tool_call"),
    ],
    ids=["empty", "none", "used by itself", "no tools", "another form", "cut by CrewAI"],
)
def test_what_does_not_tell_the_whole_answer_is_asked_again(response: Any, kind: str) -> None:
    assert finished_calls(pair(ASKED, response, kind)) == []


@pytest.mark.parametrize(
    "call",
    [
        TOOLS[0],
        {"id": "c1", "name": "add", "arguments": "{}"},
        {"id": "c1", "type": "tool_use", "name": "add", "input": {"a": [1, 2]}},
    ],
)
def test_tool_calls_of_these_forms_are_answered(call: dict[str, Any]) -> None:
    assert [one.response for one in finished_calls(pair(ASKED, [call], "tool_call"))] == [[call]]


def test_an_answer_is_given_once_and_only_to_its_task() -> None:
    told = []
    answers = Answers(lambda task, said: told.append((task, said)))
    mine, other = SimpleNamespace(id="t"), SimpleNamespace(id="another id")
    answers.add(mine, "t", [*pair(ASKED, "Two"), *pair(ASKED, "Three")])
    answers.add(other, "another id", pair(ASKED, "Two"))

    def find(task: object) -> Any:
        return answers.find(object(), ASKED, {"from_task": task})

    assert find(other) is None
    assert [find(mine), find(mine), find(mine)] == ["Two", "Three", None]
    assert told == [(mine, "Two"), (mine, "Three")]


def test_what_the_task_started_is_part_of_it() -> None:
    task = SimpleNamespace(id="t")
    began = {"type": "tool_usage_started", "event_id": "e1", "task_id": "t"}
    asked, said = pair(ASKED, "Two")
    inner = [{**one, "task_id": "inner", "parent_event_id": "e1"} for one in (asked, said)]
    answers = Answers(lambda task, said: None)
    answers.add(task, "t", [began, *inner])
    assert answers.find(object(), ASKED, {"from_task": task}) == "Two"


def test_with_other_tools_it_is_another_request() -> None:
    tool = {"type": "function", "function": {"name": "add"}}
    (call,) = finished_calls(pair(ASKED, "Two", tools=[tool]))
    assert call.answers(plain(ASKED), frozenset({"add"}))
    assert not call.answers(plain(ASKED))


def test_what_cannot_be_given_as_it_is_wanted_stays_in_the_record() -> None:
    answers = Answers(lambda task, said: None)
    answers.add_for_anyone(pair("Count", TOOLS, "tool_call"))
    # with functions at hand the model's class would have used them itself
    assert answers.find(object(), "Count", {"available_functions": {"add": print}}) is None
    assert answers.find(object(), "Count", {}) == TOOLS
