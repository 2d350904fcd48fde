"""Which outputs of a crew object are of which of its kickoffs."""

from __future__ import annotations

from typing import Any

from crewcheck.model.kickoffs import crews_in
from tests.build import Json, crew, event, task


def work(number: int, task_id: str, kickoff: int, output: str | None = None) -> list[Json]:
    """A task's beginning and, with an output, its end."""
    own = {"parent_event_id": f"event-{kickoff}", "task_id": task_id}
    made = [event(number, "task_started", **own)]
    if output is not None:
        made.append(event(number + 1, "task_completed", output={"raw": output}, **own))
    return made


def kickoff(number: int, call: int = 1, **inputs: Any) -> Json:
    return event(
        number, "crew_kickoff_started", parent_event_id=f"event-{call}", inputs=inputs or None
    )


def painters(**more: Any) -> Json:
    """As the second kickoff left it: its first output is its own, its second one is not."""
    tasks = [
        task("sketch", output="sketch of b", id="t1"),
        task("paint", output="painting of a", id="t2"),
    ]
    return crew(*tasks, checkpoint_kickoff_event_id="event-20", **more)


def told(crews: Any) -> list[tuple[Any, list[str | None]]]:
    return [
        (one.get("checkpoint_inputs"), [(t["output"] or {}).get("raw") for t in one["tasks"]])
        for one, _ in crews
    ]


def test_each_kickoff_of_an_object_has_its_own_outputs_and_inputs() -> None:
    events = [
        kickoff(10, of="a"), *work(11, "t1", 10, "sketch of a"),
        *work(13, "t2", 10, "painting of a"),
        kickoff(20, of="b"), *work(21, "t1", 20, "sketch of b"), *work(23, "t2", 20),
    ]  # fmt: skip
    assert told(crews_in([painters()], events)) == [
        ({"of": "a"}, ["sketch of a", "painting of a"]),
        ({"of": "b"}, ["sketch of b", None]),
    ]


def test_of_the_only_kickoff_the_document_tells_all() -> None:
    events = [kickoff(20, of="b"), *work(21, "t1", 20)]
    one = painters(checkpoint_inputs={"of": "b", "more": 1})
    assert told(crews_in([one], events)) == [
        ({"of": "b", "more": 1}, ["sketch of b", "painting of a"])
    ]


def test_what_a_call_had_done_before_it_began_anew_is_no_kickoff_of_its_own() -> None:
    events = [
        kickoff(10, call=1, of="b"), *work(11, "t1", 10, "sketch of b"),
        kickoff(20, call=2, of="b"), *work(23, "t2", 20),
    ]  # fmt: skip
    one = painters(checkpoint_inputs={"of": "b"})
    assert told(crews_in([one], events)) == [({"of": "b"}, ["sketch of b", "painting of a"])]


def test_a_kickoff_of_a_crew_that_is_not_in_the_document_is_not_told() -> None:
    assert crews_in([painters()], [kickoff(30), *work(31, "t9", 30, "x")]) == []
