from __future__ import annotations

from crewcheck.model.event_tree import within
from tests.build import event


def test_what_lies_below_some_events_however_deep() -> None:
    events = [
        event(1, "a"),
        event(2, "b", parent_event_id="event-1"),
        event(3, "c", parent_event_id="event-2"),
        event(4, "b done", parent_event_id="event-1", started_event_id="event-2"),
        event(5, "d"),
        event(6, "e", parent_event_id="event-5"),
        event(7, "f", parent_event_id="gone"),
    ]
    found = [one["event_id"] for one in within(events, ["event-1"])]
    assert found == ["event-2", "event-3", "event-4"]
    assert [one["event_id"] for one in within(events, ["event-2", "event-5"])] == [
        "event-3",
        "event-6",
    ]


def test_a_cycle_of_parents_comes_to_its_end() -> None:
    events = [event(1, "a", parent_event_id="event-2"), event(2, "b", parent_event_id="event-1")]
    assert within(events, ["event-9"]) == []
