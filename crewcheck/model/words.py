"""How a front end says things to a person: times, sizes, triggers, statuses."""

from __future__ import annotations

from datetime import UTC, datetime

#: status -> (symbol, ASCII symbol, style)
STATUS = {
    "finished": ("✓", "+", "green"),
    "failed": ("✗", "x", "red"),
    "paused": ("⏸", "=", "yellow"),
    "running": ("●", "*", "cyan"),
    "stopped": ("○", "o", "dim"),
    "damaged": ("!", "!", "bold red"),
}


def symbol(status: str | None, unicode: bool) -> str:
    full, plain, _ = STATUS.get(status or "", ("·", ".", ""))
    return full if unicode else plain


def style(status: str | None) -> str:
    return STATUS.get(status or "", ("", "", ""))[2]


def ago(created_at: str | None, now: float) -> str:
    """How long ago a UTC ISO time was; ``now`` in seconds since 1970."""
    moment = _seconds(created_at)
    if moment is None:
        return ""
    gap = int(now - moment)
    if gap < 0:
        return "just now" if gap > -60 else "in the future"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m"), (1, "s")):
        if gap >= size:
            return f"{gap // size}{unit} ago"
    return "just now"


def local_time(created_at: str | None) -> str:
    """A UTC ISO time in the person's own zone, to the second."""
    moment = _seconds(created_at)
    if moment is None:
        return created_at or "unknown"
    try:
        local = datetime.fromtimestamp(moment, UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        # the first or last day there is, in another zone
        return created_at or "unknown"
    return local.strftime("%Y-%m-%d %H:%M:%S")


def _seconds(created_at: str | None) -> float | None:
    if not created_at:
        return None
    try:
        return datetime.fromisoformat(created_at.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):
        return None


def size(count: int | None) -> str:
    """Bytes as a person reads them."""
    if count is None:
        return ""
    amount = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 10 else f"{amount:.1f} {unit}"
        amount /= 1000
    return ""


def seconds(count: float | None) -> str:
    """A duration."""
    if count is None:
        return ""
    if count < 60:
        return f"{count:.1f} s"
    minutes, rest = divmod(int(count), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


_TRIGGERS = {
    "task_started": "task started",
    "task_completed": "task done",
    "task_failed": "task failed",
    "crew_kickoff_started": "kickoff",
    "crew_kickoff_completed": "kickoff done",
    "crew_kickoff_failed": "kickoff failed",
    "method_execution_started": "method started",
    "method_execution_finished": "method done",
    "method_execution_failed": "method failed",
    "method_execution_paused": "method paused",
    "lite_agent_execution_started": "agent asked",
    "lite_agent_execution_completed": "agent answered",
}


def trigger(event_type: str | None) -> str:
    """A trigger in words; an unknown one as it is, without underscores."""
    if event_type is None:
        return ""
    return _TRIGGERS.get(event_type) or event_type.replace("_", " ")


def progress(done: int | None, total: int | None) -> str:
    if done is None:
        return ""
    return f"{done}/{total}" if total is not None else str(done)
