"""Text laid out in cells, without textual: columns, wrapped lines, long texts.

Pages are made of blocks; a block gives its lines for a width, one by one, so that of a
text of megabytes only what is looked at is wrapped. A line is a list of pieces: a text
and the name of its style. Texts in pieces and cells must be harmless already; the long
text of a `Body` is made so on the way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from rich.cells import cell_len, set_cell_size, split_graphemes

from crewcheck.engine.flow_rails import PLAIN
from crewcheck.model.harmless import harmless

#: A text and the name of its style.
Piece = tuple[str, str]
Pieces = list[Piece]

#: Lines without a break are taken in parts of this many characters.
CHUNK = 16_384
#: Tables and prose are not wider than this, however wide the window is.
MEASURE = 100
_NARROW = re.compile(
    "[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u203b\u2500-\u25fc]*"
)


class Cell(NamedTuple):
    """One column of a row. ``width`` 0 takes what is left; of several such, equal parts.

    Where there is no room, cells go in the order of ``rank``, highest first; those of
    rank 0 stay. ``least`` is how much a flexible cell needs for itself, ``most`` how much
    it takes (0: anything). An empty cell of a fixed width keeps its place. ``pieces`` stand
    in place of the text where it has several styles.
    """

    text: str
    style: str = ""
    width: int = 0
    right: bool = False
    rank: int = 0
    least: int = 8
    most: int = 0
    pieces: tuple[Piece, ...] = ()


def is_narrow(text: str) -> bool:
    """Whether every character is known to take one cell."""
    return (text.isascii() and text.isprintable()) or _NARROW.fullmatch(text) is not None


def width_of(text: str) -> int:
    return len(text) if is_narrow(text) else cell_len(text)


def widest(texts: Iterable[str], least: int, most: int) -> int:
    """How wide the widest of some texts is, within bounds."""
    width = least
    for text in texts:
        width = max(width, width_of(text[:most]))
        if width >= most:
            return most
    return width


def cut(text: str, width: int, ellipsis: str = "…") -> str:
    """A text of at most ``width`` cells, with an ellipsis where something is missing."""
    if len(text) > 4 * width + 64:
        text = text[: 4 * width + 64]
    if width_of(text) <= width:
        return text
    if width <= 0:
        return ""
    return set_cell_size(text, width - 1).rstrip() + ellipsis


def pad(text: str, width: int, right: bool = False) -> str:
    """A text of exactly ``width`` cells, cut or filled with blanks."""
    text = cut(text, width)
    blanks = " " * (width - width_of(text))
    return blanks + text if right else text + blanks


def columns(cells: Sequence[Cell], width: int, gap: int = 1) -> Pieces:
    """A row of cells, ``width`` cells wide in all."""
    kept = list(cells)
    while len(kept) > 1:
        need = sum(cell.width or cell.least for cell in kept) + gap * (len(kept) - 1)
        rank = max(cell.rank for cell in kept)
        if need <= width or rank == 0:
            break
        kept.remove(next(cell for cell in reversed(kept) if cell.rank == rank))
    room = max(0, width - sum(cell.width for cell in kept) - gap * (len(kept) - 1))
    shares = _shares([cell for cell in kept if not cell.width], room)
    pieces: Pieces = []
    left = width
    for place, cell in enumerate(kept):
        if place:
            pieces.append((" " * min(gap, left), ""))
            left -= min(gap, left)
        wide = min(cell.width or shares.pop(0), left)
        left -= wide
        if wide > 0 and cell.pieces:
            pieces += fit(cell.pieces, wide)
        elif wide > 0:
            pieces.append((pad(cell.text, wide, cell.right), cell.style))
    if left > 0 and not all(cell.width for cell in kept):
        pieces.append((" " * left, ""))
    return pieces


def _shares(cells: Sequence[Cell], room: int) -> list[int]:
    """Parts of some room: each its least where there is room for that, none more than its
    most, and else equal ones; the last takes what is left over."""
    needs = [min(cell.least, cell.most or cell.least) for cell in cells]
    if sum(needs) > room:
        needs = [0] * len(cells)
    shares = [0] * len(cells)
    open_ones = sorted(range(len(cells)), key=lambda at: cells[at].most or room)
    kept = sum(needs)
    for count, at in enumerate(open_ones):
        kept -= needs[at]
        most = cells[at].most or room
        shares[at] = min(max(room // (len(cells) - count), needs[at]), room - kept, most)
        room -= shares[at]
    return shares


def fit(pieces: Iterable[Piece], width: int) -> Pieces:
    """Pieces side by side, cut or filled to exactly ``width`` cells."""
    fitted: Pieces = []
    for text, style in pieces:
        if width <= 0:
            return fitted
        text = cut(text, width)
        if text:
            fitted.append((text, style))
            width -= width_of(text)
    if width > 0:
        fitted.append((" " * width, ""))
    return fitted


def wrap(text: str, width: int) -> list[str]:
    """One line as lines of at most ``width`` cells, broken at blanks where there are any.

    A blank at a break is left out. Never empty; graphemes stay whole.
    """
    width = max(width, 1)
    if len(text) <= width and is_narrow(text):
        return [text]
    if is_narrow(text):
        return _wrap_narrow(text, width)
    return _wrap_wide(text, width)


def _wrap_narrow(text: str, width: int) -> list[str]:
    lines = []
    at = 0
    while len(text) - at > width:
        end = text.rfind(" ", at, at + width + 1)
        if end <= at or not text[at:end].strip():
            end = at + width
            lines.append(text[at:end])
            at = end
        else:
            lines.append(text[at:end])
            at = end + 1
    lines.append(text[at:])
    return lines


def _wrap_hanging(text: str, width: int, hang: int) -> list[str]:
    """Like `wrap`, but all lines after the first have ``hang`` cells less."""
    if not hang:
        return wrap(text, width)
    ahead = text[: 4 * width]
    first = wrap(ahead, width)[0]
    rest = text[len(first) :]
    if not rest:
        return [first]
    if ahead[len(first) : len(first) + 1] == " ":
        rest = rest[1:]
    return [first, *wrap(rest, width - hang)]


def _wrap_wide(text: str, width: int) -> list[str]:
    lines = []
    start = at = 0
    used = 0
    blank = -1
    for begin, end, cells in split_graphemes(text)[0]:
        cells = min(cells, 2)
        if used + cells > width and begin > start:
            if text[begin] == " ":
                lines.append(text[start:begin])
                start, used, blank = end, 0, -1
                continue
            if blank > start:
                lines.append(text[start:blank])
                start = blank + 1
                used = cell_len(text[start:begin])
            else:
                lines.append(text[start:begin])
                start, used = begin, 0
            blank = -1
        if text[begin] == " ":
            blank = begin
        used += cells
        at = end
    lines.append(text[start:at] if at > start else "")
    return lines


def _blanks(text: str) -> int:
    """How many blanks a text begins with."""
    return len(text) - len(text.lstrip(" "))


def _hang(line: str, paint: Callable[[str, bool, str], Pieces] | None) -> int:
    """How far indented a line goes on: JSON below its key, an item of a list below its words."""
    if paint is paint_json:
        return _blanks(line) + 2
    item = _ITEM.match(line) if paint is paint_prose else None
    return item.end() if item is not None else _blanks(line)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of pieces; where it is too long it goes on below, ``hang`` cells indented (0: as
    far as it begins)."""

    pieces: Sequence[Piece] = ()
    hang: int = 0

    def lines(self, width: int) -> Iterator[Pieces]:
        text = text_of(self.pieces)
        if width_of(text) <= width:
            yield list(self.pieces)
            return
        # an indented line goes on as far indented
        hang = self.hang or _blanks(text)
        hang = hang if hang < width // 2 else 0
        at = indent = 0
        while True:
            room = max(1, width - indent)
            # a look at a few lines ahead is enough to break the next one
            ahead = text[at : at + 4 * room]
            part = wrap(ahead, room)[0]
            if not at and len(part) <= hang:
                # a long word after a label begins beside it
                part = set_cell_size(ahead, room).rstrip(" ")
            yield ([(" " * indent, "")] if indent else []) + self._slice(at, at + len(part))
            at += len(part)
            if text[at : at + 1] == " ":
                at += 1
            if at >= len(text):
                return
            indent = hang

    def _slice(self, start: int, end: int) -> Pieces:
        found: Pieces = []
        at = 0
        for text, style in self.pieces:
            part = text[max(0, start - at) : max(0, end - at)]
            if part:
                found.append((part, style))
            at += len(text)
        return found

    @property
    def weight(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; ``indent`` blanks before each."""

    rows: Sequence[Sequence[Cell]]
    indent: int = 0
    gap: int = 2

    def lines(self, width: int) -> Iterator[Pieces]:
        room = max(1, min(width, MEASURE) - self.indent)
        for row in self.rows:
            yield [(" " * self.indent, ""), *columns(row, room, self.gap)]

    @property
    def weight(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Body:
    """A long text of any origin, wrapped as far as it is looked at.

    ``paint`` may give a line's pieces; it is told whether the line begins one. ``most``
    keeps the lines short in a wide window.
    """

    text: str
    style: str = ""
    indent: int = 0
    paint: Callable[[str, bool, str], Pieces] | None = None
    most: int = 0

    def lines(self, width: int) -> Iterator[Pieces]:
        width = min(width, self.most or width)
        indent = self.indent if self.indent < width // 2 else 0
        head = [(" " * indent, "")] if indent else []
        paint = self.paint
        for text, begins in self._wrapped(max(1, width - indent)):
            if paint is not None:
                yield head + paint(text, begins, self.style)
            else:
                yield [*head, (text, self.style)]

    def _wrapped(self, width: int) -> Iterator[tuple[str, bool]]:
        text = self.text
        at = 0
        while at <= len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line_end = end - 1 if end > at and text[end - 1] == "\r" else end
            yield from self._wrapped_line(text, at, line_end, width)
            at = end + 1

    def _wrapped_line(
        self, text: str, start: int, end: int, width: int
    ) -> Iterator[tuple[str, bool]]:
        """One line in parts: what is left of a part's last line begins the next part."""
        begins = True
        rest = ""
        hang = 0
        at = start
        while True:
            upto = min(end, at + CHUNK)
            part = rest + harmless(text[at:upto]).replace("\n", "␤").expandtabs(4)
            if begins:
                hang = _hang(part, self.paint)
                hang = hang if hang < width // 2 else 0
                lines = _wrap_hanging(part, width, hang)
            else:
                lines = wrap(part, width - hang)
            at = upto
            rest = lines.pop() if at < end else ""
            for line in lines:
                yield (line if begins or not hang else " " * hang + line), begins
                begins = False
            if at >= end:
                return

    @property
    def weight(self) -> int:
        return len(self.text) + 1


@dataclass(frozen=True, slots=True)
class Meter:
    """A bar of stretches, each with its sign and style, and a label after or below it."""

    stretches: Sequence[Piece]
    label: str
    most: int = 40

    def lines(self, width: int) -> Iterator[Pieces]:
        count = len(self.stretches)
        room = width - width_of(self.label) - 2
        beside = room >= max(16, 2 * count)
        bar = min(self.most, room if beside else width)
        gap = 1 if bar >= 3 * count else 0
        each, rest = divmod(bar - gap * (count - 1), count)
        if each < 1:
            each, rest = 1, 0
        pieces: Pieces = []
        for place, (sign, style) in enumerate(self.stretches):
            if place and gap:
                pieces.append((" ", ""))
            pieces.append((sign * (each + (1 if place < rest and not gap else 0)), style))
        if beside:
            yield [*pieces, ("  " + self.label, "")]
        else:
            yield fit(pieces, width)
            yield [(self.label, "")]

    @property
    def weight(self) -> int:
        return 2


class Lines(Protocol):
    """Anything else that gives its lines for a width."""

    def lines(self, width: int) -> Iterator[Pieces]: ...

    @property
    def weight(self) -> int: ...


Block = Line | Table | Body | Meter | Lines


def estimate(blocks: Iterable[Block], width: int) -> int:
    """Roughly how many lines some blocks will have."""
    total = 0
    for block in blocks:
        if isinstance(block, Body):
            total += block.weight // max(1, width - block.indent) + 1
        else:
            total += block.weight
    return total


def to_ascii(text: str) -> str:
    """A text as wide as before, with a stand-in for what is not ASCII."""
    if text.isascii():
        return text
    parts = []
    for start, end, cells in split_graphemes(text)[0]:
        part = text[start:end]
        parts.append(part if part.isascii() else _PLAIN.get(part, "?" * min(cells, 2)))
    return "".join(parts)


def text_of(pieces: Iterable[Piece]) -> str:
    return "".join(text for text, _ in pieces)


_KEY = re.compile(r'(\s*)("(?:[^"\\]|\\.)*")(: ?)(.*)', re.DOTALL)
_PLAIN = {
    **{"…": "~", "→": ">", "–": "-", "—": "-", "␤": "?"},
    **{"“": '"', "”": '"', "\u2018": "'", "’": "'"},
    **PLAIN,
}
_ITEM = re.compile(r" *(?:[-*+\u2022]|\d{1,3}[.)]) +")
_BOLD = re.compile(r"(\*\*)(?=\S)([^*]+)(\*\*)")
_ATOM = re.compile(r"\s*(?:-?[0-9.eE+-]+|true|false|null|NaN|-?Infinity),?")


def paint_json(line: str, begins: bool, style: str) -> Pieces:
    """A line of pretty JSON: keys and values told apart."""
    if not begins:
        return [(line, style)]
    found = _KEY.fullmatch(line)
    if found is None:
        return [(line, "number" if _ATOM.fullmatch(line) else style)]
    blanks, key, colon, value = found.groups()
    return [
        (blanks, ""),
        (key, "key"),
        (colon, "muted"),
        (value, "number" if _ATOM.fullmatch(value) else style),
    ]


def paint_prose(line: str, begins: bool, style: str) -> Pieces:
    """A line of what a model wrote: headings and bold words stand out, every sign stays."""
    if begins and line.startswith("#") and line.lstrip("#").startswith(" "):
        return [(line, "heading")]
    if "**" not in line:
        return [(line, style)]
    pieces: Pieces = []
    for place, part in enumerate(_BOLD.split(line)):
        if part:
            pieces.append((part, "faint" if part == "**" else "title" if place % 4 == 2 else style))
    return pieces
