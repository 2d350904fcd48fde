"""A virtual list with a cursor: what the tree and the lists of the detail have in common."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from crewcheck.tui.layout import Pieces
from crewcheck.tui.widgets.lines import LineView


class CursorView(LineView):
    """Lines of which one is under the cursor. A move draws two lines, not the view."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", id="list.up", tooltip="One line up", show=False),
        Binding("down,j", "move(1)", "Down", id="list.down", tooltip="One line down", show=False),
        Binding("home,g", "edge(-1)", "First", id="list.home", tooltip="First line", show=False),
        Binding("end,G", "edge(1)", "Last", id="list.end", tooltip="Last line", show=False),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", id="list.pageup",
                tooltip="One page up", show=False),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", id="list.pagedown",
                tooltip="One page down", show=False),
        Binding("enter", "choose", "Open", id="list.choose",
                tooltip="Open what is under the cursor", show=False),
    ]  # fmt: skip

    class Moved(Message):
        """The cursor is on another line."""

        def __init__(self, view: CursorView, index: int) -> None:
            super().__init__()
            self.view = view
            self.index = index

        @property
        def control(self) -> CursorView:
            return self.view

    class Chosen(Moved):
        """Enter or a double click on a line."""

    cursor = 0

    @property
    def count(self) -> int:
        """How many lines there are."""
        return 0

    def pieces(self, index: int) -> Pieces:
        """The pieces of one line, fitted to the view's width."""
        raise NotImplementedError

    def may_stop_at(self, index: int) -> bool:
        """Whether the cursor may rest on a line."""
        return True

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        if not 0 <= index < self.count or not self.size.width:
            return self.blank()
        self.drawn += 1
        on = ""
        if index == self.cursor:
            on = "cursor" if self.has_focus else "cursor-blurred"
        return self.strip(self.pieces(index), on)

    def move_to(self, index: int, *, quiet: bool = False) -> None:
        """Put the cursor on a line and bring it into sight."""
        index = max(0, min(index, self.count - 1))
        if index == self.cursor:
            self.show_cursor()
            return
        before, self.cursor = self.cursor, index
        self.redraw_line(before)
        self.redraw_line(index)
        self.show_cursor()
        if not quiet:
            self.post_message(self.Moved(self, index))

    def show_cursor(self) -> None:
        """Scroll as little as needed to see the cursor."""
        height = self.size.height
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif height and self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False)

    def on_focus(self) -> None:
        self.redraw_line(self.cursor)

    def on_blur(self) -> None:
        self.redraw_line(self.cursor)

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_cursor)

    def action_move(self, by: int) -> None:
        self.move_to(self.cursor + by)

    def action_page(self, by: int) -> None:
        self.move_to(self.cursor + by * max(1, self.size.height - 1))

    def action_edge(self, side: int) -> None:
        self.move_to(0 if side < 0 else self.count - 1)

    def action_choose(self) -> None:
        if self.count:
            self.post_message(self.Chosen(self, self.cursor))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        index = event.y - self.gutter.top + self.scroll_offset.y
        if event.button == 1 and 0 <= index < self.count:
            self.move_to(index)

    def on_click(self, event: events.Click) -> None:
        index = event.y - self.gutter.top + self.scroll_offset.y
        if event.chain == 2 and index == self.cursor and self.count:
            self.post_message(self.Chosen(self, self.cursor))
