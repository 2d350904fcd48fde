"""Events of a document as a person reads them: one line each, with time and tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from crewcheck.model.document import mapping, text

Event = Mapping[str, Any]

#: Events before which no work was done: what tells where a process runs may come after them.
_BEGINNINGS = frozenset({
    "flow_created", "flow_started", "crew_kickoff_started", "lite_agent_execution_started",
})  # fmt: skip
_CLOSING = ("_completed", "_finished", "_failed", "_error", "_paused")

#: What laying a document out reads of an event; whole copies of tasks and agents are not in it.
FIELDS = frozenset({
    "agent_role", "checkpoint_id", "crew_name", "emission_sequence", "error", "event_id",
    "flow_name", "inputs", "message", "method_name", "model", "parent_event_id", "response",
    "result", "started_event_id", "task_id", "task_name", "timestamp", "tool_args", "tool_name",
    "trigger", "triggered_by_event_id", "type", "usage",
})  # fmt: skip
#: Objects of an event of which it reads these keys only.
PARTS = {
    "task": ("name", "role"),
    "agent": ("name", "role"),
    "agent_info": ("id",),
    "state": ("id",),
}
#: Of events of this type it reads the whole state, if the flow is none of CrewAI's own.
STATE, STATE_OF = "state", "method_execution_finished"
#: As `PARTS`, but other values than objects are read whole.
OUTPUT, OUTPUT_PARTS = "output", ("raw",)
#: Read of events of types that begin with `MESSAGES_OF` only: of model calls they are long.
MESSAGES, MESSAGES_OF = "messages", "lite_agent_execution_"


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens spent on model calls, as the events report them."""

    prompt: int = 0
    completion: int = 0
    total: int = 0
    calls: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.total + other.total,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class EventLine:
    """One event. ``seconds`` is what it took (closing events), ``depth`` its nesting."""

    number: int
    type: str
    time: str | None
    subject: str
    detail: str
    seconds: float | None
    tokens: int | None
    depth: int
    id: str | None


def tokens_of(event: Event) -> Tokens:
    """The usage of a completed model call; zero for anything else."""
    if event.get("type") != "llm_call_completed":
        return Tokens()
    usage = mapping(event.get("usage"))

    def count(*names: str) -> int:
        for name in names:
            value = usage.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
        return 0

    prompt = count("prompt_tokens", "input_tokens")
    completion = count("completion_tokens", "output_tokens")
    return Tokens(prompt, completion, count("total_tokens") or prompt + completion, 1)


def total_tokens(events: Iterable[Event]) -> Tokens:
    spent = Tokens()
    for event in events:
        spent += tokens_of(event)
    return spent


def failure(events: Sequence[Event]) -> str | None:
    """What the newest event of a failure says. ``events`` must be sorted."""
    for event in reversed(events):
        if (text(event.get("type")) or "").endswith(("_failed", "_error")) and detail(event):
            return detail(event)
    return None


def seconds_between(start: object, end: object) -> float | None:
    """Seconds between two ISO times, None where either is odd or the clock went back."""
    try:
        gap = datetime.fromisoformat(str(end)) - datetime.fromisoformat(str(start))
    except (ValueError, TypeError):
        return None
    return gap.total_seconds() if gap.total_seconds() >= 0 else None


def seconds_running(events: Sequence[Event]) -> float | None:
    """Seconds from the first event to the last, without those between a run and its resume.

    A process tells where it runs when its first work begins: what came before was another
    process if work had begun there. ``events`` must be sorted.
    """
    if not events:
        return None
    seconds = seconds_between(events[0].get("timestamp"), events[-1].get("timestamp"))
    if seconds is None:
        return None
    worked = False
    for before, event in pairwise(events):
        kind = text(event.get("type")) or ""
        if kind.endswith("_env"):
            if worked:
                seconds -= seconds_between(before.get("timestamp"), event.get("timestamp")) or 0.0
        else:
            worked = worked or kind not in _BEGINNINGS
    return max(0.0, seconds)


def lines(events: list[Event]) -> list[EventLine]:
    """The events in order as lines. ``events`` must be sorted."""
    by_id = {event["event_id"]: event for event in events if text(event.get("event_id"))}
    depths: dict[str, int] = {}
    made = []
    for number, event in enumerate(events, 1):
        started = by_id.get(text(event.get("started_event_id")) or "")
        spent = tokens_of(event)
        kind = text(event.get("type")) or "?"
        seconds = None
        if started is not None and kind.endswith(_CLOSING):
            seconds = seconds_between(started.get("timestamp"), event.get("timestamp"))
        made.append(
            EventLine(
                number,
                kind,
                text(event.get("timestamp")),
                subject(event),
                detail(event),
                seconds,
                spent.total if spent.calls else None,
                _depth(event, by_id, depths),
                text(event.get("event_id")),
            )
        )
    return made


def _depth(event: Event, by_id: Mapping[str, Event], known: dict[str, int]) -> int:
    """How many scopes enclose an event; a cycle of scopes counts as far as it goes."""
    path: list[str] = []
    at: Event | None = event
    base = 0
    while at is not None:
        own = text(at.get("event_id")) or ""
        if own in known:
            base = known[own] + 1
            break
        if own in path:
            break
        path.append(own)
        at = by_id.get(text(at.get("parent_event_id")) or "")
    for place, own in enumerate(reversed(path)):
        known[own] = base + place
    return known.get(path[0], 0) if path else 0


def subject(event: Event) -> str:
    """Whom an event is about: a method, tool, task, agent, model, crew or flow."""
    for name in ("method_name", "tool_name", "task_name", "agent_role", "model"):
        if name == "task_name" and text(event.get("model")):
            continue
        if value := text(event.get(name)):
            return value
    for holder in ("task", "agent"):
        inner = mapping(event.get(holder))
        if value := text(inner.get("name")) or text(inner.get("role")):
            return value
    return text(event.get("crew_name")) or text(event.get("flow_name")) or ""


def detail(event: Event) -> str:
    """The one thing about an event that a person wants to see first; may be long."""
    for name in ("error", "message", "result", "response"):
        value = event.get(name)
        if value is not None and value != "":
            return value if isinstance(value, str) else _compact(value)
    output = event.get("output")
    if isinstance(output, dict):
        return text(output.get("raw")) or ""
    if output is not None:
        return output if isinstance(output, str) else _compact(output)
    if event.get("type") in ("checkpoint_started", "checkpoint_completed"):
        return text(event.get("checkpoint_id")) or text(event.get("trigger")) or ""
    arguments = event.get("tool_args") or event.get("inputs")
    return _compact(arguments) if arguments else ""


def _compact(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, default=str)
