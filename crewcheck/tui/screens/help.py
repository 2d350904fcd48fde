"""The keys, made from the bindings themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize

from crewcheck.tui.layout import Block, Line, Pieces
from crewcheck.tui.screens.modal import Modal
from crewcheck.tui.widgets.text_view import TextView

KEYS = 22


class HelpScreen(Modal[None]):
    """All keys with what they do, in groups. A pair is what can be typed, and what it does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "close", "Close", id="help.close",
                tooltip="Close this help"),
    ]  # fmt: skip

    def __init__(self, groups: Sequence[tuple[str, Iterable[BindingType]]]) -> None:
        super().__init__()
        self._groups = groups

    def compose(self) -> ComposeResult:
        yield TextView(id="help")

    def on_mount(self) -> None:
        view = self.query_one(TextView)
        view.border_title = "Keys"
        view.border_subtitle = "esc closes"
        blocks = self._blocks()
        view.styles.height = len(blocks) + 4
        view.show(blocks)
        view.focus()

    def on_resize(self, event: Resize) -> None:
        if not self.closed:
            self.query_one(TextView).refresh()

    def _blocks(self) -> list[Block]:
        blocks: list[Block] = []
        for title, bindings in self._groups:
            if blocks:
                blocks.append(Line())
            blocks.append(Line([(title, "heading")]))
            blocks += [Line(pieces, hang=KEYS) for pieces in self._lines(bindings)]
        return blocks

    def _lines(self, bindings: Iterable[BindingType]) -> Iterable[Pieces]:
        numbers: list[str] = []
        for binding in bindings:
            if not isinstance(binding, Binding):
                yield [(f"{binding[0]:<{KEYS}}", "key"), (binding[1], "")]
                continue
            keys = [
                binding.key_display or self.app.get_key_display(Binding(key.strip(), "", ""))
                for key in binding.key.split(",")
            ]
            if binding.action.startswith("tab("):
                numbers += keys
                if keys == ["9"]:
                    yield [(f"{'1 - 9':<{KEYS}}", "key"), ("Open a tab by its number", "")]
                continue
            yield [
                (f"{'  '.join(dict.fromkeys(keys)):<{KEYS}}", "key"),
                (binding.tooltip or binding.description, ""),
            ]

    def action_close(self) -> None:
        self.dismiss()
