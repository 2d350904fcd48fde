"""Tasks that are still to run although kept ones follow: no checkpoint may call them skipped."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from crewcheck.crewai import dumps
from crewcheck.crewai.crews.pairing import pair
from crewcheck.crewai.crews.replay import Replay
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.model.status import KEPT_OUTPUTS, dropped_tasks, task_states
from tests.build import event


def task(text: str, output: Any = None, *, conditional: bool = False, **more: Any) -> Any:
    own = {"should_execute": lambda _: False} if conditional else {}
    made = {"description": text, "name": None, "agent": None, "async_execution": False, **more}
    return SimpleNamespace(**made, output=output, **own)


def crew_of(*tasks: Any) -> Any:
    return SimpleNamespace(tasks=list(tasks), process="sequential")


def saved_of(*tasks: dict[str, Any], events: Any = (), **crew: Any) -> SavedCrew:
    listed = [{"id": f"id {at}", "expected_output": "", **one} for at, one in enumerate(tasks)]
    entity = {"entity_type": "crew", "tasks": listed, **crew}
    return SavedCrew({"entities": [entity]}, "c1", list(events), entity)


OUTPUT = {"raw": "done"}


def test_what_is_to_run_before_kept_tasks_is_written_down() -> None:
    again, kept, passed, last = task("a"), task("b"), task("c", conditional=True), task("d")
    end = task("e")
    told = Replay(crew_of(again, kept, passed, last, end), {1: "B", 3: "D"})
    assert told.note() == {"dropped": [0, 2]}
    told.passed.add(2)
    assert told.note() == {"dropped": [0]}
    again.output = "A"
    assert told.note() == {}
    told.begun.add(0)
    assert told.not_done() == [4]


def test_the_note_stands_before_the_entities() -> None:
    first, second = object(), object()
    dumps.say(second, lambda: {"dropped": [0]})
    try:
        made = dumps._with_own({"branch": "main", "entities": [], "event_record": {}}, [first])
        assert list(made) == ["branch", "entities", "event_record"]
        made = dumps._with_own(made, [first, second])
    finally:
        dumps.say_nothing(second)
    assert list(made) == ["branch", "crewcheck", "entities", "event_record"]
    assert made["crewcheck"] == {"primary": 1, "dropped": [0]}
    states = task_states([{"output": None}, {"output": OUTPUT}], dropped_tasks(made))
    assert states == ["pending", "done"]


def test_only_conditional_tasks_can_have_been_skipped() -> None:
    saved = saved_of(
        {"description": "a"}, {"description": "b"}, {"description": "c", "output": OUTPUT}
    )
    assert saved.states == ["skipped", "skipped", "done"]
    mine = crew_of(task("a"), task("b", conditional=True), task("c"))
    assert pair(mine, saved).states(saved) == ["pending", "skipped", "done"]


def test_what_has_begun_was_not_skipped() -> None:
    events = [{"type": "task_started", "task_id": "id 0"}]
    tasks: list[dict[str, Any]] = [{"description": "a"}, {"description": "b", "output": OUTPUT}]
    assert saved_of(*tasks).states == ["skipped", "done"]
    assert saved_of(*tasks, events=events).states == ["under-way", "done"]


def test_tasks_of_an_incomplete_record_are_told_by_their_places_too() -> None:
    saved = saved_of(
        {"description": "a", "output": OUTPUT},
        {"description": "b", "output": OUTPUT},
        **{KEPT_OUTPUTS: [0, 1]},
    )
    owner = SimpleNamespace(role="Clerk")
    mine = crew_of(task("a", agent=owner), task("b, reworded", agent=owner), task("c"))
    paired = pair(mine, saved)
    assert (paired.old, paired.gone, paired.told) == ((0, 1, None), (), frozenset({0}))


def test_a_task_whose_callback_failed_is_not_done() -> None:
    failed = [{"type": one, "task_id": "id 1"} for one in ("task_started", "task_failed")]
    saved = saved_of({"output": OUTPUT}, {"output": OUTPUT}, events=failed)
    assert (saved.states, saved.finished) == (["done", "failed"], False)
    # what was tried again since, and came to an end, is
    again = [{"type": one, "task_id": "id 1"} for one in ("task_started", "task_completed")]
    saved = saved_of({"output": OUTPUT}, {"output": OUTPUT}, events=[*failed, *again])
    assert saved.finished


def test_what_failed_before_a_checkpoint_and_is_done_in_it_is_done() -> None:
    """A resume failed, the next one did it: both have told of the task."""
    began, ended = (
        event(8, "task_started", task_id="id 1"),
        event(9, "task_completed", task_id="id 1"),
    )
    both = ({"description": "a", "output": OUTPUT}, {"description": "b", "output": OUTPUT})
    saved = saved_of(*both, events=[began, ended])
    before: list[Any] = [
        event(4, "task_started", task_id="id 1"),
        event(5, "task_failed", task_id="id 1"),
    ]
    saved.take_later(before)
    assert saved.states == ["done", "done"]
    saved.take_later([*before, event(10, "task_failed", task_id="id 1")])
    assert saved.states == ["done", "failed"]
