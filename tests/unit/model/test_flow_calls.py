from __future__ import annotations

import tracemalloc
from typing import Any

from crewcheck.model.events import Tokens
from crewcheck.model.flow_calls import Call, calls, newest_state
from tests.build import Json, event, flow

TURN = {"flow_name": "Turn", "parent_event_id": "event-1"}


def started(number: int, method: str, cause: int | None = None) -> Json:
    by = None if cause is None else f"event-{cause}"
    return event(number, "method_execution_started", method_name=method,
                 triggered_by_event_id=by, **TURN)  # fmt: skip


def ended(number: int, method: str, start: int, kind: str = "finished", **more: Any) -> Json:
    return event(number, f"method_execution_{kind}", method_name=method,
                 started_event_id=f"event-{start}", **TURN, **more)  # fmt: skip


def told(found: list[Call]) -> list[tuple[str, str, int | None]]:
    return [(call.label, call.state, call.cause) for call in found]


def test_each_round_of_a_loop_is_a_call() -> None:
    events = [
        started(2, "draft"), ended(3, "draft", 2, result="a", state={"n": 1}),
        started(4, "judge", 3), ended(5, "judge", 4, result="again", state={"n": 1}),
        started(6, "draft", 5), ended(7, "draft", 6, result="b", state={"n": 2}),
        started(8, "judge", 7),
    ]  # fmt: skip
    found = calls(flow("draft", "judge"), "Turn", events)
    assert told(found) == [
        ("draft#1", "done", None), ("judge#1", "done", 0),
        ("draft#2", "done", 1), ("judge#2", "running", 2),
    ]  # fmt: skip
    assert [call.result for call in found] == ["a", "again", "b", None]
    assert found[3].before == frozenset({0, 1, 2})
    assert newest_state({"checkpoint_state": {"n": 9}}, found) == {"n": 2}
    assert newest_state({"checkpoint_state": {"n": 9}}, found[3:]) == {"n": 9}


def test_the_newest_state_is_that_of_the_last_to_end() -> None:
    events = [
        started(2, "slow"), started(3, "quick"),
        ended(4, "quick", 3, state={"by": "quick"}), ended(5, "slow", 2, state={"by": "slow"}),
    ]  # fmt: skip
    found = calls(flow(), "Turn", events)
    assert [(call.method, call.end, call.before) for call in found] == [
        ("slow", 1, frozenset()), ("quick", 0, frozenset()),
    ]  # fmt: skip
    assert newest_state({}, found) == {"by": "slow"}


def test_an_attempt_that_was_tried_again_is_left_out() -> None:
    events = [
        started(2, "a"), ended(3, "a", 2, result=1),
        started(4, "b", 3), ended(5, "b", 4, "failed", error="boom"),
        started(6, "b", 3), ended(7, "b", 6, result=2),
        started(8, "c", 7), ended(9, "c", 8, "failed", error="boom"),
    ]  # fmt: skip
    assert told(calls(flow(), "Turn", events)) == [
        ("a", "done", None), ("b", "done", 0), ("c", "failed", 1),
    ]  # fmt: skip


def test_tokens_of_what_a_method_ran_however_deep() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    events = [
        started(2, "a"),
        event(3, "crew_kickoff_started", parent_event_id="event-2"),
        event(4, "llm_call_completed", parent_event_id="event-3", usage=usage),
        event(5, "llm_call_completed", parent_event_id="event-2", usage=usage),
        event(6, "llm_call_completed", parent_event_id="event-1", usage=usage),
        ended(7, "a", 2),
    ]
    (call,) = calls(flow(), "Turn", events)
    assert call.tokens == Tokens(6, 8, 14, 2)
    assert call.seconds == 5.0


def test_methods_that_only_the_flow_names() -> None:
    outputs = [{"method": "old", "output": "x"}]
    entity = flow("a", "old", checkpoint_method_outputs=outputs)
    found = calls(entity, "Turn", [started(2, "a"), ended(3, "a", 2, result="y")])
    assert [(call.label, call.state, call.result) for call in found] == [
        ("a", "done", "y"), ("old", "done", "x"),
    ]  # fmt: skip


def test_other_flows_and_odd_events_are_passed_over() -> None:
    events = [
        started(2, "a"),
        event(3, "method_execution_started", flow_name="AgentExecutor", method_name="inner"),
        event(4, "method_execution_started", flow_name="Other", method_name="b"),
        event(5, "method_execution_started", flow_name="Turn", method_name=7),
        event(6, "method_execution_finished", flow_name="Turn", method_name="lone", result=1),
        ended(7, "a", 99, result=2),
    ]
    found = calls(flow(), "Turn", events)
    assert told(found) == [("a", "done", None), ("lone", "done", None)]


def test_a_loop_of_thousands_of_calls_takes_little_memory() -> None:
    opening = {"type": "flow_started", "event_id": "f", "flow_name": "F"}
    events: list[dict[str, Any]] = [opening]
    for at in range(4000):
        about = {"method_name": ("write", "judge")[at % 2], "flow_name": "F"}
        cause = f"e{at - 1}" if at else None
        events += [
            {"type": "method_execution_started", "event_id": f"s{at}",
             "triggered_by_event_id": cause, **about},
            {"type": "method_execution_finished", "event_id": f"e{at}",
             "started_event_id": f"s{at}", **about},
        ]  # fmt: skip
    tracemalloc.start()
    try:
        made = calls({}, "F", events)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000  # sets would take 450 MB
    finally:
        tracemalloc.stop()
    assert (made[-1].label, made[-1].cause) == ("judge#2000", 3998)
    assert 3998 in made[-1].before
    assert 3999 not in made[-1].before
    assert sorted(made[3].before) == [0, 1, 2]
    assert made[3].before & {1, 3, 5} == {1}
