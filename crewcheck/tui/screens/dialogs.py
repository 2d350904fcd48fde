"""Small questions. They return what was chosen; Escape means no, and no has the focus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input

from crewcheck.tui.layout import Block, Pieces
from crewcheck.tui.screens.modal import Modal
from crewcheck.tui.widgets.bars import Bar
from crewcheck.tui.widgets.text_view import TextView


def key_pieces(keys: Sequence[tuple[str, str]]) -> Pieces:
    """Keys and what they do, side by side."""
    pieces: Pieces = []
    for key, does in keys:
        pieces += [("   " if pieces else "", ""), (key, "key"), (f" {does}", "muted")]
    return pieces


class Buttons(Horizontal):
    """A row of buttons; arrows go along it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "app.focus_previous", "Before", id="buttons.left", show=False,
                tooltip="The button before"),
        Binding("right", "app.focus_next", "Next", id="buttons.right", show=False,
                tooltip="The next button"),
    ]  # fmt: skip


class AskScreen(Modal[str | None]):
    """A question with buttons: ``(what it returns, its label)``, the harmless one first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "no", "No", id="ask.no", tooltip="Leave it as it is"),
        Binding("up,k", "scroll(-1)", "Up", id="ask.up", show=False, tooltip="One line up"),
        Binding("down,j", "scroll(1)", "Down", id="ask.down", show=False,
                tooltip="One line down"),
    ]  # fmt: skip

    def __init__(
        self, title: str, blocks: Sequence[Block], buttons: Sequence[tuple[str, str]]
    ) -> None:
        super().__init__()
        self.heading = title
        self._blocks = blocks
        self._choices = buttons

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="ask"):
            yield TextView(id="ask-text")
            with Buttons(classes="buttons"):
                for index, (_, label) in enumerate(self._choices):
                    yield Button(Content(label), id=f"choice-{index}", compact=True)

    def on_mount(self) -> None:
        self.query_one("#ask").border_title = Content(self.heading)
        view = self.query_one(TextView)
        view.can_focus = False
        view.show(self._blocks)
        self.call_after_refresh(self._fit)
        self.query_one("#choice-0").focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """As high as the text, which can be long: a result is shown here, too."""
        if self.closed:
            return
        view = self.query_one(TextView)
        view.styles.height = view.lines_up_to(max(1, self.size.height - 8))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        index = int((event.button.id or "choice-0").partition("-")[2])
        self.dismiss(self._choices[index][0] or None)

    def action_no(self) -> None:
        self.dismiss(None)

    def action_scroll(self, by: int) -> None:
        view = self.query_one(TextView)
        view.scroll_to(y=view.scroll_offset.y + by, animate=False)


class TypeScreen(Modal[str | None]):
    """A question that is answered with a line of text; None: not now."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "no", "Not now", id="type.no", tooltip="Answer later"),
    ]  # fmt: skip

    def __init__(
        self, title: str, blocks: Sequence[Block], *, keys: Sequence[tuple[str, str]]
    ) -> None:
        super().__init__()
        self.heading = title
        self._blocks = blocks
        self._keys = keys

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="ask"):
            yield TextView(id="ask-text")
            yield Input(id="typed", compact=True)
            yield Bar(id="typed-keys")

    def on_mount(self) -> None:
        self.query_one("#ask").border_title = Content(self.heading)
        view = self.query_one(TextView)
        view.can_focus = False
        view.show(self._blocks)
        self.query_one("#typed-keys", Bar).show(key_pieces(self._keys))
        self.call_after_refresh(self._fit)
        self.query_one(Input).focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if self.closed:
            return
        view = self.query_one(TextView)
        view.styles.height = view.lines_up_to(max(1, self.size.height - 9))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)

    def action_no(self) -> None:
        self.dismiss(None)
