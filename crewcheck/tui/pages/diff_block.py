"""The lines of two texts, laid out: side by side where there is room, else below each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from crewcheck.engine.diff_rows import Line as TextLine
from crewcheck.engine.diff_rows import Row, clipped, unified
from crewcheck.engine.diff_text import GONE, NEW, SAME
from crewcheck.engine.diff_words import line_text
from crewcheck.tui.layout import Line, Pieces, fit

#: From this width on both texts stand side by side.
SIDE_BY_SIDE_FROM = 90
#: Of long lines, so many characters around a change, and of one.
AROUND, MOST = 300, 3_000
_WHOLE = {SAME: "", GONE: "bad", NEW: "ok"}
_WORDS = {SAME: "", GONE: "gone", NEW: "new"}


@dataclass(frozen=True, slots=True)
class DiffText:
    """Rows of two texts. A changed line has a sign, its changed words are marked."""

    rows: list[Row]
    indent: int = 0

    def lines(self, width: int) -> Iterator[Pieces]:
        indent = self.indent if self.indent < width // 2 else 0
        room = width - indent
        both = any(row.old is not None and row.new is not None for row in self.rows)
        made = self._beside(room) if room >= SIDE_BY_SIDE_FROM and both else self._below(room)
        for pieces in made:
            yield [(" " * indent, ""), *pieces] if indent else pieces

    def _below(self, width: int) -> Iterator[Pieces]:
        for mark, line in unified(self.rows):
            pieces = [(f"{mark} ", _WHOLE[mark]), *_pieces(line, mark)]
            yield from Line(pieces, hang=2).lines(width)

    def _beside(self, width: int) -> Iterator[Pieces]:
        left = (width - 3) // 2
        right = width - 3 - left
        for row in self.rows:
            olds = list(Line(_pieces(row.old or [], GONE if row.changed else SAME)).lines(left))
            news = list(Line(_pieces(row.new or [], NEW if row.changed else SAME)).lines(right))
            sign = " "
            if row.changed:
                sign = ">" if row.old is None else "<" if row.new is None else "|"
            for at in range(max(len(olds), len(news))):
                old = olds[at] if at < len(olds) else []
                new = news[at] if at < len(news) else []
                yield [*fit(old, left), (f" {sign} ", "accent"), *fit(new, right)]

    @property
    def weight(self) -> int:
        return len(self.rows)


def _pieces(line: TextLine, mark: str) -> Pieces:
    """A line's pieces; where all of it is new or gone, no words stand out."""
    styles = _WORDS if len(line) > 1 else _WHOLE
    return [
        (line_text(text), styles[op] or ("muted" if mark == SAME else ""))
        for op, text in clipped(line, AROUND, MOST)
    ]
