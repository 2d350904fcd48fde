"""How a front end says things: triggers, times, sizes and numbers in few plain words."""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from crewcheck.model.harmless import one_line

#: Of a finished crew with `Source.ends_with_callbacks`.
AFTER_KICKOFF = "its callbacks after the kickoff are not called; a fork of it calls them"

#: The way out where what a task has left in the project's objects is not there.
ANEW = "run again what it is about: fork, with --rerun TASK"

TRIGGERS = {
    "task_started": "task started",
    "task_completed": "task done",
    "task_failed": "task failed",
    "crew_kickoff_started": "kickoff started",
    "crew_kickoff_completed": "kickoff done",
    "crew_kickoff_failed": "kickoff failed",
    "flow_created": "flow created",
    "flow_started": "flow started",
    "flow_finished": "flow done",
    "flow_failed": "flow failed",
    "flow_paused": "flow paused",
    "method_execution_started": "method started",
    "method_execution_finished": "method done",
    "method_execution_failed": "method failed",
    "method_execution_paused": "asks a person",
    "human_feedback_requested": "asks a person",
    "human_feedback_received": "a person answered",
    "agent_execution_started": "agent started",
    "agent_execution_completed": "agent done",
    "agent_execution_error": "agent failed",
    "lite_agent_execution_started": "agent asked",
    "lite_agent_execution_completed": "agent answered",
    "lite_agent_execution_error": "agent failed",
    "llm_call_started": "model asked",
    "llm_call_completed": "model answered",
    "llm_call_failed": "model call failed",
    "tool_usage_started": "tool called",
    "tool_usage_finished": "tool done",
    "tool_usage_error": "tool failed",
    "agent_logs_started": "agent log",
    "agent_logs_execution": "agent log",
    "agent_reasoning_started": "agent plans",
    "agent_reasoning_completed": "agent planned",
    "checkpoint_started": "checkpoint begun",
    "checkpoint_completed": "checkpoint written",
    "checkpoint_failed": "checkpoint failed",
    "memory_save_started": "memory saving",
    "memory_save_completed": "memory saved",
    "memory_query_started": "memory asked",
    "memory_query_completed": "memory answered",
    "memory_retrieval_started": "memory asked",
    "memory_retrieval_completed": "memory answered",
    "llm_stream_chunk": "model says",
    "llm_guardrail_started": "guardrail begun",
    "llm_guardrail_completed": "guardrail done",
    "fork": "forked",
}

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def doubts(losses: Iterable[Mapping[str, Any]]) -> str:
    """What of the losses of a plan nobody can tell, in a line; empty where there is no such."""
    return "; ".join(
        f"{one['where']}: {one['message']}" if one["where"] else str(one["message"])
        for one in losses
        if one.get("doubt")
    )


@lru_cache(1024)
def trigger_words(trigger: str | None) -> str:
    """An event type in plain words; unknown ones are spelt without their underscores."""
    if not trigger:
        return ""
    return TRIGGERS.get(trigger) or one_line(trigger, 40).replace("_", " ")


@lru_cache(8192)
def epoch(created_at: str | None) -> float | None:
    """Seconds since 1970 of an UTC ISO time as headers carry it, None where it is odd."""
    if created_at is None:
        return None
    try:
        parts = (
            int(created_at[0:4]),
            int(created_at[5:7]),
            int(created_at[8:10]),
            int(created_at[11:13]),
            int(created_at[14:16]),
            int(created_at[17:19]),
        )
        return float(calendar.timegm((*parts, 0, 0, 0)))
    except (ValueError, OverflowError):
        return None


def ago(created_at: str | None, now: float) -> str:
    """``3m ago`` and the like, in at most eight characters."""
    then = epoch(created_at)
    if then is None:
        return ""
    gap = int(now - then)
    if gap < -90:
        return "ahead"
    if gap < 5:
        return "just now"
    if gap < 60:
        return f"{gap}s ago"
    if gap < 3600:
        return f"{gap // 60}m ago"
    if gap < 86400:
        return f"{gap // 3600}h ago"
    if gap < 30 * 86400:
        return f"{gap // 86400}d ago"
    at = _local(then)
    if at is None:
        return ""
    if at.tm_year == time.localtime(now).tm_year:
        return f"{at.tm_mday} {_MONTHS[at.tm_mon - 1]}"
    return f"{_MONTHS[at.tm_mon - 1]} {at.tm_year}"


def clock(created_at: str | None) -> str:
    """The local time of day, ``17:42:38``."""
    then = epoch(created_at)
    at = _local(then) if then is not None else None
    return time.strftime("%H:%M:%S", at) if at is not None else ""


def moment(created_at: str | None) -> str:
    """The local date and time, ``29 Nov 2026 17:42:38``."""
    then = epoch(created_at)
    at = _local(then) if then is not None else None
    if at is None:
        return ""
    return f"{at.tm_mday} {_MONTHS[at.tm_mon - 1]} {at.tm_year} {time.strftime('%H:%M:%S', at)}"


def _local(then: float) -> time.struct_time | None:
    try:
        return time.localtime(then)
    except (ValueError, OverflowError, OSError):
        return None


def size(bytes_: int | None) -> str:
    """``66 KB``; empty where it is not known."""
    if bytes_ is None:
        return ""
    if bytes_ < 1000:
        return f"{bytes_} B"
    amount = float(bytes_)
    for unit in ("KB", "MB", "GB", "TB"):
        amount /= 1000
        if amount < 999.5:
            return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:.0f} {unit}"
    return f"{amount:.0f} TB"


def took(seconds: float | None) -> str:
    """``3.2s``, ``4m 05s``; empty where it is not known."""
    if seconds is None:
        return ""
    if seconds < 0.0095:
        return f"{seconds * 1000:.1f}ms" if seconds else "0s"
    if seconds < 0.995:
        return f"{seconds * 1000:.0f}ms"
    if seconds < 59.95:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m {rest:02d}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02d}m"


def spent(tokens: int = 0, seconds: float | None = None) -> str:
    """What something cost: ``1,234 tokens, 4m 05s``; empty where nothing is known."""
    told = [many(tokens, "token") if tokens else "", took(seconds)]
    return ", ".join(filter(None, told))


_GIVEN_NAME = re.compile(r"fork/\d{8}T\d{6}_[0-9a-f]{8}_([0-9a-f]{6,})")


def short_branch(branch: str) -> str:
    """A branch's name; of one that was made up, what tells it from others."""
    found = _GIVEN_NAME.fullmatch(branch)
    return f"fork/…{found[1]}" if found else branch


def many(number: int, one: str, several: str | None = None) -> str:
    """``1 task``, ``3 tasks``, ``1,204 tokens``."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def spent_talking(
    agent: str | None, model: str | None, calls: int, seconds: float | None, tokens: int
) -> list[str]:
    """Who spoke with which model, and what it took: the parts of a line."""
    parts = [one_line(agent, 40) if agent else "", one_line(model, 40) if model else ""]
    if calls:
        parts += [many(calls, "call"), took(seconds), many(tokens, "token") if tokens else ""]
    return [part for part in parts if part]
