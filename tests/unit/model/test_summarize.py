from __future__ import annotations

from typing import Any

import pytest

from crewcheck.model.document import iter_events
from crewcheck.model.primary import NeedsRecord, primary
from crewcheck.model.scan import Summary
from crewcheck.model.status import status_of, task_states
from crewcheck.model.summarize import summarize
from tests.build import agent, crew, document, event, executor, flow, task


def whole(doc: dict[str, Any]) -> Summary:
    return summarize(doc, all_events=list(iter_events(doc)))


def facts(summary: Summary) -> tuple[Any, ...]:
    return summary.kind, summary.name, summary.done, summary.total, summary.status


def test_executors_are_never_the_entity() -> None:
    doc = document(executor(), crew(task(output="x"), task("b")), executor())
    assert facts(whole(doc)) == ("crew", "newsroom", 1, 2, "stopped")


def test_an_executor_of_a_version_that_does_not_name_it() -> None:
    unnamed = executor()
    del unnamed["executor_type"]
    assert facts(whole(document(unnamed, crew(task(output="x"))))) == (
        "crew", "newsroom", 1, 1, "finished",
    )  # fmt: skip


def test_a_flow_wins_over_the_crews_of_its_methods() -> None:
    doc = document(
        flow("order"),
        crew(task(output="x")),
        executor(),
        events=[
            event(1, "flow_created", flow_name="SignFlow"),
            event(2, "flow_started", flow_name="AgentExecutor"),
        ],
    )
    assert facts(whole(doc)) == ("flow", "SignFlow", 1, None, "stopped")


def test_an_internal_flow_of_memory_is_no_entity() -> None:
    internal = flow("x", checkpoint=None, suppress_flow_events=True)
    assert whole(document(internal, crew(task()))).kind == "crew"


def test_of_two_kickoffs_the_one_that_the_trigger_belongs_to() -> None:
    first = crew(task("a", output="x"), name="first", id="1", checkpoint_kickoff_event_id="event-1")
    second = crew(task("b"), name="second", id="2", checkpoint_kickoff_event_id="event-3")
    events = [
        event(1, "crew_kickoff_started"),
        event(2, "task_completed", parent_event_id="event-1"),
        event(3, "crew_kickoff_started"),
        event(4, "task_started", parent_event_id="event-3"),
        event(5, "task_completed", parent_event_id="event-1"),
    ]
    assert whole(document(first, second, events=events)).name == "first"
    assert whole(document(first, second, events=events, trigger="task_started")).name == "second"


def test_two_candidates_need_the_whole_record() -> None:
    doc = document(crew(task(), id="1"), crew(task(), id="2"))
    with pytest.raises(NeedsRecord):
        summarize(doc, first_events=[])


def test_the_closing_event_of_a_kickoff_leads_to_its_opening() -> None:
    first = crew(name="first", id="1", checkpoint_kickoff_event_id="event-1")
    second = crew(name="second", id="2", checkpoint_kickoff_event_id="event-2")
    events = [
        event(1, "crew_kickoff_started"),
        event(2, "crew_kickoff_started"),
        event(3, "crew_kickoff_completed", started_event_id="event-2"),
    ]
    doc = document(first, second, events=events, trigger="crew_kickoff_completed")
    assert whole(doc).name == "second"


def test_a_lone_agent_and_the_agents_of_a_crew() -> None:
    alone = document(
        agent("Librarian", crew=None), executor(), trigger="lite_agent_execution_started"
    )
    assert facts(whole(alone)) == ("agent", "Librarian", 0, 1, "stopped")
    with_crew = document(agent("Writer"), crew(task(output="x")))
    assert whole(with_crew).kind == "crew"


def test_an_agent_of_1_14_1_is_done_when_the_record_says_so() -> None:
    asked = event(1, "lite_agent_execution_started")
    answered = event(2, "lite_agent_execution_completed")
    one = agent("Librarian", crew=None)
    doc = document(one, events=[asked], trigger=None, version=None)
    assert facts(whole(doc)) == ("agent", "Librarian", 0, 1, "stopped")
    doc = document(one, events=[asked, answered], trigger=None, version=None)
    assert facts(whole(doc)) == ("agent", "Librarian", 1, 1, "finished")


def test_what_our_own_documents_say_comes_first() -> None:
    doc = document(flow("a"), crew(task(output="x")), crewcheck={"primary": 1})
    assert whole(doc).kind == "crew"


