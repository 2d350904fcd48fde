"""Which inputs, tasks and models the work on a task has to do with."""

from __future__ import annotations

from crewcheck.crewai.crews import facts, planning
from crewcheck.crewai.crews.match import inputs_differ
from crewcheck.crewai.crews.pairing import pair
from tests.unit.crewai.crews import agent, crew, saved_crew, saved_task, task

PLAIN = {"crew_chat_messages", "crewai_trigger_payload"}


def test_a_manager_may_give_work_to_any_agent() -> None:
    one, two = agent("One of {a}"), agent("Two", goal="{b}")
    own, free = task("Do {c}", by=one), task("Do it")
    managed = crew(own, free, process="hierarchical", agents=[one, two], manager_llm="gpt-4o")
    assert facts.names(managed, 0) - PLAIN == {"a", "c"}
    assert facts.names(managed, 1) - PLAIN == {"a", "b"}
    assert facts.model_name(facts.asked_first(managed, free)) == "gpt-4o"


def test_a_manager_of_the_users_own_is_not_filled_in() -> None:
    one, boss = agent("One"), agent("Boss of {a}", llm="o3")
    managed = crew(task("Do it", by=one), process="hierarchical", agents=[one], manager_agent=boss)
    assert facts.names(managed, 0) - PLAIN == set()
    assert facts.asked_first(managed, managed.tasks[0]) == "o3"


def test_an_agent_that_delegates_names_the_others() -> None:
    one, two = agent("One", allow_delegation=True), agent("Two of {a}")
    both = crew(task("Do it", by=one), task("Do more", by=two), agents=[one, two])
    assert facts.names(both, 0) - PLAIN == {"a"}
    one.allow_delegation = False
    assert facts.names(both, 0) - PLAIN == set()


def test_a_planner_reads_all_texts() -> None:
    by = agent("R")
    planned = crew(task("Do {a}", by=by), task("Do {b}", by=by), planning=True)
    assert facts.names(planned, 1) - PLAIN == {"a", "b"}


def test_an_asynchronous_task_is_given_nothing() -> None:
    by = agent("R")
    first, second = task("1", by=by), task("2", by=by, async_execution=True)
    third = task("3", by=by, async_execution=True, context=[first])
    all_three = crew(first, second, third, task("4", by=by))
    given = [facts.depends_on(all_three, index) for index in range(4)]
    assert given == [frozenset(), frozenset(), frozenset({0}), frozenset({0, 1, 2})]


def test_a_plan_is_used_again_as_long_as_nothing_else_would_be_asked() -> None:
    by = agent("R")
    now = crew(task("Do {a}", by=by), task("More", by=by), planning=True)
    old = {"checkpoint_original_description": "Do {a}"}
    saved = saved_crew(saved_task("Do x, so and so", "1", **old), saved_task("More"), planning=True)
    pairing = pair(now, saved)
    assert planning.is_planned(now, saved)
    assert not planning.asks_again(now, saved, pairing, {"unasked"})
    assert planning.asks_again(now, saved, pairing, {"a"})


def test_before_anything_has_begun_there_is_no_plan() -> None:
    now = crew(task("Do {a}", by=agent("R")), planning=True)
    saved = saved_crew(saved_task("Do {a}"), planning=True)
    assert not planning.is_planned(now, saved)
    assert not planning.asks_again(now, saved, pair(now, saved), {"a"})


def test_where_inputs_differ_their_secrets_are_not_told() -> None:
    said = inputs_differ({"api_key": "hunter2hunter2", "n": 1}, {"api_key": "other", "n": "1"})
    assert [one.partition(":")[0] for one in said] == ["input api_key", "input n"]
    assert "hunter2" not in said[0]
    assert "other" not in said[0]
    assert said[1] == "input n: 1 in the checkpoint, '1' in the program"
