"""Foreign text made harmless for a terminal, without hiding that something was there.

Control characters can clear a screen, set a title or write the clipboard; bidirectional
controls and invisible characters can make one text look like another. They are shown by
visible stand-ins. Letters, emoji and their joiners are left alone.

Lengths are in terminal cells, as rich and Textual count them: wide characters and emoji
take two, marks and joiners none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_VARIANTS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n"


# C0 and C1 controls, DEL, bidi controls, separators of lines, what formats unseen, halves
# of surrogate pairs, and tags, which can carry hidden text
_ODD = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufdd0-\ufdef\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\ud800-\udfff"
)
# but for the tags that make the flag of a country's part
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"


@lru_cache(maxsize=1)
def _suspect() -> re.Pattern[str]:
    return re.compile(f"[{_ODD}{_VARIANTS}]")


@lru_cache(maxsize=1)
def _odd() -> re.Pattern[str]:
    """With variation selectors after one another, which can carry hidden text, too."""
    return re.compile(f"{_FLAG}|[{_ODD}]|(?<=[{_VARIANTS}])[{_VARIANTS}]")


@lru_cache(maxsize=1)
def _unseen() -> re.Pattern[str]:
    """Letters that draw nothing, joiners, selectors, and blanks that are not the blank."""
    return re.compile(
        "[\xa0\xad\u034f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200d\u202f\u205f"
        f"\u2800\u3000\u3164\uffa0{_VARIANTS}]"
    )


def _visible(found: re.Match[str]) -> str:
    if len(found[0]) > 1:
        return found[0]
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"<U+{code:04X}>"


def harmless(text: str) -> str:
    """A text of several lines; line ends and tabs stay, Windows' line ends become plain."""
    if text.isascii() and not text.encode().translate(None, _PLAIN):
        return text
    if _suspect().search(text) is None:
        return text
    return _odd().sub(_visible, re.sub(r"\r\n?", "\n", text))


def one_line(text: str, limit: int | None = None) -> str:
    """A text on one line, blanks folded, cut at ``limit`` cells with an ellipsis.

    What is one character to a reader (a letter with its marks, a family, a flag) is kept
    or cut whole.
    """
    if limit is None:
        return " ".join(harmless(text).split())
    # of a text of megabytes only its beginning can be seen
    most = limit * 8 + 256
    text = text.lstrip(" \t\r\n")
    line = " ".join(harmless(text[: max(0, most)]).split())
    if len(text) <= most and (2 * len(line) <= limit or width(line) <= limit):
        return line
    kept, cells = 0, 0
    for cluster, size in _clusters(line):
        cells += size
        if cells >= limit:
            break
        kept += len(cluster)
    return line[:kept].rstrip() + "\u2026" if limit > 0 else ""


def name(text: str) -> str:
    """An id, branch or file name: as :func:`one_line`, but nothing in it stays invisible.

    Blanks are kept as they are, so that the name can be typed again.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = text.replace("\t", "\u2409").replace("\n", "\u240a")
    # most long texts have nothing odd in them, and a mere search is much faster
    if _suspect().search(shown) is not None:
        shown = _odd().sub(_visible, shown)
    return _unseen().sub(_show_unless_emoji, shown)


def _show_unless_emoji(found: re.Match[str]) -> str:
    """Emoji are joined, and made ones, by invisible characters."""
    at, one = found.start(), found[0]
    before, base = found.string[at - 1 : at], found.string[at - 2 : at - 1]
    if one == "\u200d" and _is_emoji(found.string[at + 1 : at + 2]):
        joins = _is_emoji(before) or (before == "\ufe0f" and _can_be_emoji(base))
    else:
        joins = one in "\ufe0e\ufe0f" and _can_be_emoji(before)
    if joins:
        return one
    return f"<U+{ord(one):04X}>"


def _is_emoji(char: str) -> bool:
    if "\u2800" <= char <= "\u28ff":
        return False
    return "\u203c" <= char <= "\u2bff" or "\U0001f000" <= char < "\U0001fb00"


def _can_be_emoji(char: str) -> bool:
    return _is_emoji(char) or char in set("#*0123456789\xa9\xae\u3030\u303d\u3297\u3299")


# -- cells ------------------------------------------------------------------------------------


def width(text: str) -> int:
    """How many cells of a terminal a text takes that is harmless and has no tabs."""
    return len(text) if text.isascii() else sum(size for _, size in _clusters(text))


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    import unicodedata

    code = ord(char)
    kind = unicodedata.category(char)
    if kind == "Cf" and (code == 0xAD or 0x600 <= code <= 0x8E2):
        return 1  # Arabic signs of numbers and of the verse
    if kind[0] == "M" or kind in ("Cf", "Cc") or 0x1F3FB <= code <= 0x1F3FF:
        return 0
    if 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF or code in (0x3164, 0xFFA0):
        return 0  # what follows the first part of a Korean syllable
    wide = unicodedata.east_asian_width(char) in "WF" or 0x1FA70 <= code <= 0x1FAFF
    return 2 if wide else 1


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """What a reader takes as one character, and its cells."""
    start, size, last, before, flags = 0, 0, 0, "", 0
    for at, char in enumerate(text):
        cells = 1 if " " <= char <= "~" else _cells(char)
        flag = "\U0001f1e6" <= char <= "\U0001f1ff"
        zwj = before == "\u200d" and char > "~"
        joined = (
            zwj
            or cells == 0
            or (flag and flags % 2 == 1)
            or char in "\u0e33\u0eb3"
            or (before > "\u08ff" and char.isalpha() and _is_virama(before))
        )
        if at and not joined:
            yield text[start:at], size
            start, size = at, 0
        if char == "\ufe0f" and last == 1 and _can_be_emoji(before):
            cells = 1  # it asks for the coloured, wide form
        last = 0 if zwj else cells
        size += last
        flags = flags + 1 if flag else 0
        before = char
    if text:
        yield text[start:], size


@lru_cache(maxsize=512)
def _is_virama(char: str) -> bool:
    """Whether it joins the next consonant to the one before."""
    import unicodedata

    return char != "" and unicodedata.combining(char) == 9