@pytest.mark.parametrize(
    ("kind", "trigger", "complete", "status"),
    [
        ("crew", "task_completed", False, "stopped"),
        ("crew", "task_completed", True, "finished"),
        ("crew", "crew_kickoff_completed", False, "finished"),
        ("crew", "crew_kickoff_failed", False, "failed"),
        ("crew", "task_failed", False, "failed"),
        ("flow", "method_execution_finished", False, "stopped"),
        ("flow", "flow_finished", False, "finished"),
        ("flow", "flow_paused", False, "paused"),
        ("flow", "method_execution_paused", False, "paused"),
        ("flow", "crew_kickoff_completed", False, "stopped"),
        ("agent", "lite_agent_execution_error", False, "failed"),
        ("crew", None, False, "stopped"),
        ("crew", "no_version_knows_this", False, "stopped"),
    ],
)
def test_status(kind: str, trigger: str | None, complete: bool, status: str) -> None:
    assert status_of(kind, trigger, complete) == status


def test_a_hole_before_done_work_is_a_skipped_task() -> None:
    done, open_ = task(output="x"), task()
    assert task_states([done, open_, done, open_]) == ["done", "skipped", "done", "pending"]


def test_an_asynchronous_hole_is_pending_until_a_later_task_had_to_wait_for_it() -> None:
    later = task(async_execution=True)
    done = task(output="x", async_execution=True)
    assert task_states([later, done, task()]) == ["pending", "done", "pending"]
    assert task_states([later, done, task(output="x")]) == ["skipped", "done", "done"]


def test_what_a_fork_dropped_is_pending() -> None:
    done, open_ = task(output="x"), task()
    assert task_states([done, open_, done], frozenset({1})) == ["done", "pending", "done"]
    doc = document(crew(done, open_, done), crewcheck={"dropped": [1]})
    assert facts(whole(doc))[2:] == (2, 3, "stopped")


def test_a_crew_whose_conditional_task_was_skipped_is_finished() -> None:
    doc = document(crew(task(output="x"), task(), task(output="y")))
    assert facts(whole(doc)) == ("crew", "newsroom", 2, 3, "finished")


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"entities": None},
        {"entities": {}},
        {"entities": []},
        {"entities": [1, "x", None, []]},
        {"entities": [{"entity_type": ["crew"]}]},
        {"entities": [{"entity_type": "flow", "executor_type": "agent"}]},
    ],
)
def test_what_is_no_checkpoint_is_damage(odd: dict[str, Any]) -> None:
    damage = whole(odd).damage
    assert damage is not None
    assert damage.rule == "not-a-checkpoint"


@pytest.mark.parametrize(
    "odd",
    [
        {"entity_type": "crew", "tasks": "no"},
        {"entity_type": "crew", "tasks": [None, 3, {"output": 4}], "id": ["x"], "name": 7},
        {"entity_type": "flow", "checkpoint_completed_methods": {"a": 1}, "checkpoint_state": []},
        {"entity_type": "agent", "role": None, "crew": {"x": 1}},
        {"entity_type": "zebra"},
    ],
)
def test_odd_types_are_read_with_tolerance(odd: dict[str, Any]) -> None:
    doc = document(odd, events=[{"event_id": None, "type": 3, "timestamp": 4}])
    assert whole(doc).kind == odd["entity_type"]


def test_scopes_that_go_in_a_circle_end() -> None:
    events = [
        event(1, "task_completed", parent_event_id="event-2"),
        event(2, "x", parent_event_id="event-1"),
    ]
    doc = document(crew(id="1"), crew(id="2"), events=events)
    assert primary(doc, list(iter_events(doc))) is not None


@pytest.mark.parametrize("kind", ["\x1b]0;title\x07", "", "a b", "\u202ecrew", "x" * 41, "\ud800"])
@pytest.mark.parametrize("more", [{}, {"crewcheck": {"primary": 0}}])
def test_a_kind_that_is_no_word_is_none(kind: str, more: dict[str, Any]) -> None:
    """Kinds are shown as they are, in tables and titles."""
    found = summarize(document(crew(task(), entity_type=kind), **more), all_events=[])
    assert (found.kind, found.damage and found.damage.rule) == (None, "not-a-checkpoint")
