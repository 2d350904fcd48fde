"""Documents with conversations, trimmed from what several versions of CrewAI wrote."""

from __future__ import annotations

from typing import Any

from tests.build import Json, agent, crew, document, event, executor, flow, task

SYSTEM = {"role": "system", "content": "You are Researcher. Curious"}
ASKED = {"role": "user", "content": "\nCurrent Task: Facts about bridges\n\nText, please."}
ANSWER = "Bridges span."
DRAFT = {"role": "user", "content": "\nCurrent Task: Draft about bridges\n\nText, please."}
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
FAULT = "OpenAI API call failed: Error code: 400"


def said(message: Json) -> Json:
    """A message as newer versions hand it over."""
    return message | ({"cache_breakpoint": True} if message["role"] != "assistant" else {})


def asked(
    number: int, messages: Any, *, of: str | None = "facts", by: str | None = "Researcher",
    call: str = "", parent: str | None = None, **more: Any,
) -> Json:  # fmt: skip
    """``llm_call_started``, and what all events of a call have."""
    about = {"task_id": f"task-{of}", "task_name": of} if of else {}
    return event(
        number, "llm_call_started", call_id=call or f"call-{number}", messages=messages,
        agent_role=by, model="gpt-4o-mini", parent_event_id=parent, **about, **more,
    )  # fmt: skip


def answered(number: int, call: Json, response: Any) -> Json:
    return call | event(
        number, "llm_call_completed", response=response, usage=USAGE, messages=None,
        started_event_id=call["event_id"], parent_event_id=call["parent_event_id"],
    )  # fmt: skip


def failed(number: int, call: Json, opening: str | None = None) -> Json:
    return call | event(
        number, "llm_call_failed", error=FAULT, messages=None,
        started_event_id=opening or call["event_id"], parent_event_id=call["parent_event_id"],
    )  # fmt: skip


def two_tasks(facts: list[Json] | None, **more: Any) -> list[Json]:
    """One task done, with the messages of its output, and one under way."""
    done = task("facts", output=ANSWER, description="Facts about bridges", agent="Researcher")
    done["output"] |= {"messages": facts, "agent": "Researcher"}
    return [done, task("draft", description="Draft about bridges", agent="Writer")]


def version_1_14_1() -> Json:
    """The prompts of a task that is tried again have grown; executors are in the agents."""
    grown = [SYSTEM, DRAFT] * 3
    first = asked(2, [SYSTEM, ASKED])
    tries = [asked(at, grown[:length], of="draft", by="Writer")
             for at, length in ((10, 2), (20, 4), (30, 6))]  # fmt: skip
    events = [event(1, "crew_kickoff_started"), first, answered(3, first, ANSWER)]
    for one in tries:
        number = one["emission_sequence"]
        # each failure is told twice, the second time with another opening
        events += [one, failed(number + 1, one), failed(number + 2, one, "event-1")]
    agents = [
        agent("Researcher", agent_executor={"executor_type": "crew", "messages": [SYSTEM, ASKED]}),
        agent("Writer", agent_executor={"executor_type": "crew", "messages": grown}),
    ]
    saved = [SYSTEM, ASKED, {"role": "assistant", "content": ANSWER}]
    return document(crew(*two_tasks(saved), agents=agents), events=events, version=None)


def version_1_14_7() -> Json:
    """The messages of an output lack the answer; executors are entities."""
    first = asked(2, [said(SYSTEM), said(ASKED)])
    events = [event(1, "crew_kickoff_started"), first, answered(3, first, ANSWER)]
    held = executor()
    held["checkpoint_state"] |= {"messages": [SYSTEM, DRAFT]}
    return document(crew(*two_tasks([SYSTEM, ASKED])), held, events=events, version="1.14.7")


TOOL_CALL = {
    "id": "call_0a", "type": "function",
    "function": {"name": "multiply", "arguments": '{"a": 6, "b": 7}'},
}  # fmt: skip


def version_1_15_30() -> Json:
    """A task with a tool, which hands a part of its work on to another agent's task."""
    tool = {"role": "tool", "content": "42 pears", "name": "multiply", "tool_call_id": "call_0a"}
    calls = {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]}
    first = asked(4, [said(SYSTEM), said(ASKED)], parent="event-3")
    other = asked(6, [said(SYSTEM)], of="look at prices", by="Analyst", parent="event-3")
    second = asked(8, [said(SYSTEM), said(ASKED), calls, tool], parent="event-3")
    events = [
        event(1, "crew_kickoff_started"),
        event(2, "task_started", task_id="task-facts", task_name="facts"),
        event(3, "agent_execution_started", agent={"role": "Researcher"},
              parent_event_id="event-2"),
        first, answered(5, first, [TOOL_CALL]),
        other, answered(7, other, "Cheap."),
        second, answered(9, second, ANSWER),
        event(11, "agent_execution_completed", agent={"role": "Researcher"},
              started_event_id="event-3", parent_event_id="event-2"),
        event(12, "task_completed", task_id="task-facts", started_event_id="event-2"),
        event(13, "task_started", task_id="task-draft", task_name="draft"),
    ]  # fmt: skip
    return document(crew(*two_tasks(None)), events=events)


def flow_with_crew() -> Json:
    """A method that asks a model by itself, twice, and one that runs a crew."""
    first = asked(3, "take the order", of=None, by=None, parent="event-2")
    second = asked(5, "take the order", of=None, by=None, parent="event-2")
    inner = asked(9, [SYSTEM, ASKED], of="sketch", by="Painter", parent="event-8")
    events = [
        event(1, "flow_started", flow_name="SignFlow"),
        event(2, "method_execution_started", flow_name="SignFlow", method_name="order",
              parent_event_id="event-1"),
        first, answered(4, first, "Two, please."),
        second, answered(6, second, "Two, please."),
        event(7, "method_execution_started", flow_name="SignFlow", method_name="make",
              parent_event_id="event-1"),
        event(8, "task_started", task_id="task-sketch", task_name="sketch",
              parent_event_id="event-7"),
        inner, answered(10, inner, "A sketch."),
        event(11, "method_execution_finished", flow_name="SignFlow", method_name="order",
              started_event_id="event-2", parent_event_id="event-1"),
    ]  # fmt: skip
    return document(flow("order"), events=events, trigger="method_execution_finished")


def lone_agent() -> Json:
    """An agent that was asked without a crew, and whose calls are not in the record."""
    events = [
        event(1, "lite_agent_execution_started", messages="Which book is blue?",
              agent_info={"role": "Librarian"}),
        event(2, "lite_agent_execution_completed", output="This one.",
              agent_info={"role": "Librarian"}, started_event_id="event-1"),
    ]  # fmt: skip
    lone = agent("Librarian", crew=None)
    return document(lone, events=events, trigger="lite_agent_execution_completed")
