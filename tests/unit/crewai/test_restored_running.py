"""What of a crew built anew can come to run, and what a condition had passed over."""

from __future__ import annotations

from typing import Any

import pytest

from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.restore.running import may_run, passed_over
from crewcheck.runtimes.spec import RunSpec
from tests.unit.crewai.crews import saved_crew, saved_task


def four(*outputs: str | None, events: Any = (), **more: Any) -> Any:
    tasks = [saved_task(name, output) for name, output in zip("abcd", outputs, strict=True)]
    return saved_crew(*tasks, events=list(events), checkpoint_kickoff_event_id="k", **more)


def spec(**more: Any) -> RunSpec:
    return RunSpec(store="s", checkpoint_id="c", python="p", cwd=".", **more)


@pytest.mark.parametrize(
    ("edits", "running"),
    [
        ({}, {3}),
        ({"outputs": {"1": "other"}}, {2, 3}),
        ({"outputs": {"3": "given"}}, set()),
        ({"outputs": {"0": "x", "2": "y"}}, {1, 3}),
        ({"rerun": [2]}, {2, 3}),
        ({"inputs": {"animal": "eel"}}, {0, 1, 2, 3}),
    ],
)
def test_all_behind_an_edit_can_run(edits: dict[str, Any], running: set[int]) -> None:
    assert may_run(four("A", "B", "C", None), spec(**edits)) == running


def test_an_edit_of_no_task_is_refused() -> None:
    with pytest.raises(Refusal, match="no task at position 4"):
        may_run(four("A", "B", "C", None), spec(rerun=[4]))


def begun(name: str) -> dict[str, Any]:
    return {"type": "task_started", "task_id": f"id of {name}"}


def over(saved: Any) -> list[int]:
    return [place for place in range(4) if passed_over(saved, place)]


def test_a_task_behind_which_another_has_begun_was_passed_over() -> None:
    assert over(four("A", None, None, None, events=[begun("a"), begun("b")])) == []
    assert over(four("A", None, None, None, events=[begun("a"), begun("c")])) == [1]
    assert over(four("A", None, "C", None, events=[begun("a"), begun("c")])) == [1]


def test_what_has_not_begun_when_the_kickoff_has_ended_was_passed_over() -> None:
    ended = {"type": "crew_kickoff_completed", "started_event_id": "k"}
    assert over(four("A", "B", "C", None, events=[ended])) == [3]
    other = {**ended, "started_event_id": "of another crew"}
    assert over(four("A", "B", "C", None, events=[other])) == []


def test_what_a_fork_has_let_go_of_was_not_passed_over() -> None:
    saved = four("A", None, None, None, events=[begun("c")])
    document = {**saved.document, "crewcheck": {"dropped": [1]}}
    assert over(type(saved)(document, "c1", saved.events, saved.entity)) == []
