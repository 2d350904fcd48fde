"""What a run's messages look like: a line each, with the time since it began."""

from __future__ import annotations

import calendar
import time
from collections.abc import Callable
from typing import Any

from crewcheck.model import words
from crewcheck.model.harmless import name as harmless_name
from crewcheck.model.harmless import one_line
from crewcheck.runtimes.wire import Message
from crewcheck.tui.glyphs import Glyphs, style_of
from crewcheck.tui.layout import Block, Line, Piece, Pieces

#: Cells of the time, and of what stands before the words of a line.
TIME = 7
HANG = TIME + 4
#: Of a line that a program printed, at most so much is kept.
LONGEST_LOG = 2000
#: What the frames around printed texts are made of.
_BORDER = " ─━│┃╭╮╰╯┌┐└┘┏┓┗┛"
#: Events that tell a person something; all others are CrewAI's own affairs.
_TOLD = ("task_", "method_execution_", "tool_usage_", "llm_guardrail_")
_TOLD_ALONE = frozenset({"llm_call_completed", "llm_call_failed", "crew_kickoff_failed"})
#: A task of a crew or a method of a flow, as its events say how it stands.
_ITEMS = {
    f"{of}_{kind}": state
    for of, kinds in (
        ("task", {"started": "running", "completed": "done", "failed": "failed"}),
        ("method_execution", {"started": "running", "finished": "done", "failed": "failed",
                              "paused": "paused"}),
    )
    for kind, state in kinds.items()
}  # fmt: skip

Hide = Callable[[str], str]


