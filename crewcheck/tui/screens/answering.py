"""A run's question: what it is about, and the answer, which may have several lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from crewcheck.model.harmless import one_line
from crewcheck.runtimes.wire import Message
from crewcheck.tui.layout import Block, Body, Line
from crewcheck.tui.pages.base import heading
from crewcheck.tui.screens.edit import EditArea
from crewcheck.tui.screens.modal import Modal
from crewcheck.tui.widgets.text_view import TextView

#: More of a result is on the pages of its checkpoint.
LONGEST_OUTPUT = 200_000


def question_blocks(prompt: Message, name: str, hide: Callable[[str], str]) -> list[Block]:
    """What a run asks: of which run, about which result, and the question, without secrets."""
    blocks: list[Block] = [Line([("run ", "label"), (name, "")])]
    for key in ("task", "method", "agent"):
        if prompt.get(key):
            blocks.append(Line([(f"{key} ", "label"), (one_line(hide(str(prompt[key])), 80), "")]))
    blocks.append(Line())
    if prompt.get("output"):
        output = str(prompt["output"])
        blocks += [*heading("Its result"), Body(hide(output[:LONGEST_OUTPUT])), Line()]
        if len(output) > LONGEST_OUTPUT:
            blocks.append(Line([("It is longer than can be shown here.", "muted")]))
    blocks.append(Body(hide(str(prompt.get("message") or ""))))
    if prompt.get("outcomes"):
        led = ", ".join(one_line(hide(str(one)), 40) for one in prompt["outcomes"])
        blocks.append(Line([("Your answer leads to one of: ", "muted"), (led, "")]))
    return blocks


class AnswerScreen(Modal[str | None]):
    """Enter gives the answer, an empty one too; None: not now, and the run goes on waiting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "no", "Not now", id="answer.no", tooltip="Answer later", priority=True),
        Binding("enter", "give", "Answer", id="answer.give", tooltip="Give the answer",
                priority=True),
        Binding("tab", "outcome", "Outcome", id="answer.outcome", priority=True,
                tooltip="Take one of the outcomes as the answer, the next one each time"),
        Binding("ctrl+j", "new_line", "New line", id="answer.line", priority=True,
                tooltip="Begin a new line"),
        Binding("pageup", "page(-1)", "Page up", id="answer.pageup", show=False, priority=True,
                tooltip="What it is about, a page up"),
        Binding("pagedown", "page(1)", "Page down", id="answer.pagedown", show=False,
                priority=True, tooltip="What it is about, a page down"),
    ]  # fmt: skip

    def __init__(self, title: str, blocks: Sequence[Block], outcomes: Sequence[str] = ()) -> None:
        super().__init__()
        self.heading = title
        self._blocks = blocks
        self._outcomes = outcomes

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="answer"):
            yield TextView(id="answer-about")
            yield EditArea(soft_wrap=True, tab_behavior="focus", compact=True, id="answer-area")
            said = "enter answers (empty: it is fine), ctrl+j a new line, esc answers later"
            if self._outcomes:
                said += ", tab takes an outcome"
            yield Static(Content(said), classes="keys")

    def on_mount(self) -> None:
        self.query_one("#answer").border_title = Content(self.heading)
        view = self.query_one("#answer-about", TextView)
        view.can_focus = False
        view.show(self._blocks)
        self.call_after_refresh(self._fit)
        self.query_one(EditArea).focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """As high as what it is about, with room for the answer."""
        if self.closed:
            return
        view = self.query_one("#answer-about", TextView)
        view.styles.height = max(1, min(view.line_count, max(1, self.size.height - 12)))

    def action_give(self) -> None:
        self.dismiss(self.query_one(EditArea).text)

    def action_outcome(self) -> None:
        if not self._outcomes:
            return
        area = self.query_one(EditArea)
        known = list(self._outcomes)
        at = known.index(area.text) + 1 if area.text in known else 0
        area.text = known[at % len(known)]
        area.move_cursor(area.document.end)

    def action_new_line(self) -> None:
        self.query_one(EditArea).insert("\n")

    def action_page(self, by: int) -> None:
        view = self.query_one("#answer-about", TextView)
        step = max(1, view.size.height - 1)
        view.scroll_to(y=view.scroll_offset.y + by * step, animate=False)

    def action_no(self) -> None:
        self.dismiss(None)
