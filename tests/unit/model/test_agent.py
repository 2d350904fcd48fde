"""What an agent without a crew was asked, and what it answered."""

from __future__ import annotations

from typing import Any

import pytest

from crewcheck.model.agent import AgentRun, agent_run, question_text, within
from crewcheck.model.document import mapping, sorted_events
from crewcheck.model.primary import primary
from crewcheck.model.summarize import summarize
from tests.build import Json, agent, document, event

ASKED, ANSWERED = "lite_agent_execution_started", "lite_agent_execution_completed"


def asked(number: int, role: str, question: Any, **more: Any) -> Json:
    info = {"id": f"agent-{role}", "role": role}
    return event(number, ASKED, agent_info=info, messages=question, **more)


def answered(number: int, role: str, of: int, answer: str, **more: Any) -> Json:
    info = {"id": f"agent-{role}", "role": role}
    started = f"event-{of}"
    return event(number, ANSWERED, agent_info=info, output=answer, started_event_id=started, **more)


def alone(role: str, kickoff: int | None = 1, **more: Any) -> Json:
    kickoff_id = f"event-{kickoff}" if kickoff else None
    return agent(role, crew=None, checkpoint_kickoff_event_id=kickoff_id, **more)


def read(doc: Json) -> tuple[str, AgentRun]:
    events = sorted_events(doc)
    entity = mapping(primary(doc, events))
    return entity["role"], agent_run(doc, entity, events)


def test_a_run_under_way_has_a_question_and_no_answer() -> None:
    doc = document(alone("Poet"), events=[asked(1, "Poet", "Rhyme?")], trigger=ASKED)
    assert read(doc) == ("Poet", AgentRun("event-1", "Rhyme?", None, None))


def test_a_finished_run_has_both_and_an_empty_answer_is_one() -> None:
    events = [asked(1, "Poet", "Rhyme?"), answered(2, "Poet", 1, "")]
    doc = document(alone("Poet"), events=events, trigger=ANSWERED)
    assert read(doc) == ("Poet", AgentRun("event-1", "Rhyme?", "", None))


def test_an_answer_of_another_agent_is_not_this_ones() -> None:
    events = [
        answered(2, "Poet", 1, "Rain, pain."),
        asked(3, "Critic", "Judge this: Rain, pain."),
        event(4, "flow_started", parent_event_id="event-3"),
        event(5, "agent_logs_execution", parent_event_id="event-4"),
    ]
    entities = [alone("Poet", 1), alone("Critic", 3)]
    doc = document(*entities, events=events, trigger="agent_logs_execution")
    assert read(doc) == ("Critic", AgentRun("event-3", "Judge this: Rain, pain.", None, None))


def test_of_one_agent_asked_twice_the_newest_run_is_meant() -> None:
    events = [asked(1, "Poet", "One?"), answered(2, "Poet", 1, "1"), asked(3, "Poet", "Two?")]
    # the agent is written before it knows that it has been asked again
    doc = document(alone("Poet", 1), events=events, trigger=ASKED)
    assert read(doc) == ("Poet", AgentRun("event-3", "Two?", None, None))


def test_who_judges_an_answer_is_not_who_was_asked() -> None:
    """CrewAI makes an agent for that, within the run; the record's beginning is gone."""
    events = [
        answered(5, "Guardrail Agent", 4, '{"valid": true}', parent_event_id="event-3"),
        event(6, "llm_guardrail_completed", parent_event_id="event-1", started_event_id="event-3"),
    ]
    entities = [alone("Guardrail Agent", 4), alone("Poet", 1)]
    doc = document(*entities, events=events, trigger="llm_guardrail_completed")
    assert read(doc) == ("Poet", AgentRun("event-1", None, None, None))
    events.append(answered(7, "Poet", 1, "Rain."))
    doc = document(*entities, events=events, trigger=ANSWERED)
    assert read(doc) == ("Poet", AgentRun("event-1", None, "Rain.", None))


def test_a_failed_run_says_why() -> None:
    info = {"id": "agent-Poet"}
    failed = event(
        2, "lite_agent_execution_error", agent_info=info, error="no ink", started_event_id="event-1"
    )
    doc = document(alone("Poet"), events=[asked(1, "Poet", "Rhyme?"), failed], trigger=None)
    assert read(doc) == ("Poet", AgentRun("event-1", "Rhyme?", None, "no ink"))


def test_an_agent_of_1_14_1_names_no_kickoff() -> None:
    events = [asked(1, "Poet", "Rhyme?"), answered(2, "Poet", 1, "Rain.")]
    doc = document(alone("Poet", None), events=events, trigger=None, version=None)
    assert read(doc) == ("Poet", AgentRun("event-1", "Rhyme?", "Rain.", None))


def test_within_a_kickoff_is_all_that_it_led_to() -> None:
    events = [
        asked(1, "Poet", "Rhyme?"),
        event(2, "flow_started", parent_event_id="event-1"),
        event(3, "llm_call_started", parent_event_id="event-2"),
        answered(4, "Poet", 1, "Rain."),
        asked(5, "Critic", "Well?"),
    ]
    inner = within(events, "event-1")
    assert [one["event_id"] for one in inner] == ["event-1", "event-2", "event-3", "event-4"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Well?", "Well?"),
        ([{"role": "user", "content": "One?"}, {"role": "user", "content": "Two?"}], "Two?"),
        ([{"role": "system", "content": "Be kind"}], None),
        ([{"role": "user", "content": None}, "odd"], None),
        (None, None),
    ],
)
def test_the_text_of_a_question(question: Any, said: str | None) -> None:
    assert question_text(question) == said


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([asked(1, "Poet", "Rhyme?")], "stopped"),
        ([asked(1, "Poet", "Rhyme?"), answered(2, "Poet", 1, "Rain.")], "finished"),
    ],
)
def test_a_fork_of_an_agent_is_as_far_as_its_record_says(events: list[Json], status: str) -> None:
    own = {"source": "x", "primary": 0, "edits": [], "dropped": []}
    doc = document(alone("Poet"), events=events, trigger="fork", crewcheck=own)
    assert summarize(doc, all_events=events).status == status
