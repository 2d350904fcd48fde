"""What a program prints, cut into lines of bounded length."""

from __future__ import annotations

import codecs
import re

#: Characters of a line that are kept together; the rest is a line of its own.
LINE_LIMIT = 8192
_LINE_END = re.compile("\r\n|\n|\r(?!\n)")


class LogLines:
    """Takes the bytes of a stream and gives its lines, without their ends.

    A lone carriage return ends a line too: progress bars redraw themselves with it. What is
    no UTF-8 is replaced.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes, *, end: bool = False) -> list[str]:
        """The lines that ``data`` completes; with ``end`` also what is left."""
        text = self._rest + self._decoder.decode(data, end)
        held = ""
        if not end and text.endswith("\r"):
            # the other half of a Windows line end may be on its way
            text, held = text[:-1], "\r"
        lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
        self._rest = lines.pop()
        if end and self._rest:
            lines.append(self._rest)
            self._rest = ""
        elif len(self._rest) > LINE_LIMIT:
            whole = len(self._rest) // LINE_LIMIT * LINE_LIMIT
            lines.append(self._rest[:whole])
            self._rest = self._rest[whole:]
        self._rest += held
        return [piece for line in lines for piece in _pieces(line)]


def _pieces(line: str) -> list[str]:
    if len(line) <= LINE_LIMIT:
        return [line]
    return [line[at : at + LINE_LIMIT] for at in range(0, len(line), LINE_LIMIT)]
