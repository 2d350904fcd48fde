"""The base of the app's own views: lines of styled pieces, drawn only where they are seen."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from crewcheck.tui.glyphs import ASCII, UNICODE, Glyphs
from crewcheck.tui.layout import Pieces, to_ascii

#: Style names that pieces may carry; each is a component class ``lines--NAME``.
STYLE_NAMES = (
    "muted",
    "faint",
    "title",
    "label",
    "heading",
    "key",
    "number",
    "ok",
    "bad",
    "warn",
    "live",
    "accent",
    "guide",
    "context",
    "edited",
    "gone",
    "new",
    "tab-active",
)
#: Style names with a background of their own.
GROUNDED = frozenset({"tab-active"})


class PlainScrollBar(ScrollBarRender):
    """A scrollbar without block characters."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8


class LineView(ScrollView, can_focus=True):
    """A view of many lines. Subclasses give the pieces of one line at a time."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"lines--{name}" for name in STYLE_NAMES),
        "lines--cursor",
        "lines--cursor-blurred",
    }
    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
        background: $surface;
        color: $foreground;

        & > .lines--muted { color: $text-muted; }
        & > .lines--faint { color: $text-disabled; }
        & > .lines--title { text-style: bold; }
        & > .lines--label { color: $text-muted; }
        & > .lines--heading { color: $text-primary; text-style: bold; }
        & > .lines--key { color: $text-accent; }
        & > .lines--number { color: $text-secondary; }
        & > .lines--ok { color: $text-success; }
        & > .lines--bad { color: $text-error; }
        & > .lines--warn { color: $text-warning; }
        & > .lines--live { color: $text-primary; text-style: bold; }
        & > .lines--accent { color: $text-accent; }
        & > .lines--edited { color: $text-secondary; text-style: bold; }
        & > .lines--gone { color: $text-error; text-style: bold underline; }
        & > .lines--new { color: $text-success; text-style: bold underline; }
        & > .lines--guide { color: $text-disabled; }
        & > .lines--context { color: $text-disabled; }
        & > .lines--tab-active {
            color: $text-primary;
            background: $primary-muted;
            text-style: bold;
        }
        & > .lines--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
        }
        & > .lines--cursor-blurred { background: $block-cursor-blurred-background; }
    }
    """

    #: lines drawn since the start, for tests that count work
    drawn = 0

    def __init__(self, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self._styles_made: dict[tuple[str, str], Style] = {}
        self._ascii = False

    def on_mount(self) -> None:
        self._ascii = getattr(self.app, "glyphs", UNICODE) == ASCII
        if self._ascii:
            self.vertical_scrollbar.renderer = PlainScrollBar  # type: ignore[misc]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles_made.clear()

    @property
    def room(self) -> int:
        """How many cells a line has, beside the scrollbar."""
        return self.scrollable_content_region.width

    @property
    def at_top(self) -> int:
        """The first line that is seen."""
        return self.scroll_offset.y

    @property
    def line_count(self) -> int:
        return self.virtual_size.height

    def set_line_count(self, count: int) -> None:
        """Say how many lines there are, without a layout of the whole screen.

        The view's place on the screen does not depend on it; only its scrollbar does.
        """
        size = Size(self.size.width, count)
        if size == self.virtual_size:
            return
        self.set_reactive(Widget.virtual_size, size)
        self._scroll_update(size)

    def style(self, name: str, on: str = "") -> Style:
        """The style of a piece; ``on`` is ``cursor``, ``cursor-blurred`` or empty."""
        made = self._styles_made.get((name, on))
        if made is None:
            made = self.rich_style
            if name:
                named = self.get_component_rich_style(f"lines--{name}")
                has_ground = name in GROUNDED
                made += named if has_ground else named + Style(bgcolor=made.bgcolor)
            if on:
                # the cursor is a ground: what is on it keeps its colour
                cursor = self.get_component_rich_style(f"lines--{on}")
                plain = on == "cursor" and name in ("", "title")
                made += Style(bgcolor=cursor.bgcolor, color=cursor.color if plain else None)
            self._styles_made[name, on] = made
        return made

    def strip(self, pieces: Pieces, on: str = "") -> Strip:
        """A line of the view's width from its pieces."""
        style = self.style
        if self._ascii:
            pieces = [(to_ascii(text), name) for text, name in pieces]
        strip = Strip([Segment(text, style(name, on)) for text, name in pieces if text])
        return strip.adjust_cell_length(self.size.width, style("", on))

    def blank(self) -> Strip:
        return Strip.blank(self.size.width, self.style(""))

    def redraw_line(self, index: int) -> None:
        """Draw one line anew, if it is seen."""
        y = index - self.scroll_offset.y
        if 0 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))
