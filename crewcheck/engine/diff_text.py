"""Where two texts differ, by words or by lines, in time that grows with their length.

What texts have in common at both ends is set aside; lines that both have once tie down
what is between; words are compared within changed lines only, and only while that is
little work. What is left over is told as replaced.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from crewcheck.model.identity import longest_rising

SAME, GONE, NEW = " ", "-", "+"
LINES, WORDS = "lines", "words"

#: So many pairs of equal parts are looked at in a stretch, and in a text, to compare in full.
_PAIRS, _PAIRS_IN_ALL = 100_000, 2_000_000
#: Stretches are tied down within one another so deep.
_DEEPEST = 8
#: So many pieces ahead a text that repeats itself is looked for again.
_AHEAD = 16
#: Longer stretches are cut into phrases before they are cut into words.
_LONG = 200_000
#: A stretch that has less in common than this is easier to read as replaced.
_ALIKE = 0.35

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_PHRASE = re.compile(r"[^.,;:!?\n]*[.,;:!?\n]\s*|[^.,;:!?\n]+")
_WORD = re.compile(r"\w+[^\S\n]*|\n\s*|[^\w\s][^\S\n]*|\s+")


class Part(NamedTuple):
    """A stretch of text that both have (`SAME`), only the old (`GONE`) or only the new."""

    op: str
    text: str


class TextDiff(NamedTuple):
    """Two texts as their parts, in order: the same and gone parts make the old text, the
    same and new ones the new text. ``blanks_only``: but for blanks the texts are equal."""

    parts: list[Part]
    blanks_only: bool = False

    @property
    def gone(self) -> int:
        """How many characters only the old text has."""
        return sum(len(text) for op, text in self.parts if op == GONE)

    @property
    def new(self) -> int:
        """How many characters only the new text has."""
        return sum(len(text) for op, text in self.parts if op == NEW)


def compare_texts(old: str, new: str, by: str = WORDS) -> TextDiff:
    """The parts of two texts, by ``words`` or by whole ``lines``."""
    start = _common_start(old, new)
    if start == len(old) == len(new):
        return TextDiff([Part(SAME, old)] if old else [])
    end = _common_end(old, new, start)
    # whole lines, or words, are compared
    start = max(old.rfind(sign, 0, start) for sign in (" \n" if by == WORDS else "\n")) + 1
    ends = [old.find(sign, len(old) - end) for sign in (" \n" if by == WORDS else "\n")]
    behind = min((one for one in ends if one >= 0), default=len(old) - 1) + 1
    end = min(len(old) - behind, len(old) - start, len(new) - start)
    work = _Work()
    found = [Part(SAME, old[:start])]
    for same, a, b in work.stretches(old[start : len(old) - end], new[start : len(new) - end]):
        if same:
            found.append(Part(SAME, a))
        elif by == WORDS and a and b:
            found += work.words(a, b)
        else:
            found += Part(GONE, a), Part(NEW, b)
    found.append(Part(SAME, old[len(old) - end :]))
    return TextDiff(list(_joined(found)), old.split() == new.split())


def _common_start(old: str, new: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(old: str, new: str, start: int) -> int:
    """How many characters two texts have in common at their end, apart from the beginning."""
    low, high = 0, min(len(old), len(new)) - start
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return low


_Block = tuple[int, int, int]
_Items = Sequence[str]


class _Work:
    """Aligns the pieces of two texts, as long as that is not too much work."""

    def __init__(self) -> None:
        self.pairs_left = _PAIRS_IN_ALL

    def words(self, old: str, new: str, cut: re.Pattern[str] | None = None) -> list[Part]:
        """The words of two stretches; both as a whole where they have little in common."""
        cut = cut or (_PHRASE if max(len(old), len(new)) > _LONG else _WORD)
        parts: list[Part] = []
        for same, a, b in self.stretches(old, new, cut):
            if same:
                parts.append(Part(SAME, a))
            elif cut is _PHRASE and a and b:
                parts += self.words(a, b, _WORD)
            else:
                parts += Part(GONE, a), Part(NEW, b)
        alike = sum(len(text.strip()) for op, text in parts if op == SAME)
        if alike < _ALIKE * min(len(old.strip()), len(new.strip())):
            # lines end where they ended
            blanks = old[len(old.rstrip()) :]
            end = _common_end(blanks, new[len(new.rstrip()) :], 0)
            old, new = old[: len(old) - end], new[: len(new) - end]
            return [Part(GONE, old), Part(NEW, new), Part(SAME, blanks[len(blanks) - end :])]
        return parts

    def stretches(
        self, old: str, new: str, cut: re.Pattern[str] = _LINE
    ) -> Iterator[tuple[bool, str, str]]:
        """Two texts in stretches, and whether both have them."""
        a, b = cut.findall(old), cut.findall(new)
        i = j = 0
        for x, y, size in (*self._blocks(a, b, 0, len(a), 0, len(b), 0), (len(a), len(b), 0)):
            if i < x or j < y:
                yield False, "".join(a[i:x]), "".join(b[j:y])
            i, j = x + size, y + size
            if size:
                text = "".join(a[x:i])
                yield True, text, text

    def _blocks(
        self, a: _Items, b: _Items, i1: int, i2: int, j1: int, j2: int, depth: int
    ) -> Iterator[_Block]:
        """Stretches of pieces in common: the place in both, and the length."""
        start = _run(a, b, i1, i2, j1, j2)
        if start:
            yield i1, j1, start
        i1, j1 = i1 + start, j1 + start
        end = 0
        while i2 - end > i1 and j2 - end > j1 and a[i2 - 1 - end] == b[j2 - 1 - end]:
            end += 1
        i2, j2 = i2 - end, j2 - end
        if i1 < i2 and j1 < j2:
            yield from self._between(a, b, i1, i2, j1, j2, depth)
        if end:
            yield i2, j2, end

    def _between(
        self, a: _Items, b: _Items, i1: int, i2: int, j1: int, j2: int, depth: int
    ) -> Iterator[_Block]:
        left, right = Counter(a[i1:i2]), Counter(b[j1:j2])
        pairs = sum(count * right[item] for item, count in left.items() if item in right)
        if pairs <= min(_PAIRS, self.pairs_left):
            self.pairs_left -= pairs
            matcher = SequenceMatcher(None, a[i1:i2], b[j1:j2], autojunk=False)
            yield from ((i1 + x, j1 + y, n) for x, y, n in matcher.get_matching_blocks() if n)
            return
        # what both have exactly once ties down the rest
        places = {b[at]: at for at in range(j1, j2) if right[b[at]] == 1}
        single = [at for at in range(i1, i2) if left[a[at]] == 1 and a[at] in places]
        rising = longest_rising([places[a[at]] for at in single])
        ties = [(single[at], places[a[single[at]]]) for at in rising]
        if depth == _DEEPEST:
            return
        if not ties:
            yield from _resumed(a, b, i1, i2, j1, j2)
            return
        for i, j in ties:
            if i >= i1 and j >= j1:  # else it lies within what the tie before has brought
                yield from self._blocks(a, b, i1, i, j1, j, depth + 1)
                size = _run(a, b, i, i2, j, j2)
                yield i, j, size
                i1, j1 = i + size, j + size
        yield from self._blocks(a, b, i1, i2, j1, j2, depth + 1)


def _run(a: _Items, b: _Items, i1: int, i2: int, j1: int, j2: int) -> int:
    """How many pieces are the same from here on."""
    size, most = 0, min(i2 - i1, j2 - j1)
    while size < most and a[i1 + size] == b[j1 + size]:
        size += 1
    return size


def _resumed(a: _Items, b: _Items, i: int, i2: int, j: int, j2: int) -> Iterator[_Block]:
    """Stretches in common of texts that repeat themselves: each a few pieces further on."""
    while i < i2 and j < j2:
        size = _run(a, b, i, i2, j, j2)
        if size:
            yield i, j, size
        i, j = i + size, j + size
        for step in range(1, _AHEAD):
            near = [(i + back, j + step - back) for back in range(step + 1)]
            found = [(x, y) for x, y in near if x < i2 and y < j2 and a[x] == b[y]]
            if found:
                i, j = max(
                    found, key=lambda one: _run(a, b, one[0], i2, one[1], min(j2, one[1] + 8))
                )
                break
        else:
            return


def _joined(parts: Iterable[Part]) -> Iterator[Part]:
    """Neighbours of one kind as one; between two that both have, the gone one first."""
    held: dict[str, list[str]] = {SAME: [], GONE: [], NEW: []}

    def given(*ops: str) -> Iterator[Part]:
        for op in ops:
            if held[op]:
                yield Part(op, "".join(held[op]))
                held[op] = []

    for op, text in parts:
        if text:
            yield from given(GONE, NEW) if op == SAME else given(SAME)
            held[op].append(text)
    yield from given(SAME, GONE, NEW)


def show_blanks(parts: Iterable[Part], unicode: bool = True) -> list[Part]:
    """The parts with a sign for each blank that differs, where blanks are all that does."""
    signs = {" ": "·", "\t": "→", "\n": "↵\n", "\r": "␍"}
    if not unicode:
        signs = {" ": "_", "\t": "\\t", "\n": "\\n\n", "\r": "\\r"}
    table = str.maketrans(signs)
    return [
        part if part.op == SAME else Part(part.op, part.text.translate(table)) for part in parts
    ]
