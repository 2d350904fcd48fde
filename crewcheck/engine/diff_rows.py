"""The lines of two compared texts side by side: what every way of showing them is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from crewcheck.engine.diff_text import GONE, NEW, SAME, Part

#: A line is its parts, without its end.
Line = list[Part]


class Row(NamedTuple):
    """A line of the old text and the one of the new that stands beside it.

    None where one text has no such line. ``number`` and ``other`` are the places of the
    lines in both texts, from 1.
    """

    changed: bool
    number: int
    other: int
    old: Line | None
    new: Line | None


def rows(parts: Iterable[Part], context: int | None = None) -> list[Row]:
    """The lines of both texts; with ``context`` only the changed ones and so many around.

    A line beside another form of itself is changed as well.
    """
    made = _Rows(context)
    for op, text in parts:
        if op == SAME:
            made.same(text)
        else:
            made.changed(op, text)
    made.end()
    return _near(made.rows, context)


def hunks(made: list[Row]) -> list[list[Row]]:
    """Rows in groups that follow each other without a gap."""
    groups: list[list[Row]] = []
    for row in made:
        last = groups[-1][-1] if groups else None
        expected = (
            (last.number + (last.old is not None), last.other + (last.new is not None))
            if last is not None
            else None
        )
        if expected == (row.number, row.other):
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


class _Rows:
    """Collects lines. ``old`` and ``new`` hold those since both texts last had a line's end
    in common; what only one of them has by then stands alone."""

    def __init__(self, context: int | None) -> None:
        self.context = context
        self.rows: list[Row] = []
        self.number = self.other = 1
        self.old: list[Line] = [[]]
        self.new: list[Line] = [[]]
        self.alone: dict[str, list[Line]] = {GONE: [], NEW: []}

    def same(self, text: str) -> None:
        at = text.find("\n")
        while at >= 0:
            self._both(text[:at])
            self._together()
            text = text[at + 1 :] if at < len(text) - 1 else ""
            text = self._skip(text)
            at = text.find("\n")
        self._both(text)

    def _skip(self, text: str) -> str:
        """Pass over lines that nobody will see, of a long text that both have."""
        context = self.context
        if context is None or text.count("\n", 0, 100_000) <= 2 * context + 2:
            return text
        near = _after_lines(text, context)
        far = len(text)
        for _ in range(context + 1):
            far = text.rfind("\n", 0, far)
        for line in text[:near].split("\n")[:-1]:
            self._both(line)
            self._together()
        far = max(near, far + 1)
        passed = text.count("\n", near, far)
        self.number += passed
        self.other += passed
        return text[far:]

    def _both(self, piece: str) -> None:
        if piece:
            self._flush_alone()
            self.old[-1].append(Part(SAME, piece))
            self.new[-1].append(Part(SAME, piece))

    def changed(self, op: str, text: str) -> None:
        mine, others = (self.old, self.new) if op == GONE else (self.new, self.old)
        pieces = text.split("\n")
        for place, piece in enumerate(pieces):
            if piece:
                mine[-1].append(Part(op, piece))
            if place == len(pieces) - 1:
                return
            if others == [[]] and len(mine) == 1:
                self.alone[op].append(mine.pop())
            mine.append([])

    def _together(self) -> None:
        """Both texts have a line's end here."""
        if self.old == self.new and len(self.old) == 1:
            self._flush_alone()
            self._row(False, self.old[0], self.new[0])
        else:
            self._flush()
        self.old, self.new = [[]], [[]]

    def _flush_alone(self) -> None:
        gone, new = self.alone[GONE], self.alone[NEW]
        for at in range(max(len(gone), len(new))):
            self._row(
                True,
                gone[at] if at < len(gone) else None,
                new[at] if at < len(new) else None,
            )
        self.alone = {GONE: [], NEW: []}

    def _flush(self) -> None:
        self.alone[GONE] += self.old
        self.alone[NEW] += self.new
        self._flush_alone()

    def end(self) -> None:
        """Both texts end here: a line's end before it begins no further line."""
        ended = [not lines[-1] for lines in (self.old, self.new)]
        for lines, is_ended in zip((self.old, self.new), ended, strict=True):
            if is_ended:
                lines.pop()
        if self.old == self.new and self.old and ended[0] == ended[1]:
            self._flush_alone()
            self._row(False, self.old[0], self.new[0])
        else:
            self._flush()

    def _row(self, changed: bool, old: Line | None, new: Line | None) -> None:
        self.rows.append(Row(changed, self.number, self.other, old, new))
        self.number += old is not None
        self.other += new is not None


def _after_lines(text: str, count: int) -> int:
    at = 0
    for _ in range(count):
        at = text.find("\n", at) + 1
    return at


def _near(made: list[Row], context: int | None) -> list[Row]:
    if context is None:
        return made
    kept: set[int] = set()
    for at, row in enumerate(made):
        if row.changed:
            kept.update(range(max(0, at - context), min(len(made), at + context + 1)))
    return [made[at] for at in sorted(kept)]


def unified(group: list[Row]) -> list[tuple[str, Line]]:
    """The lines of rows below each other: of changed ones first the old, then the new."""
    made: list[tuple[str, Line]] = []
    news: list[tuple[str, Line]] = []
    for row in group:
        if not row.changed:
            made += news
            news = []
            made.append((SAME, row.old or []))
            continue
        if row.old is not None:
            made.append((GONE, row.old))
        if row.new is not None:
            news.append((NEW, row.new))
    return made + news


def clipped(line: Line, around: int, most: int) -> Line:
    """A line with its changed parts and so many characters around them.

    Changed parts are cut, too, where they are longer than ``most``.
    """
    made: Line = []
    for place, (op, text) in enumerate(line):
        before = 0 if place == 0 else around
        after = 0 if place == len(line) - 1 else around
        if len(line) == 1 and op == SAME:
            before, after = most, 0
        elif op != SAME:
            before, after = most // 2, most // 2
        if len(text) > before + after + 1:
            text = text[:before] + "…" + text[len(text) - after :]
        made.append(Part(op, text))
    return made
