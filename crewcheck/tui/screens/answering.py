"""A run's question: what it is about, and the answer, which may have several lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from crewcheck.model.harmless import one_line
from crewcheck.runtimes.wire import Message
from crewcheck.tui.layout import Block, Line, Pieces
from crewcheck.tui.pages.base import heading, prose
from crewcheck.tui.runs import CUT
from crewcheck.tui.screens.dialogs import key_pieces
from crewcheck.tui.screens.edit import EditArea
from crewcheck.tui.screens.modal import Modal
from crewcheck.tui.widgets.bars import Bar
from crewcheck.tui.widgets.text_view import TextView


def question_blocks(prompt: Message, name: str) -> list[Block]:
    """What a run asks: about which result, and the question. The prompt is without secrets."""
    who = [(key, one_line(str(prompt[key]), 80)) for key in ("task", "method", "agent")
           if prompt.get(key)]  # fmt: skip
    about: Pieces = []
    for label, said in [*who, ("run", name)]:
        about += [("   " if about else "", ""), (f"{label} ", "label"), (said, "")]
    blocks: list[Block] = [Line(about), Line()]
    if prompt.get("output"):
        blocks += [*heading("Its result"), prose(str(prompt["output"]).rstrip())]
        if prompt.get(CUT):
            blocks.append(Line([("It is longer than can be shown here.", "muted")]))
        blocks.append(Line())
    blocks += [
        *heading("The question"),
        prose(str(prompt.get("message") or "").rstrip(), style="title"),
    ]
    if prompt.get("outcomes"):
        led = ", ".join(one_line(str(one), 40) for one in prompt["outcomes"])
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
            yield EditArea(soft_wrap=True, tab_behavior="focus", compact=True, id="answer-area",
                           placeholder="nothing: it is fine")  # fmt: skip
            yield Bar(id="answer-keys")

    def on_mount(self) -> None:
        self.query_one("#answer").border_title = Content(self.heading)
        view = self.query_one("#answer-about", TextView)
        view.can_focus = False
        view.show(self._blocks)
        keys = [("enter", "answer"), ("ctrl+j", "new line"), ("esc", "answer later")]
        if self._outcomes:
            keys.insert(1, ("tab", "take an outcome"))
        self.query_one("#answer-keys", Bar).show(key_pieces(keys))
        self.call_after_refresh(self._fit)
        self.query_one(EditArea).focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """As high as what it is about, with room for the answer."""
        if self.closed:
            return
        view = self.query_one("#answer-about", TextView)
        view.styles.height = view.lines_up_to(max(1, self.size.height - 12))

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
