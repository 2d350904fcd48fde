"""Foreign text made harmless for a terminal, without hiding that something was there.

Control characters can clear a screen, set a title or write the clipboard; bidirectional
controls and invisible characters can make one text look like another. They are shown by
visible stand-ins. Letters, emoji and their joiners are left alone.
"""

from __future__ import annotations

import re

# C0 and C1 controls, DEL; bidi marks, embeddings and isolates; line and paragraph
# separators; BOM, interlinear and tag characters; halves of surrogate pairs.
_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
_INVISIBLE = re.compile("[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u3164]")
_LINE_ENDS = re.compile(r"\r\n|\r")


def _visible(found: re.Match[str]) -> str:
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
    if text.isascii() and text.isprintable():
        return text
    return _ODD.sub(_visible, _LINE_ENDS.sub("\n", text))


def one_line(text: str, limit: int | None = None) -> str:
    """A text on one line, blanks folded, cut at ``limit`` characters with an ellipsis.

    Names and ids also show characters that have no width.
    """
    if limit is not None and len(text) > limit * 8 + 256:
        # of a text of megabytes only its beginning can be seen
        text = text[: limit * 8 + 256]
    line = " ".join(harmless(text).split())
    if limit is not None and len(line) > limit:
        line = line[: max(0, limit - 1)].rstrip() + "\u2026"
    return line


def name(text: str) -> str:
    """An id, branch or file name: as :func:`one_line`, but nothing in it stays invisible.

    Blanks are kept as they are, so that the name can be typed again.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = _ODD.sub(_visible, text.replace("\t", "\u2409").replace("\n", "\u240a"))
    # emoji are joined by an invisible character: keep it between two of them
    return _INVISIBLE.sub(_show_unless_joiner, shown)


def _show_unless_joiner(found: re.Match[str]) -> str:
    if found[0] == "\u200d":
        before = found.string[: found.start()][-1:]
        after = found.string[found.end() :][:1]
        if before > "\u2190" and after > "\u2190":
            return found[0]
    return f"<U+{ord(found[0]):04X}>"
