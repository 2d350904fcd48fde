"""A long text, wrapped as far as it is looked at."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from crewcheck.tui.layout import Block, Line, Pieces, estimate, text_of
from crewcheck.tui.widgets.lines import LineView

#: How long the wrapping of a long text may keep the UI at a stretch.
STRETCH_SECONDS = 0.006
#: On the way to the end of a text that somebody waits for.
HURRY_SECONDS = 0.03
#: So many lines below what is seen are made while nothing else is to be done.
AHEAD_LINES = 10_000


class TextView(LineView):
    """Blocks of text. Their lines are made down to what is seen, and more when idle."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", id="text.up", tooltip="One line up", show=False),
        Binding("down,j", "scroll_down", "Down", id="text.down", tooltip="One line down",
                show=False),
        Binding("home,g", "top", "Begin", id="text.home", tooltip="To the beginning", show=False),
        Binding("end,G", "bottom", "End", id="text.end", tooltip="To the end", show=False),
        Binding("pageup,ctrl+u", "page_up", "Page up", id="text.pageup", tooltip="One page up",
                show=False),
        Binding("pagedown,ctrl+d,space", "page_down", "Page down", id="text.pagedown",
                tooltip="One page down", show=False),
    ]  # fmt: skip

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._blocks: Sequence[Block] = ()
        self._lines: list[Pieces] = []
        self._source: Iterator[Pieces] | None = None
        self._width = 0
        self._guess = 0
        #: the lines of blocks that will be shown again
        self._kept: dict[int, tuple[Block, list[Pieces]]] = {}
        #: what is shown grows at its end
        self._tail = False
        self._followed_y = 0
        #: somebody waits for the end
        self._hurries = False
        self._more: Timer | None = None

    @property
    def complete(self) -> bool:
        """Whether all lines have been made."""
        return self._source is None

    def show(
        self, blocks: Sequence[Block], *, keep_place: bool = False, tail: bool = False
    ) -> None:
        """Show other blocks, from their beginning or from where the view is.

        ``tail``: the end is what is new; it is shown, unless a person has scrolled away.
        """
        known = keep_place and self._width and self._width == self.room
        if known and not (tail or self._tail) and blocks == self._blocks:
            # far down in a long text it would take long to come there again
            return
        follow = tail and (not keep_place or not self._tail or self._is_at_end())
        keep_place = keep_place and (tail or not self._tail)
        self._tail = tail
        self._blocks = blocks
        place = self.scroll_offset.y if keep_place else 0
        if self.text_selection is not None:
            self.screen.clear_selection()
        self._begin(place)
        if follow:
            self._make(10**9)
            self._count()
            self._followed_y = self.max_scroll_y
            self.scroll_to(y=self._followed_y, animate=False, immediate=True)
        elif not keep_place and self.scroll_offset.y:
            self.scroll_to(y=0, animate=False)

    def lines_up_to(self, most: int) -> int:
        """How many lines there are; no more than ``most`` are made to find out."""
        self._make(most)
        self._count()
        return max(1, min(len(self._lines), most))

    def _is_at_end(self) -> bool:
        """Whether nobody has scrolled up; a view that got lower has not been scrolled."""
        return self.scroll_offset.y >= min(self.max_scroll_y, self._followed_y)

    def _begin(self, place: int) -> None:
        same = self._width == self.room
        before = self._seen() if same else None
        known = self._kept if same else {}
        self._kept = {}
        self._width = self.room
        self._lines = []
        self._source = None
        self._hurries = False
        if self._width:
            self._guess = estimate(self._blocks, self._width)
            self._source = self._laid_out(known)
            self._make(place + 2 * max(1, self.size.height))
            self._go_on()
        self._count()
        if before is None:
            self.refresh()
            return
        # neighbours in a run have much in common: only what differs is drawn
        for y, (old, new) in enumerate(zip(before, self._seen(), strict=False)):
            if old != new:
                self.redraw_line(self.scroll_offset.y + y)

    def _laid_out(self, known: dict[int, tuple[Block, list[Pieces]]]) -> Iterator[Pieces]:
        """The lines of the blocks. Of a text that grows at its end, all but the new ones
        are known from before."""
        kept, width, tail = self._kept, self._width, self._tail
        for block in self._blocks:
            if not tail or not isinstance(block, Line):
                yield from block.lines(width)
                continue
            made = known.get(id(block))
            if made is None or made[0] is not block:
                made = block, list(block.lines(width))
            kept[id(block)] = made
            yield from made[1]

    def _seen(self) -> list[Pieces]:
        """The lines in sight, empty ones below the end."""
        top, height = self.scroll_offset.y, self.size.height
        lines = self._lines[top : top + height]
        return lines + [[]] * (height - len(lines))

    def _make(self, upto: int, seconds: float | None = None) -> None:
        """Make lines up to a number of them, or for some time."""
        source, lines = self._source, self._lines
        if source is None:
            return
        until = None if seconds is None else time.monotonic() + seconds
        while len(lines) < upto:
            line = next(source, None)
            if line is None:
                self._source = None
                return
            lines.append(line)
            if until is not None and len(lines) % 64 == 0 and time.monotonic() > until:
                return

    def _go_on(self) -> None:
        """See to it that more lines are made, if any are wanted."""
        wanted = self._hurries or len(self._lines) < self.scroll_offset.y + AHEAD_LINES
        if self._source is not None and wanted and self._more is None:
            self._more = self.set_timer(0.005 if self._hurries else 0.02, self._make_more)

    def _make_more(self) -> None:
        self._more = None
        if self._source is None:
            return
        self._make(10**9, HURRY_SECONDS if self._hurries else STRETCH_SECONDS)
        if self._hurries or self._source is None or len(self._lines) > self.line_count:
            self._count()
        if self._hurries:
            self._go_down()
        self._go_on()

    def _count(self) -> None:
        made = len(self._lines)
        self.set_line_count(made if self._source is None else max(self._guess, made + made // 4))

    def on_resize(self, event: Resize) -> None:
        if self.room != self._width:
            self._begin(self.scroll_offset.y)

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        if index >= len(self._lines):
            self._make(index + self.size.height)
        self._go_on()
        if index >= len(self._lines) or not self.size.width:
            return self.blank()
        self.drawn += 1
        strip = self.strip(self._lines[index])
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(index)) is not None:
            strip = self._selected(strip, index, *span)
        return strip.apply_offsets(0, index)

    def _selected(self, strip: Strip, index: int, start: int, end: int) -> Strip:
        """A line with its selected part marked; selections count characters."""
        text = strip.text
        end = len(text) if end == -1 else end
        width = strip.cell_length
        left, right = cell_len(text[:start]), cell_len(text[:end])
        style = self.screen.get_component_rich_style("screen--selection")
        middle = strip.crop(left, right).apply_style(style)
        return Strip.join([strip.crop(0, left), middle, strip.crop(right, width)])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text; of lines not made yet, nothing is seen nor selected."""
        return selection.extract("\n".join(map(text_of, self._lines))), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def action_top(self) -> None:
        self.scroll_to(y=0, animate=False)

    def action_bottom(self) -> None:
        self._make(10**9, HURRY_SECONDS)
        self._count()
        self._go_down()
        self._go_on()

    def _go_down(self) -> None:
        """To the end of what is made; the view follows until all is, which may take seconds."""
        end = len(self._lines) - self.size.height
        self.scroll_to(y=max(0, end), animate=False, immediate=True)
        self._hurries = self._source is not None

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        # who moves meanwhile has seen enough
        self._hurries = False

    def action_scroll_up(self) -> None:
        self.scroll_to(y=self.scroll_offset.y - 1, animate=False)

    def action_scroll_down(self) -> None:
        self.scroll_to(y=self.scroll_offset.y + 1, animate=False)

    def action_page_up(self) -> None:
        self.scroll_to(y=self.scroll_offset.y - max(1, self.size.height - 1), animate=False)

    def action_page_down(self) -> None:
        self.scroll_to(y=self.scroll_offset.y + max(1, self.size.height - 1), animate=False)
