"""The list of a page: its tasks, inputs or events, a line each under a line of headings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.strip import Strip

from crewcheck.tui.layout import Cell, Pieces, columns
from crewcheck.tui.widgets.cursor_view import CursorView


class RowList(CursorView):
    """Rows of cells, made when they are drawn."""

    _count = 0
    _cells: Callable[[int], Sequence[Cell]] | None = None

    def show(self, count: int, cells: Callable[[int], Sequence[Cell]], cursor: int = 0) -> None:
        """Show other rows."""
        self._count = count
        self._cells = cells
        self.cursor = max(0, min(cursor, count - 1))
        self.set_line_count(count)
        self.refresh()
        self.show_cursor()

    @property
    def count(self) -> int:
        return self._count

    def pieces(self, index: int) -> Pieces:
        if self._cells is None:
            return []
        return columns(self._cells(index), self.room, gap=2)


class ColumnHeads(RowList, can_focus=False):
    """The headings above a list, laid out as its rows are."""

    def render_line(self, y: int) -> Strip:
        if y or self._cells is None or not self._count:
            return self.blank()
        return self.strip(columns(self._cells(0), self.room, gap=2))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