class RunLines:
    """Makes lines of messages as they come. ``hide`` takes secrets out of a text."""

    def __init__(self, glyphs: Glyphs, hide: Hide) -> None:
        self.glyphs = glyphs
        self.hide = hide
        self._begin: float | None = None
        self._spent: dict[object, int] = {}

    def of(self, message: Message) -> list[Block]:
        """The lines of one message; none for what does not concern a person."""
        make = _MAKERS.get(message["type"])
        if make is None:
            return []
        after = self._after(message)
        return [Line([(f"{after:>{TIME}}  ", "faint"), *pieces], hang=HANG)
                for pieces in make(self, message)]  # fmt: skip

    def _after(self, message: Message) -> str:
        at = seconds_of(message.get("at"))
        if message["type"] in ("supervised", "go") or self._begin is None:
            self._begin = at
        if at is None or self._begin is None:
            return ""
        minutes, rest = divmod(max(0.0, at - self._begin), 60)
        return f"{int(minutes)}:{rest:04.1f}" if minutes < 600 else f"{int(minutes) // 60} h"

    def one(self, value: object, limit: int = 400) -> str:
        """Foreign text on one line, harmless and without secrets."""
        return one_line(self.hide(str(value)), limit)

    def hello(self, message: Message) -> list[Pieces]:
        took = message.get("seconds")
        said = f"crewai {self.one(message.get('crewai') or '', 40)} loaded"
        if isinstance(took, (int, float)):
            said += f" in {words.took(took)}"
        return [[(f"{self.glyphs.unread} {said}", "muted")]]

    def begun(self, message: Message) -> list[Pieces]:
        parent = harmless_name(str(message.get("checkpoint_id") or ""))
        pieces: Pieces = [(f"{self.glyphs.running} ", "live"), ("begins", "title")]
        if parent:
            pieces.append((f"  after {parent}", "muted"))
        return [pieces]

    def event(self, message: Message) -> list[Pieces]:
        kind = str(message.get("event") or "")
        if not kind.startswith(_TOLD) and kind not in _TOLD_ALONE:
            return []
        state = _ITEMS.get(kind)
        if message.get("replayed") is True:
            if state != "done":
                return []
            label = self._label(message)
            return [[(f"{self.glyphs.finished} {label}", "faint"), ("  recorded", "faint")]]
        key = self._key(message)
        if state == "running" and not _is_within(message):
            self._spent[key] = 0
        tokens = _tokens(message.get("tokens"))
        spent = self._spent[key] = self._spent.get(key, 0) + tokens
        if state is not None:
            return [self._item(message, state, spent)]
        about = self.one(message.get("tool") or message.get("model") or "", 60)
        pieces = [self._mark(kind), (f" {words.trigger_words(kind)}", self._tone(kind))]
        if about:
            pieces.append((f"  {about}", "muted"))
        return [[("  ", ""), *pieces, *self._facts(message, tokens), *self._error(message)]]

    def _item(self, message: Message, state: str, spent: int) -> Pieces:
        """A task or method that has begun, or how it has ended."""
        label = self._label(message)
        within = _is_within(message)
        indent: Pieces = [("  ", "")] if within else []
        if state == "running":
            agent = self.one(message.get("agent") or "", 60)
            return [*indent, (f"{self.glyphs.running} ", "live"), (label, "title"),
                    *([(f"  {agent}", "muted")] if agent else [])]  # fmt: skip
        sign, style = self.glyphs.of_state(state), style_of(state)
        if state == "done":
            facts = self._facts(message, 0 if within else spent)
            return [*indent, (f"{sign} ", style), (label, "title"), *facts]
        said = {"failed": "failed", "paused": "waits for a person"}[state]
        return [*indent, (sign, style), (f" {label} {said}", style),
                *self._facts(message, 0), *self._error(message)]  # fmt: skip

    def _label(self, message: Message) -> str:
        task = message.get("task")
        return self.one(message.get("task_name") or _numbered(task), 60)

    def _key(self, message: Message) -> object:
        """What tokens are counted for: a task, or a method of a flow with all in it."""
        method, task = message.get("method"), message.get("task")
        return method if isinstance(method, str) else task if isinstance(task, int) else None

    def _mark(self, kind: str) -> Piece:
        failed = kind.endswith(("_failed", "_error"))
        return (self.glyphs.failed, "bad") if failed else (self.glyphs.between, "faint")

    def _tone(self, kind: str) -> str:
        return "bad" if kind.endswith(("_failed", "_error")) else "muted"

    def _error(self, message: Message) -> Pieces:
        error = message.get("error")
        return [(f"  {self.one(error)}", "bad")] if error else []

    def _facts(self, message: Message, tokens: int) -> Pieces:
        parts = []
        took = message.get("seconds")
        if isinstance(took, (int, float)):
            parts.append(words.took(took))
        if tokens:
            parts.append(words.many(tokens, "token"))
        return [(f"  {f' {self.glyphs.between} '.join(parts)}", "muted")] if parts else []

    def checkpoint(self, message: Message) -> list[Pieces]:
        if message.get("lost"):
            said = f"{self.glyphs.damaged} a checkpoint was lost: {self.one(message['lost'])}"
            return [[(said, "bad")]]
        place = harmless_name(str(message.get("id") or ""))
        return [[("  ", ""), (self.glyphs.saved, "accent"), (" checkpoint ", "muted"),
                 (place, "accent")]]  # fmt: skip

    def log(self, message: Message) -> list[Pieces]:
        said = self.one(str(message.get("text") or "")[:LONGEST_LOG], LONGEST_LOG)
        if said[:1] in _BORDER and said[-1:] in _BORDER:
            # CrewAI frames what it prints: the frame says nothing, and is broken by wrapping
            said = said.strip(_BORDER)
        if not said:
            return []
        return [[(f"{self.glyphs.pass_by} ", "guide"), (said, "faint")]]

    def prompt(self, message: Message) -> list[Pieces]:
        said = self.one(message.get("message") or "")
        return [[(f"{self.glyphs.paused} asks you  ", "warn"), (said, "")]]

    def answer(self, message: Message) -> list[Pieces]:
        said = self.one(message.get("text") or "") or "(nothing)"
        return [[("  your answer  ", "muted"), (said, "")]]

    def cancel(self, message: Message) -> list[Pieces]:
        return [[(f"{self.glyphs.failed} you cancelled it", "warn")]]

    def ended(self, message: Message) -> list[Pieces]:
        """The last line; what it gave or why it ended is told above all lines."""
        kind = message["type"]
        sign, style = {
            "finished": (self.glyphs.finished, "ok"),
            "paused": (self.glyphs.paused, "warn"),
            "interrupted": (self.glyphs.failed, "warn"),
        }.get(kind, (self.glyphs.failed, "bad"))
        return [[(f"{sign} {'crashed' if message.get('crashed') else kind}", style)]]


_MAKERS: dict[str, Callable[[RunLines, Message], list[Pieces]]] = {
    "hello": RunLines.hello,
    "go": lambda _lines, _message: [],
    "started": RunLines.begun,
    "event": RunLines.event,
    "checkpoint": RunLines.checkpoint,
    "log": RunLines.log,
    "prompt": RunLines.prompt,
    "answer": RunLines.answer,
    "cancel": RunLines.cancel,
    **dict.fromkeys(("finished", "failed", "refused", "paused", "interrupted"), RunLines.ended),
}


def seconds_of(at: Any) -> float | None:
    """Seconds since 1970 of a message's time."""
    if not isinstance(at, str):
        return None
    try:
        whole = calendar.timegm(time.strptime(at[:19], "%Y-%m-%dT%H:%M:%S"))
        return whole + float(f"0{at[19:].rstrip('Z')}")
    except ValueError:
        return None


def _is_within(message: Message) -> bool:
    """Whether it is about what a method of a flow runs: that stands below the method."""
    return isinstance(message.get("method"), str) and not isinstance(message.get("task"), int)


def _numbered(task: object) -> str:
    return f"task {task + 1}" if isinstance(task, int) else "the crew"


def _tokens(tokens: object) -> int:
    if isinstance(tokens, dict):
        tokens = tokens.get("total", tokens.get("total_tokens"))
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else 0
