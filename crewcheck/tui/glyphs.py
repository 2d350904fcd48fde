"""The signs that the app draws with, and plain stand-ins where the terminal is not UTF-8."""

from __future__ import annotations

from dataclasses import dataclass

from crewcheck.model.scan import FAILED, FINISHED, PAUSED, RUNNING, STOPPED


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One cell each. A state is never told by colour alone: every one has its own sign."""

    finished: str = "✓"
    failed: str = "✗"
    paused: str = "‖"
    running: str = "●"
    stopped: str = "○"
    damaged: str = "!"
    unread: str = "·"
    skipped: str = "–"
    opened: str = "▾"
    folded: str = "▸"
    branch: str = "├"
    last: str = "└"
    pass_by: str = "│"
    full: str = "━"
    empty: str = "─"
    dash: str = "─"
    between: str = "·"
    ellipsis: str = "…"
    edited: str = "✎"
    saved: str = "◆"
    again: str = "▸"
    marked: str = "◈"
    dropped: str = "⊘"
    loop: str = "↺"

    def of_status(self, status: str | None) -> str:
        """The sign of a checkpoint's or a run's status; None is one not read yet."""
        return {
            FINISHED: self.finished,
            FAILED: self.failed,
            PAUSED: self.paused,
            RUNNING: self.running,
            STOPPED: self.stopped,
        }.get(status or "", self.unread)

    def of_run(self, state: str) -> str:
        """The sign of a run of ours."""
        return {
            "running": self.running,
            "finished": self.finished,
            "paused": self.paused,
            "failed": self.failed,
            "crashed": self.failed,
            "interrupted": self.failed,
        }.get(state, self.stopped)

    def of_state(self, state: str) -> str:
        """The sign of a task's or a method's state."""
        return {
            "done": self.finished,
            "failed": self.failed,
            "running": self.running,
            "paused": self.paused,
            "skipped": self.skipped,
            "next": self.again,
            "not taken": self.unread,
        }.get(state, self.stopped)


UNICODE = Glyphs()
ASCII = Glyphs(
    finished="+",
    failed="x",
    paused="=",
    running="*",
    stopped="o",
    damaged="!",
    unread=".",
    skipped="-",
    opened="v",
    folded=">",
    branch="|",
    last="`",
    pass_by="|",
    full="=",
    empty="-",
    dash="-",
    between="-",
    ellipsis="~",
    edited="#",
    saved="@",
    again=">",
    marked="%",
    dropped="/",
    loop="^",
)

#: The style name that goes with a status or a state; see `widgets.lines`.
STYLES = {
    FINISHED: "ok",
    FAILED: "bad",
    PAUSED: "warn",
    RUNNING: "live",
    STOPPED: "muted",
    "planning": "warn",
    "interrupted": "warn",
    "refused": "warn",
    "aborted": "muted",
    "crashed": "bad",
    "done": "ok",
    "skipped": "muted",
    "pending": "muted",
    "next": "accent",
    "may come": "muted",
    "not taken": "faint",
}


def style_of(status: str | None) -> str:
    """The style name of a status or a state."""
    return STYLES.get(status or "", "faint")


def for_encoding(encoding: str | None) -> Glyphs:
    """The signs that a terminal of this encoding can show."""
    return UNICODE if (encoding or "").lower().replace("-", "").startswith("utf") else ASCII
