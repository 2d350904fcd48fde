"""What happened up to a checkpoint, an event a line."""

from __future__ import annotations

from collections.abc import Sequence

from crewcheck.model import words
from crewcheck.model.events import EventLine, seconds_between
from crewcheck.model.harmless import one_line
from crewcheck.tui.layout import Block, Cell, Line
from crewcheck.tui.pages.base import Page, Subject, fact, heading

DEEPEST = 8


class EventsPage(Page):
    """Times count from the first event; events inside others are indented."""

    tab = "events"
    title = "Events"
    share = 0.66

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.events: Sequence[EventLine] = self.info.events if self.info is not None else []
        self.count = len(self.events)
        self.begin = self.events[0].time if self.events else None

    def heads(self) -> Sequence[Cell]:
        return _row("after", "event", "about", "took", "tokens", "detail", *["muted"] * 3)

    def cells(self, index: int) -> Sequence[Cell]:
        event = self.events[index]
        style = style_of_event(event.type)
        return _row(
            offset(seconds_between(self.begin, event.time)),
            "  " * min(event.depth, DEEPEST) + words.trigger_words(event.type),
            one_line(event.subject, 80),
            words.took(event.seconds),
            f"{event.tokens:,}" if event.tokens is not None else "",
            one_line(event.detail, 200),
            "muted",
            style,
            "muted",
        )

    def blocks(self, index: int) -> list[Block]:
        if self.info is None:
            return self.waiting()
        if not self.events:
            return [Line(), Line([("  No events are recorded in this checkpoint.", "muted")])]
        event = self.events[index]
        after = offset(seconds_between(self.begin, event.time))
        blocks: list[Block] = [
            Line(
                [
                    (words.trigger_words(event.type), "title"),
                    (f"  {one_line(event.type, 80)}", "muted"),
                ]
            ),
            fact("when", after or "unknown", (f"   {one_line(event.time or '', 40)}", "muted")),
        ]
        if event.subject:
            blocks.append(fact("about", one_line(event.subject, 400)))
        spent = [words.took(event.seconds)] if event.seconds is not None else []
        if event.tokens is not None:
            spent.append(words.many(event.tokens, "token"))
        if spent:
            blocks.append(fact("took", f" {self.subject.glyphs.between} ".join(spent)))
        if event.detail:
            blocks += [Line(), *heading("Detail"), *self.long(event.detail)]
        return blocks

    def copied(self, index: int) -> tuple[str, str]:
        if not self.events:
            return "", ""
        event = self.events[index]
        return (
            ("the event's detail", self.whole(event.detail))
            if event.detail
            else ("its type", event.type)
        )


def offset(seconds: float | None) -> str:
    """``+0:03.2`` since the first event."""
    if seconds is None:
        return ""
    minutes, rest = divmod(seconds, 60)
    if minutes < 60:
        return f"{int(minutes)}:{rest:04.1f}"
    return f"{int(minutes) // 60}:{int(minutes) % 60:02d}:{int(rest):02d}"


def style_of_event(kind: str) -> str:
    """What went wrong stands out; steps of the work are plain, what lies below is quiet."""
    if kind.endswith(("_failed", "_error")):
        return "bad"
    if kind.endswith(("_paused", "_requested")):
        return "warn"
    if kind.startswith(("task_", "crew_", "method_", "flow_finished", "flow_started")):
        return "ok" if kind.endswith(("_completed", "_finished")) else ""
    return "muted"


def _row(
    after: str,
    event: str,
    about: str,
    took: str,
    tokens: str,
    detail: str,
    side: str,
    main: str,
    last: str,
) -> tuple[Cell, ...]:
    return (
        Cell(after, side, 7, right=True),
        Cell(event, main, least=24, most=34),
        Cell(about, "muted" if event == "event" else "", least=12, most=18, rank=2),
        Cell(took, side, 7, right=True, rank=1),
        Cell(tokens, side, 6, right=True, rank=3),
        Cell(detail, last, least=24, rank=4),
    )
