"""Conversations as several versions of CrewAI record them."""

from __future__ import annotations

from typing import Any

import pytest

from crewcheck.model.document import mapping, sorted_events
from crewcheck.model.messages import Conversation, Message, ToolCall, conversations, messages_of
from crewcheck.model.primary import primary
from tests.build import Json, crew, document, event, flow, task
from tests.talks import (
    ANSWER,
    ASKED,
    DRAFT,
    FAULT,
    SYSTEM,
    answered,
    asked,
    flow_with_crew,
    lone_agent,
    version_1_14_1,
    version_1_14_7,
    version_1_15_30,
)


def talks(doc: Json) -> list[Conversation]:
    events = sorted_events(doc)
    return conversations(doc, mapping(primary(doc, events)), events)


def spoken(one: Conversation) -> list[tuple[str, Any]]:
    return [(message.role, message.content) for message in one.messages]


def plain(*messages: Json) -> list[tuple[str, Any]]:
    return [(one["role"], one["content"]) for one in messages]


REPLY = ("assistant", ANSWER)


def test_1_14_1_whose_prompts_have_grown() -> None:
    facts, draft = talks(version_1_14_1())
    assert (facts.label, facts.task, facts.agent, facts.source) == (
        "facts", 0, "Researcher", "output",
    )  # fmt: skip
    assert spoken(facts) == [*plain(SYSTEM, ASKED), REPLY]
    assert (facts.calls, facts.tokens.total, facts.seconds, facts.error) == (1, 15, 1.0, None)
    assert spoken(draft) == plain(*[SYSTEM, DRAFT] * 3)
    assert (draft.task, draft.calls, draft.tokens.calls, draft.error) == (1, 3, 0, FAULT)
    # the second telling of a failure names what encloses the call: it is no duration
    assert draft.seconds == 3.0


def test_1_14_7_whose_outputs_lack_the_answer() -> None:
    facts, draft = talks(version_1_14_7())
    assert (facts.source, spoken(facts)) == ("calls", [*plain(SYSTEM, ASKED), REPLY])
    assert (draft.source, draft.task, draft.agent) == ("executor", 1, "Writer")
    assert spoken(draft) == plain(SYSTEM, DRAFT)
    assert draft.calls == 0


def test_1_15_30_with_a_tool_and_another_agent() -> None:
    facts, handed_on = talks(version_1_15_30())
    assert facts.messages[2] == Message(
        "assistant", "", tool_calls=(ToolCall("call_0a", "multiply", {"a": 6, "b": 7}),)
    )
    assert facts.messages[3] == Message("tool", "42 pears", "multiply", call_id="call_0a")
    assert spoken(facts)[4:] == [REPLY]
    assert (facts.calls, facts.tokens.prompt, facts.seconds) == (2, 20, 2.0)
    assert (handed_on.label, handed_on.task, handed_on.agent) == ("look at prices", None, "Analyst")
    assert spoken(handed_on) == [*plain(SYSTEM), ("assistant", "Cheap.")]


def test_a_flow_has_its_methods_and_what_its_crews_said() -> None:
    order, sketch = talks(flow_with_crew())
    # the same question again is another one
    assert spoken(order) == [("user", "take the order"), ("assistant", "Two, please.")] * 2
    assert (order.label, order.agent, order.calls, order.task) == ("order", None, 2, None)
    assert (sketch.label, sketch.agent) == ("sketch", "Painter")


def test_an_agent_without_calls_in_the_record() -> None:
    (only,) = talks(lone_agent())
    assert (only.label, only.agent, only.calls) == ("Librarian", "Librarian", 0)
    assert spoken(only) == [("user", "Which book is blue?"), ("assistant", "This one.")]


def test_a_prompt_that_has_grown_up_to_the_answer_says_it_once() -> None:
    grown = [SYSTEM, ASKED, {"role": "assistant", "content": "Thought"}, DRAFT,
             {"role": "assistant", "content": ANSWER}]  # fmt: skip
    first, second = asked(1, grown), asked(3, grown)
    events = [first, answered(2, first, "Thought"), second, answered(4, second, ANSWER)]
    (only,) = talks(document(crew(task("facts", description="?")), events=events))
    assert spoken(only) == plain(*grown)


def test_parallel_calls_are_told_apart() -> None:
    one, two = asked(1, "a", of=None, by="X"), asked(2, "b", of=None, by="X")
    events = [one, two, answered(3, two, "B"), answered(4, one, "A")]
    (only,) = talks(document(flow("m"), events=events))
    assert spoken(only) == [("user", "a"), ("assistant", "A"), ("user", "b"), ("assistant", "B")]


def test_tasks_without_events_stand_in_their_order() -> None:
    first, second = version_1_14_1()["entities"][0]["tasks"]
    third = first | {"name": "end", "id": "task-end"}
    call = asked(1, [DRAFT], of="draft", by="Writer")
    doc = document(crew(first, second, third), events=[call])
    assert [one.label for one in talks(doc)] == ["facts", "draft", "end"]


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (None, ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        (
            [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}],
            [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}],
        ),
        (7, 7),
    ],
)
def test_contents_in_parts(content: object, shown: object) -> None:
    (message,) = messages_of([{"role": "user", "content": content}, "odd", 3])
    assert message.content == shown


def test_odd_documents_have_no_messages() -> None:
    odd = event(1, "llm_call_completed", response={"a": 1}, usage="?", call_id=3)
    tasks = [task("a", output="x") | {"description": 3}, {"output": {"messages": 4}}]
    events = [odd, event(2, "llm_call_started", messages={"x": 1})]
    doc = document(crew(*tasks), events=events)
    assert [spoken(one) for one in talks(doc)] == [[("assistant", {"a": 1})]]
    assert talks({"entities": []}) == []
