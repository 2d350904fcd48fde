"""Sums of time and tokens over the record of a document."""

from __future__ import annotations

from crewcheck.model.document import mapping, sorted_events
from crewcheck.model.events import seconds_running
from crewcheck.model.primary import primary
from crewcheck.model.timeline import Spent, Timeline, timeline
from tests.build import Json, crew, document, event, task
from tests.talks import flow_with_crew, lone_agent, version_1_14_1, version_1_15_30

Sums = list[tuple[str | None, int, float | None, int]]


def made(doc: Json) -> Timeline:
    events = sorted_events(doc)
    return timeline(mapping(primary(doc, events)), events)


def sums(spent: tuple[Spent, ...]) -> Sums:
    return [(one.name, one.runs, one.seconds, one.tokens.total) for one in spent]


def test_a_crew_by_task_agent_and_model() -> None:
    told = made(version_1_15_30())
    assert (told.began, told.seconds) == ("2026-11-29T17:42:01.000000Z", 12.0)
    # what was handed on to another agent counts for the task
    assert sums(told.tasks) == [("facts", 1, 10.0, 45), ("draft", 1, None, 0)]
    assert sums(told.agents) == [("Researcher", 1, 8.0, 30), ("Analyst", 0, None, 15)]
    assert sums(told.models) == [("gpt-4o-mini", 3, 3.0, 45)]
    assert told.methods == ()
    assert [one.depth for one in told.events[:5]] == [0, 0, 1, 2, 2]
    assert (told.events[4].seconds, told.events[4].tokens) == (1.0, 15)


def test_failed_calls_take_time_once_and_no_tokens() -> None:
    told = made(version_1_14_1())
    assert sums(told.tasks) == [("facts", 0, None, 15), ("draft", 0, None, 0)]
    assert sums(told.models) == [("gpt-4o-mini", 4, 4.0, 15)]


def test_a_flow_by_method_with_what_its_crews_spent() -> None:
    told = made(flow_with_crew())
    assert sums(told.methods) == [("order", 1, 9.0, 30), ("make", 1, None, 15)]
    assert sums(told.tasks) == [("sketch", 1, None, 15)]
    assert sums(told.agents) == [(None, 0, None, 30), ("Painter", 0, None, 15)]


def test_an_agent_alone() -> None:
    assert sums(made(lone_agent()).agents) == [("Librarian", 1, 1.0, 0)]


def test_odd_records() -> None:
    told = made(document(crew(task("a"))))
    assert (told.began, told.seconds, told.events) == (None, None, ())
    loop = [event(1, "llm_call_completed", parent_event_id="event-2", usage={"total_tokens": 3}),
            event(2, "x", parent_event_id="event-1")]  # fmt: skip
    told = made(document(crew(task("a")), events=loop))
    assert sums(told.models) == [(None, 0, None, 3)]


def test_the_time_between_a_run_and_its_resume_is_not_counted() -> None:
    def at(clock: str, kind: str) -> Json:
        return {"type": kind, "timestamp": f"2026-11-29T{clock}Z"}

    first = [
        at("17:00:00", "crew_kickoff_started"), at("17:00:01", "default_env"),
        at("17:00:02", "task_started"), at("17:00:10", "task_failed"),
    ]  # fmt: skip
    later = [at("20:30:00", "default_env"), at("20:30:05", "task_started")]
    again = [at("23:00:00", "cc_env"), at("23:00:02", "task_completed")]
    assert seconds_running([]) is None
    assert seconds_running(first) == 10
    assert seconds_running(first + later) == 15
    assert seconds_running(first + later + again) == 17
    assert seconds_running([at("17:00:00", "flow_started"), at("odd", "flow_finished")]) is None
