"""Editing one value: a text, or JSON that keeps its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Static, TextArea

from crewcheck.model.harmless import harmless
from crewcheck.tui import typed
from crewcheck.tui.editing import INPUT, RESULT, STATE, Target, check
from crewcheck.tui.layout import Pieces
from crewcheck.tui.screens.dialogs import Buttons
from crewcheck.tui.screens.modal import Modal
from crewcheck.tui.widgets.bars import Bar

#: A text of one line that is shorter has a lower editor, and is wholly selected.
ONE_LINE = 300


@dataclass(frozen=True, slots=True)
class Edited:
    """What a person made of a value; see `editing.check`."""

    value: Any


class EditArea(TextArea):
    """Takes texts only; what is pasted is made harmless, what is shown is so anyway."""

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = harmless(event.text)
        await super()._on_paste(event)

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        return line if harmless(line.plain) == line.plain else Text("?" * len(line.plain), end="")


class EditScreen(Modal[Edited | None]):
    """Ctrl+S keeps the edit if it is a value of its kind; Escape drops it, at once if untouched."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "keep", "Keep", id="edit.keep", tooltip="Keep the edit", priority=True),
        Binding("ctrl+t", "next_kind", "Type", id="edit.type", priority=True,
                tooltip="Make the input or key a value of another type"),
        Binding("escape", "drop", "Drop", id="edit.drop", tooltip="Drop what was typed",
                priority=True),
    ]  # fmt: skip

    def __init__(self, target: Target) -> None:
        super().__init__()
        self.target = target
        self.kind = target.kind
        self._warned = False
        self._before = ""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="edit"):
            yield Bar(id="edit-kind")
            yield EditArea(
                self.target.text, soft_wrap=True, tab_behavior="focus", compact=True, id="edit-area"
            )
            yield Static(id="edit-problem")
            with Buttons(classes="buttons"):
                yield Button("Cancel  esc", id="edit-no", compact=True)
                yield Button("Keep  ctrl+s", id="edit-yes", compact=True)

    def on_mount(self) -> None:
        self.query_one("#edit").border_title = Content(f"Edit {self.target.title}")
        self._before = self.area.text
        scalar = self.target.kind not in (typed.TEXT, typed.LIST, typed.OBJECT)
        self.set_class(scalar, "-short")
        text = self.target.text
        low = "\n" not in text and len(text) < ONE_LINE
        self.set_class(not scalar and low, "-low")
        self.area.focus()
        if scalar or low:
            # what is typed takes its place; an arrow goes to one of its ends
            self.area.select_all()
        self._show_kind()
        self._say("")

    @property
    def area(self) -> EditArea:
        return self.query_one(EditArea)

    def _show_kind(self) -> None:
        pieces: Pieces = [("type ", "label"), (self.kind, "key")]
        right: Pieces = []
        if self.target.retypes:
            if self.kind != self.target.kind and self.target.known:
                pieces.append((f"  it was a {self.target.kind}", "warn"))
            right = [("ctrl+t ", "key"), ("another type", "muted")]
        elif self.target.what == INPUT:
            pieces = [("what the agent is asked", "muted")]
        elif self.target.what == STATE:
            pieces = [("JSON", "key"), ("  the state that the flow goes on with", "muted")]
        elif self.target.what == RESULT:
            given = "what the methods that listen to it will be given"
            pieces.append((f"  {given}", "muted"))
        elif self.target.structured:
            pieces = [("must be JSON", "label"), ("  its task declares a structure", "muted")]
        else:
            pieces = [("the text that later tasks will be given", "muted")]
        self.query_one("#edit-kind", Bar).show(pieces, right)

    def _say(self, problem: str, style: str = "bad") -> None:
        glyphs = getattr(self.app, "glyphs", None)
        sign = glyphs.damaged if glyphs is not None else "!"
        line = self.query_one("#edit-problem", Static)
        line.update(Content(f"{sign} {problem}" if problem else ""))
        line.set_class(style == "warn", "-warn")

    def on_text_area_changed(self) -> None:
        self._warned = False
        self._say("")

    def action_keep(self) -> None:
        text = self.area.text
        untouched = text == self._before and self.kind == self.target.kind and self.target.known
        if untouched:
            self.dismiss(None)
            return
        try:
            value = check(self.target, text, self.kind)
        except typed.NotThat as error:
            said = error.message
            if self.target.retypes and self.kind != typed.TEXT:
                said += "; ctrl+t chooses another type"
            self._say(said)
            self.area.focus()
            self.area.move_cursor((error.line, error.column))
            return
        self.dismiss(Edited(value))

    def action_next_kind(self) -> None:
        if not self.target.retypes:
            return
        at = typed.KINDS.index(self.kind)
        self.kind = typed.KINDS[(at + 1) % len(typed.KINDS)]
        self._say("")
        self._show_kind()

    def action_drop(self) -> None:
        if self.area.text != self._before and not self._warned:
            self._warned = True
            self._say("what you typed is not kept: esc again drops it, ctrl+s keeps it", "warn")
            return
        self.dismiss(None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "edit-yes":
            self.action_keep()
        else:
            self.dismiss(None)
