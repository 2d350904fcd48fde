"""The one-line bars: what store this is, what the tabs are, a friendly hint."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message
from textual.strip import Strip

from crewcheck.tui.layout import Pieces, fit, text_of, width_of
from crewcheck.tui.widgets.lines import LineView

#: A tab that has to make room for others keeps so many letters.
LEAST_LETTERS = 3


class Bar(LineView, can_focus=False):
    """One line: pieces on the left, and on the right where there is room."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Bar { height: 1; overflow: hidden hidden; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: Pieces = []
        self._right: Pieces = []

    def show(self, left: Pieces, right: Pieces | None = None) -> None:
        """Show other pieces."""
        shown = left, right or []
        if shown != (self._left, self._right):
            self._left, self._right = shown
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.room
        if y or width < 1:
            return self.blank()
        self.drawn += 1
        right = self._right
        room = width - width_of(text_of(right))
        if room < min(width_of(text_of(self._left)) + 2, 24):
            right, room = [], width
        return self.strip(fit(self._left, room) + right)


class TabBar(Bar):
    """The tabs with the number keys that open them."""

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._spans: list[tuple[int, int]] = []

    def show_tabs(self, titles: Sequence[str], active: int) -> None:
        """Show these tabs."""
        pieces: Pieces = []
        self._spans = []
        at = 0
        total, width = sum(map(len, titles)), self.room
        form, gap = " {number} {title} ", " "
        if total + 5 * len(titles) > width:
            form, gap = "{number} {title}", " "
        if total + 3 * len(titles) > width + 1:
            form, gap = "{title}", " "
            titles = _shortened(titles, active, width + 1 - len(titles))
        labels = [form.format(number=at + 1, title=title) for at, title in enumerate(titles)]
        first = _first_shown(labels, len(gap), active, width)
        if first:
            pieces.append(("… ", "muted"))
            at = 2
        for index, label in enumerate(labels):
            if index < first:
                self._spans.append((0, 0))
                continue
            style = "tab-active" if index == active else "muted"
            pieces += [(label, style), (gap, "")]
            self._spans.append((at, at + len(label)))
            at += len(label) + len(gap)
        self.show(pieces)

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for index, (start, end) in enumerate(self._spans):
            if start <= x < end:
                self.post_message(self.Picked(index))


def _shortened(titles: Sequence[str], active: int, room: int) -> Sequence[str]:
    """Titles of ``room`` letters together: all but the active one lose letters, evenly.

    As they are where that does not help.
    """
    for most in range(max(map(len, titles), default=0), LEAST_LETTERS - 1, -1):
        shorter = [title if at == active else title[:most] for at, title in enumerate(titles)]
        if sum(map(len, shorter)) <= room:
            return shorter
    return titles


def _first_shown(labels: list[str], gap: int, active: int, width: int) -> int:
    """The first of the tabs to show: where not all fit, the active one must be seen."""
    first = 0
    while first < active:
        shown = sum(len(label) + gap for label in labels[first : active + 1]) - gap
        if shown + (2 if first else 0) <= width:
            break
        first += 1
    return first
