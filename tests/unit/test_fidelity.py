"""The parts of the fidelity matrix that must not be wrong themselves."""

from __future__ import annotations

from typing import Any

from tests.fake_model import Request
from tests.fake_replies import key_of, reply_to
from tests.fidelity.answered import answered, answered_since_last_end, owners
from tests.fidelity.cases import spread, spread_points
from tests.fidelity.recording import Point

START, TOOL = {"role": "user", "content": "Count"}, {"role": "tool", "content": "42"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "function": {"name": "times", "arguments": "{}"}}],
}


def request(*messages: dict[str, Any], at: float = 0.0, status: int = 200) -> Request:
    return Request(key_of(messages), "", "", list(messages), status, at)


def event(number: int, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "event_id": f"e{number}",
        "timestamp": f"2031-01-01T00:00:{number:02d}+00:00",
        "emission_sequence": number,
        **more,
    }


def document(*events: dict[str, Any], done: tuple[str, ...] = ()) -> dict[str, Any]:
    tasks = [{"id": one, "output": {"raw": ""}} for one in done]
    nodes = {one["event_id"]: {"event": one} for one in events}
    return {"entities": [{"tasks": tasks}], "event_record": {"nodes": nodes}}


def test_a_request_is_told_from_a_longer_one_that_begins_the_same() -> None:
    # both lists in the record have grown, as CrewAI goes on using the same one
    grown = [START, CALL, TOOL, {"role": "assistant", "content": "42"}]
    asked = [request(START), request(START, CALL, TOOL)]
    first = [
        event(1, "llm_call_started", call_id="a", messages=grown),
        event(2, "llm_call_completed", call_id="a", task_id="t"),
    ]
    second = [
        event(3, "llm_call_started", call_id="b", messages=grown),
        event(4, "llm_call_completed", call_id="b", task_id="t"),
    ]
    owned = owners(asked, [document(*first, *second)])
    assert answered(asked, owned, document(*first)) == [asked[0].key]
    assert answered(asked, owned, document(*first, *second)) == [one.key for one in asked]
    assert answered(asked, owned, document(event(0, "task_started"))) == []


def test_equal_requests_are_counted_apart() -> None:
    asked = [request(START), request(START)]
    pairs = [
        event(number, kind, call_id=call, messages=[START], task_id=call)
        for number, kind, call in (
            (1, "llm_call_started", "a"),
            (2, "llm_call_completed", "a"),
            (3, "llm_call_started", "b"),
            (4, "llm_call_completed", "b"),
        )
    ]
    owned = owners(asked, [document(*pairs)])
    assert answered(asked, owned, document(*pairs[:3])) == [asked[0].key]
    # the record is behind what the task itself says
    assert answered(asked, owned, document(*pairs[:3], done=("b",))) == [asked[0].key] * 2


def test_a_model_that_tells_nothing_has_answered_when_its_task_is_done() -> None:
    # 2031-01-01T00:00:02Z, within the first task
    asked = [request(START, at=1924992002.0), request(START, at=1924992005.0)]
    events = [
        event(1, "task_started", task_id="t"),
        event(3, "task_completed", task_id="t", started_event_id="e1"),
        event(4, "task_started", task_id="u"),
        event(6, "task_failed", task_id="u", started_event_id="e4"),
    ]
    owned = owners(asked, [document(*events)])
    assert answered(asked, owned, document(events[0])) == []
    assert answered(asked, owned, document(*events)) == [asked[0].key]


def test_an_agent_that_has_answered_had_asked_whatever_is_left_of_its_record() -> None:
    asked = [request(START)]
    within = [
        event(1, "lite_agent_execution_started"),
        event(2, "llm_call_started", call_id="a", messages=[START], parent_event_id="e1"),
        event(3, "llm_call_completed", call_id="a", parent_event_id="e1"),
    ]
    end = event(4, "lite_agent_execution_completed", started_event_id="e1")
    # the last document has the end only
    owned = owners(asked, [document(*within), document(end)])
    assert answered(asked, owned, document(end)) == [asked[0].key]
    assert answered(asked, owned, document(within[0])) == []


def test_what_was_refused_is_not_answered() -> None:
    asked = [request(START, status=400)]
    pair = [
        event(1, "llm_call_started", call_id="a", messages=[START]),
        event(2, "llm_call_completed", call_id="a"),
    ]
    assert answered(asked, owners(asked, [document(*pair)]), document(*pair)) == []


def test_work_is_under_way_when_the_model_answered_last() -> None:
    call, end = event(1, "llm_call_completed"), event(2, "task_completed")
    assert answered_since_last_end([call])
    assert not answered_since_last_end([call, end])
    assert not answered_since_last_end([])


def test_a_spread_has_the_first_and_the_last() -> None:
    assert spread([0, 1, 2, 3, 4, 5, 6], 3) == [0, 3, 6]
    assert spread([0, 1, 2], None) == [0, 1, 2]
    assert spread([0, 1, 2], 9) == [0, 1, 2]
    assert spread([0, 1, 2], 1) == [1]
    assert spread([0, 1, 2], 0) == []


def test_half_of_a_spread_of_checkpoints_has_work_under_way() -> None:
    def point(number: int, tasks: int, requests: int) -> Point:
        done = {place: "" for place in range(tasks)}
        keys = [str(place) for place in range(requests)]
        under_way = requests > tasks
        return Point(str(number), "main", "", number, keys, done, {}, None, False, under_way)

    stages = [(0, 0), (0, 0), (0, 1), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3)]
    points = [point(number, *stage) for number, stage in enumerate(stages)]
    assert [one.number for one in spread_points(points, 4)] == [0, 2, 7, 8]


def test_tools_are_called_in_their_order_and_once() -> None:
    task = {
        "role": "user",
        "content": 'Add <<tool times {"a": 1}>><<tool plus {"b": 2}>><<say done>>',
    }
    tools = [{"function": {"name": name}} for name in ("times", "plus")]
    messages: list[dict[str, Any]] = [task]
    said = []
    for _ in range(3):
        reply = reply_to({"messages": messages, "tools": tools}, "k")
        said.append([c["function"] for c in reply.tool_calls] or reply.content)
        calls = {"role": "assistant", "content": reply.content, "tool_calls": reply.tool_calls}
        messages += [calls, {"role": "tool", "content": "7"}]
        # what CrewAI says in between is not what is answered
        messages.append({"role": "user", "content": "Look at the result"})
    assert said == [
        [{"name": "times", "arguments": '{"a": 1}'}],
        [{"name": "plus", "arguments": '{"b": 2}'}],
        "done",
    ]


def test_an_answer_fits_the_schema_that_is_asked_for() -> None:
    schema = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["red", "blue"]},
            "count": {"type": "integer", "minimum": 1, "maximum": 5},
            "names": {"type": "array", "items": {"type": "string"}},
        },
    }
    body = {
        "messages": [{"role": "user", "content": "Choose <<choose blue>><<items 2>>"}],
        "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
    }
    import json

    value = json.loads(reply_to(body, "k").content or "")
    assert value["kind"] == "blue"
    assert 1 <= value["count"] <= 5
    assert len(value["names"]) == 2
