"""The marks and colours of the commands' output, and progress in figures."""

from __future__ import annotations

#: status -> (symbol, ASCII symbol, style)
STATUS = {
    "finished": ("✓", "+", "green"),
    "failed": ("✗", "x", "red"),
    "paused": ("‖", "=", "yellow"),
    "running": ("●", "*", "cyan"),
    "stopped": ("○", "o", "dim"),
    "damaged": ("!", "!", "bold red"),
}


def symbol(status: str | None, unicode: bool) -> str:
    full, plain, _ = STATUS.get(status or "", ("·", ".", ""))
    return full if unicode else plain


def style(status: str | None) -> str:
    return STATUS.get(status or "", ("", "", ""))[2]


def progress(done: int | None, total: int | None) -> str:
    if done is None:
        return ""
    return f"{done}/{total}" if total is not None else str(done)
