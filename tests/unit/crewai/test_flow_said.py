"""What a person had said to a call that starts anew is not asked again."""

from __future__ import annotations

from typing import Any

import pytest

from crewcheck.crewai.flows import inner_asks
from crewcheck.crewai.flows.said import said_to
from crewcheck.crewai.flows.scope import Scope, entered
from tests.build import Json, event
from tests.unit.crewai.test_flow_replay import saved, started


def asked(number: int, message: str, answer: str | None, method: str = "form") -> list[Json]:
    about = {"method_name": method, "message": message, "parent_event_id": "event-2"}
    return [
        event(number, "flow_input_requested", **about),
        event(number + 1, "flow_input_received", response=answer, **about),
    ]


def reviewed(number: int, output: Any, feedback: str) -> list[Json]:
    about = {"method_name": "form", "parent_event_id": "event-2"}
    return [
        event(number, "human_feedback_requested", message="Good?", output=output, **about),
        event(number + 1, "human_feedback_received", feedback=feedback, **about),
    ]


EVENTS = [*asked(3, "Colour?", "blue"), *asked(5, "Size?", None), *asked(7, "Colour?", ""),
          *reviewed(9, {"a": 1}, "yes"),
          event(11, "flow_input_requested", method_name="form", message="Open?")]  # fmt: skip


def test_the_answers_of_a_record_in_their_order() -> None:
    assert list(said_to(EVENTS)) == [
        ("flow_input", "form", "Colour?\n", "blue"),
        ("flow_input", "form", "Colour?\n", ""),
        ("human_feedback", "form", 'Good?\n{"a": 1}', "yes"),
    ]


@pytest.mark.parametrize(
    ("kind", "method", "question", "answers"),
    [
        ("flow_input", "form", {"message": "Colour?"}, ["blue", "", None]),
        ("flow_input", "form", {"message": "Size?"}, [None]),
        ("flow_input", "other", {"message": "Colour?"}, [None]),
        ("human_feedback", "form", {"message": "Good?", "output": {"a": 1}}, ["yes", None]),
        ("human_feedback", "form", {"message": "Good?", "output": {"a": 2}}, [None]),
    ],
)
def test_each_answer_is_given_once_to_the_same_question(
    kind: str, method: str, question: dict[str, Any], answers: list[str | None]
) -> None:
    of = saved(started(2, "form"), *EVENTS)
    with entered(Scope(of, of.events_within(of.calls[0]))):
        assert [inner_asks._taken(kind, method, question) for _ in answers] == answers
