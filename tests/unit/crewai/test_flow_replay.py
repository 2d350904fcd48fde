"""Kept calls of a flow come back in the order in which they had ended."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from crewcheck.crewai.flows.replay import Diverged, Replay
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.model.flow_calls import DONE
from tests.build import Json, document, event, flow

IN = {"flow_name": "Web", "parent_event_id": "event-1"}


def started(number: int, method: str, cause: int | None = None) -> Json:
    by = None if cause is None else f"event-{cause}"
    state = {"id": "s", "at": number}
    return event(number, "method_execution_started", method_name=method,
                 triggered_by_event_id=by, state=state, **IN)  # fmt: skip


def ended(number: int, method: str, start: int, kind: str = "finished", **more: Any) -> Json:
    more.setdefault("result", method.upper())
    return event(number, f"method_execution_{kind}", method_name=method,
                 started_event_id=f"event-{start}", state={"id": "s", "at": number},
                 **IN, **more)  # fmt: skip


def saved(*events: Json, state: Json | None = None, **more: Any) -> SavedFlow:
    opening = event(1, "flow_started", flow_name="Web", inputs={"n": 1})
    entity = flow(state=state or {"id": "own"}, **more)
    doc = document(entity, events=[opening, *events])
    return SavedFlow(doc, "c", [opening, *events], entity)


def two_sides() -> SavedFlow:
    """``right`` had ended before ``left``, which had begun first; then ``after``."""
    return saved(
        started(2, "left"), started(3, "right"), ended(4, "right", 3), ended(5, "left", 2),
        started(6, "after", 4), started(7, "end", 5), ended(8, "after", 6),
    )  # fmt: skip


def replay(of: SavedFlow, keep: list[int] | None = None) -> Replay:
    kept = {call.index: call.result for call in of.calls if call.state == DONE}
    return Replay(object(), of, kept if keep is None else {index: kept[index] for index in keep})


async def come(to: Replay, method: str, told: list[str], trigger: str | None = None) -> None:
    call = to.take(method, trigger)
    if call is not None and call.index in to.kept:
        await to.turn(call)
    else:
        await to.hold()
    told.append(method)


def test_calls_come_back_in_the_order_of_their_ends() -> None:
    told: list[str] = []

    async def run() -> None:
        to = replay(two_sides())
        await asyncio.gather(
            come(to, "left", told),
            come(to, "end", told, "event-5"),  # under way: it really runs, after all that is kept
            come(to, "after", told, "event-4"),
            come(to, "right", told),
        )
        assert to.not_told() == []
        assert to.not_asked() == []

    asyncio.run(run())
    assert told == ["right", "left", "after", "end"]


def test_a_loser_of_a_race_is_told_too() -> None:
    async def run() -> None:
        to = replay(two_sides())
        left = to.take("left", None)
        assert left is not None
        waiting = asyncio.ensure_future(to.turn(left))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert [call.method for call in to.not_told()] == ["right", "after"]

    asyncio.run(run())


def test_what_does_not_come_is_not_waited_for() -> None:
    async def run() -> None:
        to = replay(two_sides())
        left = to.take("left", None)
        assert left is not None
        with pytest.raises(Diverged, match=r"the flow does not come to right, which is done"):
            await to.turn(left)

    asyncio.run(run())


def test_a_real_call_goes_first_where_a_kept_one_waits_for_it() -> None:
    """``left`` is run again, and what it had set off is kept."""
    of = saved(
        started(2, "left"), ended(3, "left", 2), started(4, "end", 3), ended(5, "end", 4),
    )  # fmt: skip
    told: list[str] = []

    async def run() -> None:
        to = replay(of, keep=[1])
        await come(to, "left", told)
        await come(to, "end", told, "another event")
        assert to.not_told() == []

    asyncio.run(run())
    assert told == ["left", "end"]


def test_each_round_of_a_loop_has_its_own_recording() -> None:
    of = saved(
        started(2, "draft"), ended(3, "draft", 2, result="a"),
        started(4, "draft", 3), ended(5, "draft", 4, result="b"), started(6, "draft", 5),
    )  # fmt: skip
    to = replay(of)
    second = to.take("draft", "event-3")
    first = to.take("draft", None)
    third = to.take("draft", "event-5")
    assert second is not None
    assert first is not None
    assert third is not None
    assert [to.kept.get(call.index) for call in (first, second, third)] == ["a", "b", None]
    assert to.take("draft", "event-9") is None


def test_the_state_is_that_after_the_last_kept_call() -> None:
    of = two_sides()
    assert of.state == {"id": "own", "at": 8}
    assert not of.finished
    assert of.begun
    nothing_done = saved(started(2, "left"), started(3, "right"))
    assert nothing_done.state == {"id": "own", "at": 2}
    assert saved(state={"id": "own", "n": 1}).state == {"id": "own", "n": 1}


def test_a_finished_flow_gives_what_it_had_returned() -> None:
    ending = event(9, "flow_finished", flow_name="Web", result={"sum": 3})
    of = saved(started(2, "left"), ended(3, "left", 2), ending)
    assert (of.finished, of.result) == (True, '{"sum": 3}')
    again = saved(started(2, "left"), ended(3, "left", 2), ending, started(10, "right"))
    assert not again.finished


def test_what_a_call_under_way_had_done_is_found_over_its_attempts() -> None:
    of = saved(
        started(2, "left"),
        event(3, "llm_call_started", parent_event_id="event-2", call_id="a"),
        event(4, "llm_call_completed", parent_event_id="event-2", call_id="a"),
        ended(5, "left", 2, "failed"),
        started(6, "left"),
        event(7, "crew_kickoff_started", parent_event_id="event-6"),
        event(8, "task_started", parent_event_id="event-7"),
        event(9, "task_started"),
    )
    assert [call.attempts for call in of.calls] == [("event-2",)]
    numbers = [one["event_id"] for one in of.events_within(of.calls[0])]
    assert numbers == ["event-3", "event-4", "event-7", "event-8"]


def test_what_a_paused_call_asks() -> None:
    pausing = ended(3, "check", 2, "paused", message="Good?", emit=["yes", "no"], flow_id="s")
    pause = saved(started(2, "check"), pausing).pause
    assert pause is not None
    assert (pause.call.label, pause.message, pause.outcomes, pause.flow_id) == (
        "check",
        "Good?",
        ("yes", "no"),
        "s",
    )
    assert saved(started(2, "check")).pause is None
