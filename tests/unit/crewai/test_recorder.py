"""What is kept of a run's events for a later resume."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.calls import finished_calls, plain
from crewcheck.crewai.recorder import as_record

ASKED = [{"role": "user", "content": "Count"}]


class Event:
    """As CrewAI's are, as far as they are looked at."""

    def __init__(self, **fields: Any) -> None:
        self._fields = fields
        self.messages = fields.get("messages")
        self.tools = fields.get("tools")

    def model_dump(self, *, mode: str, include: set[str]) -> dict[str, Any]:
        assert mode == "json"
        if "odd" in self._fields:
            raise ValueError("no JSON")
        return {key: value for key, value in self._fields.items() if key in include}


def test_a_call_is_kept_without_its_messages_and_answers_as_if_with_them() -> None:
    tools = [{"type": "function", "function": {"name": "add", "parameters": {}}}]
    began = as_record(
        "llm_call_started",
        Event(type="llm_call_started", call_id="c", messages=ASKED, tools=tools, task_id="t"),
    )
    ended = as_record(
        "llm_call_completed",
        Event(
            type="llm_call_completed",
            call_id="c",
            messages=ASKED,
            response="Two",
            call_type="llm_call",
        ),
    )
    assert began is not None
    assert ended is not None
    assert "messages" not in {*began, *ended}
    assert began["task_id"] == "t"
    (call,) = finished_calls([began, ended])
    assert call.response == "Two"
    assert call.answers(plain(ASKED), frozenset(["add"]))
    assert not call.answers(plain(ASKED), frozenset())
    assert not call.answers(plain([*ASKED, *ASKED]), frozenset(["add"]))


def test_of_work_its_place_is_kept_and_of_other_events_nothing() -> None:
    started = as_record(
        "method_execution_started",
        Event(type="method_execution_started", event_id="e", method_name="a", state={"big": 1}),
    )
    assert started == {"type": "method_execution_started", "event_id": "e", "method_name": "a"}
    assert as_record("llm_stream_chunk", Event(type="llm_stream_chunk")) is None
    assert as_record("task_started", Event(type="task_started", odd=True)) is None
