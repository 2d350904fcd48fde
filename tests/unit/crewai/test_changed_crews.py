"""A project that has changed: which task is which, what differs, and what is run again."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from crewcheck.crewai.crews import facts, match
from crewcheck.crewai.crews.pairing import pair
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.invalidation import Wishes, decide
from tests.unit.crewai.crews import agent, crew, saved_crew, saved_task, task

R = agent("R")


def decided(mine: Any, saved: Any, **wishes: Any) -> list[tuple[str, str]]:
    """What is done with each task of the project, and by which rule."""
    pairing = pair(mine, saved)
    differs = match.not_as_recorded(mine, saved, pairing)
    found = facts.task_facts(mine, pairing.states(saved), differs)
    items = decide(found, Wishes(**{key: frozenset(value) for key, value in wishes.items()}))
    return [(item.action, item.rule) for item in items]


def three(*outputs: str | None) -> Any:
    names = zip(("one", "two", "three"), (*outputs, None, None, None), strict=False)
    return saved_crew(*(saved_task(f"Do {name}", out, name) for name, out in names))


def mine(*names: str, **texts: str) -> Any:
    return crew(*(task(texts.get(name, f"Do {name}"), name, R) for name in names))


def test_the_same_crew() -> None:
    saved = three("1")
    pairing = pair(mine("one", "two", "three"), saved)
    assert pairing.unchanged
    assert match.compare(mine("one", "two", "three"), saved, pairing) == []
    assert decided(mine("one", "two", "three"), saved) == [
        ("keep", "recorded"),
        ("run", "pending"),
        ("run", "pending"),
    ]


def test_a_task_behind_what_is_done_is_new() -> None:
    saved, now = three("1"), mine("one", "new", "two", "three")
    pairing = pair(now, saved)
    assert pairing.old == (0, None, 1, 2)
    assert match.compare(now, saved, pairing) == [
        "tasks: 3 in the checkpoint, 4 in the project: new new"
    ]
    assert decided(now, saved) == [("keep", "recorded"), *[("run", "pending")] * 3]


def test_a_task_before_what_is_done_is_new() -> None:
    """What stands behind is given its output: it runs again, unless it is to be kept."""
    saved, now = three("1", "2"), mine("new", "one", "two", "three")
    assert pair(now, saved).old == (None, 0, 1, 2)
    assert decided(now, saved) == [
        ("run", "pending"),
        ("run", "task-changed"),
        ("run", "task-changed"),
        ("run", "pending"),
    ]
    assert decided(now, saved, keep={1, 2}) == [
        ("run", "pending"),
        ("keep", "kept-by-wish"),
        ("keep", "kept-by-wish"),
        ("run", "pending"),
    ]
    reasons = match.not_as_recorded(now, saved, pair(now, saved))
    assert reasons[1] == "it is given other outputs now: new too"


def test_a_task_that_names_what_it_is_given_is_kept() -> None:
    saved = three("1", "2")  # the first has nothing before it, whatever it names
    now = mine("new", "one", "two", "three")
    now.tasks[1].context = []
    now.tasks[2].context = [now.tasks[1]]
    assert decided(now, saved)[1:3] == [("keep", "recorded")] * 2


def test_a_done_task_is_gone() -> None:
    saved, now = three("1", "2"), mine("two", "three")
    pairing = pair(now, saved)
    assert (pairing.old, pairing.gone) == ((1, 2), (0,))
    assert decided(now, saved) == [("run", "task-changed"), ("run", "pending")]
    reasons = match.not_as_recorded(now, saved, pairing)
    assert reasons == {0: "it is given other outputs now: one no more"}


def test_a_done_task_is_given_other_outputs_or_waits_no_more() -> None:
    saved, now = three("1", "2"), mine("one", "two", "three")
    now.tasks[1].context = []
    now.tasks[2].async_execution = True
    assert match.compare(now, saved, pair(now, saved)) == [
        "two: it is given no outputs of others now",
        "three: it is asynchronous now",
    ]
    assert decided(now, saved) == [
        ("keep", "recorded"),
        ("run", "task-changed"),
        ("run", "pending"),
    ]


def test_another_crew_is_refused_also_where_nothing_is_done() -> None:
    saved, now = three(), mine("four", "five", "six")
    lines = match.compare(now, saved, pair(now, saved))
    with pytest.raises(Refusal, match=r"it has none of the tasks$"):
        match.accept(lines, saved, pair(now, saved), allow_changed=True)


def test_a_done_task_is_reworded() -> None:
    saved, now = three("1", "2"), mine("one", "two", "three", one="Do one well")
    lines = match.compare(now, saved, pair(now, saved))
    assert lines == ["one, description: 'Do one' in the checkpoint, 'Do one well' now"]
    assert decided(now, saved) == [
        ("run", "task-changed"),
        ("run", "depends-on-changed"),
        ("run", "pending"),
    ]


def test_done_tasks_change_places() -> None:
    saved, now = three("1", "2"), mine("two", "one", "three")
    lines = match.compare(now, saved, pair(now, saved))
    assert lines == ["the tasks stand in another order now: two, one, three"]
    assert decided(now, saved)[:2] == [("run", "task-changed")] * 2


def test_tasks_without_names_are_told_by_their_texts() -> None:
    saved = saved_crew(saved_task("Dig", "1"), saved_task("Plant"))
    now = crew(task("Fence", by=R), task("Dig", by=R, context=[]), task("Plant", by=R))
    assert pair(now, saved).old == (None, 0, 1)


def test_identical_tasks_pair_up_in_order() -> None:
    saved = saved_crew(saved_task("Throw", "1"), saved_task("Throw"), saved_task("Add"))
    now = crew(task("Throw", by=R), task("Throw", by=R), task("Add", by=R), task("Say", by=R))
    assert pair(now, saved).old == (0, 1, 2, None)


class Note(BaseModel):
    text: str


class Count(BaseModel):
    count: int


def test_an_output_class_that_what_was_recorded_does_not_fit() -> None:
    schema: Any = {"output_json": Note.model_json_schema()}
    saved = saved_crew(saved_task("Write", '{"text": "a"}', **schema), saved_task("Read"))
    same = crew(task("Write", by=R, output_json=Note), task("Read", by=R))
    other = crew(task("Write", by=R, output_json=Count), task("Read", by=R))
    assert decided(same, saved)[0] == ("keep", "recorded")
    assert decided(other, saved)[0] == ("run", "task-changed")
    lines = match.compare(other, saved, pair(other, saved))
    assert lines == ["task 1, output class: it is another one now (Count)"]


@pytest.mark.parametrize(
    ("now", "allow", "rule"),
    [
        (mine("one", "new", "two", "three"), False, "changed"),
        (mine("four", "five", "six"), True, "different-crew"),
        (mine("four", "five"), False, "different-crew"),
    ],
)
def test_refused(now: Any, allow: bool, rule: str) -> None:
    saved = three("1")
    pairing = pair(now, saved)
    with pytest.raises(Refusal) as caught:
        match.accept(match.compare(now, saved, pairing), saved, pairing, allow)
    assert caught.value.rule == rule


def test_allowed() -> None:
    saved, now = three("1"), mine("one", "new", "two", "three")
    lines = match.compare(now, saved, pair(now, saved))
    assert match.accept(lines, saved, pair(now, saved), True) == lines


def test_a_plan_at_the_end_of_a_text_is_no_difference() -> None:
    old: Any = {"checkpoint_original_description": None}
    saved = saved_crew(saved_task("Go out, step by step", "1", **old), planning=True)
    now = crew(task("Go out", by=R), planning=True)
    assert match.compare(now, saved, pair(now, saved)) == []
    assert match.compare(now, saved_crew(saved_task("Go out, step", "1", **old)), pair(now, saved))
