"""Which tasks are kept and which run again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crewcheck.engine.invalidation import (
    DONE,
    FAILED,
    KEEP,
    PENDING,
    RUN,
    SKIPPED,
    UNDER_WAY,
    TaskFacts,
    Wishes,
    decide,
    to_keep,
    to_run,
)


def done(index: int, *depends_on: int, names: tuple[str, ...] = (), label: str = "") -> TaskFacts:
    return TaskFacts(index, DONE, frozenset(depends_on), frozenset(names), label)


def rules(tasks: list[TaskFacts], wishes: Wishes | None = None) -> list[str]:
    return [decision.rule for decision in decide(tasks, wishes)]


ZOO = [done(0), done(1), done(2, 0), done(3, 1, 2)]


def test_without_wishes_what_is_done_is_kept() -> None:
    states = [DONE, UNDER_WAY, FAILED, PENDING, SKIPPED]
    tasks = [TaskFacts(index, state) for index, state in enumerate(states)]
    assert rules(tasks) == ["recorded", "under-way", "failed", "pending", "skipped"]
    assert to_keep(decide(tasks)) == [0, 4]
    assert to_run(decide(tasks)) == [1, 2, 3]


def test_an_edited_output_reaches_those_that_name_it() -> None:
    assert to_run(decide(ZOO, Wishes(outputs=frozenset({0})))) == [2, 3]
    assert to_run(decide(ZOO, Wishes(outputs=frozenset({1})))) == [3]
    assert to_run(decide(ZOO, Wishes(outputs=frozenset({3})))) == []


def test_the_last_cause_is_named() -> None:
    decisions = decide([done(0, label="look"), done(1, 0)], Wishes(outputs=frozenset({0})))
    assert decisions[1].tasks == (0,)
    assert decisions[1].reason == "it depends on look, which changes"
    assert decisions[0].reason == "its output is yours"


def test_unknown_dependencies_are_all_tasks_before() -> None:
    tasks = [TaskFacts(index, DONE, None, frozenset()) for index in range(4)]
    decisions = decide(tasks, Wishes(outputs=frozenset({1})))
    assert to_run(decisions) == [2, 3]
    assert decisions[2].reason == "it may depend on task 2, which changes"


def test_a_changed_input_reaches_those_that_name_it_and_their_dependents() -> None:
    tasks = [done(0, names=("topic",)), done(1, names=("year",)), done(2, 0), done(3, 1)]
    decisions = decide(tasks, Wishes(inputs=frozenset({"topic"})))
    assert [one.rule for one in decisions] == [
        "input-changed",
        "recorded",
        "depends-on-changed",
        "recorded",
    ]
    assert decisions[0].inputs == ("topic",)
    assert decisions[0].reason == "it uses the input topic, which changes"


def test_unknown_names_are_concerned_by_any_input() -> None:
    tasks = [TaskFacts(0, DONE, frozenset(), None)]
    assert rules(tasks, Wishes(inputs=frozenset({"any"}))) == ["input-changed"]


def test_an_edited_output_wins_over_all_else() -> None:
    wishes = Wishes(
        outputs=frozenset({0, 2}), inputs=frozenset({"x"}), rerun=frozenset({2}), keep=frozenset()
    )
    tasks = [done(0, names=("x",)), done(1, 0), done(2, 1, names=("x",))]
    assert rules(tasks, wishes) == ["edited", "depends-on-changed", "edited"]


def test_an_output_can_be_written_for_a_task_that_was_never_run() -> None:
    assert rules([TaskFacts(0, PENDING)], Wishes(outputs=frozenset({0}))) == ["edited"]


def test_run_again_passes_on_and_keep_stops_it() -> None:
    assert to_run(decide(ZOO, Wishes(rerun=frozenset({0})))) == [0, 2, 3]
    wishes = Wishes(rerun=frozenset({0}), keep=frozenset({2}))
    assert rules(ZOO, wishes) == ["rerun-by-wish", "recorded", "kept-by-wish", "recorded"]


def test_what_is_not_done_cannot_be_kept() -> None:
    assert rules([TaskFacts(0, PENDING)], Wishes(keep=frozenset({0}))) == ["pending"]


def test_a_pending_task_changes_nothing_that_is_done() -> None:
    """An asynchronous task that failed beside one that was finished."""
    tasks = [done(0), TaskFacts(1, UNDER_WAY), TaskFacts(2, DONE, None, frozenset())]
    assert to_run(decide(tasks)) == [1]


def test_a_skipped_task_is_asked_again_when_something_changes() -> None:
    tasks = [done(0), TaskFacts(1, SKIPPED, frozenset({0}), frozenset()), done(2, 1)]
    assert to_run(decide(tasks, Wishes(outputs=frozenset({0})))) == [1, 2]


def test_as_dict_is_plain() -> None:
    assert decide([done(0, label="look")])[0].as_dict() == {
        "index": 0,
        "label": "look",
        "action": "keep",
        "rule": "recorded",
        "reason": "it is done, and nothing that it depends on changes",
        "tasks": [],
        "inputs": [],
    }


@st.composite
def crews(draw: st.DrawFn) -> tuple[list[TaskFacts], Wishes]:
    size = draw(st.integers(1, 7))
    tasks = []
    for index in range(size):
        before = st.frozensets(st.integers(0, index - 1)) if index else st.just(frozenset[int]())
        tasks.append(
            TaskFacts(
                index,
                draw(st.sampled_from([DONE, DONE, UNDER_WAY, PENDING])),
                draw(st.none() | before),
                draw(st.frozensets(st.sampled_from("ab"))),
            )
        )
    some = st.frozensets(st.integers(0, size - 1), max_size=2)
    wishes = Wishes(draw(some), draw(st.frozensets(st.sampled_from("ab"))), draw(some), draw(some))
    return tasks, wishes


@given(crews())
def test_exactly_what_is_reached_runs(made: tuple[list[TaskFacts], Wishes]) -> None:
    tasks, want = made
    decisions = decide(tasks, want)
    ran = {task.index for task in tasks if decisions[task.index].action == RUN}
    changed = {
        task.index
        for task in tasks
        if task.index in want.outputs or (task.index in ran and task.state == DONE)
    }
    for task, decision in zip(tasks, decisions, strict=True):
        before = set(range(task.index)) if task.depends_on is None else task.depends_on
        reached = bool(before & changed) or bool((task.names or set()) & want.inputs)
        if task.index in want.outputs:
            assert decision.action == KEEP
        elif task.state != DONE or task.index in want.rerun:
            assert decision.action == RUN
        else:
            assert (decision.action == RUN) == (reached and task.index not in want.keep)
        assert decision.reason
