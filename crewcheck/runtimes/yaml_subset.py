"""As much YAML as CrewAI's project files are made of, read without a YAML library.

Mappings and lists, also in brackets, plain and quoted texts, and the block texts ``|`` and
``>``. Anything else (anchors, tags, several documents) is a `ValueError`: then the texts
are not known, which is better than a wrong guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_DASH = re.compile(r"-(?:\s+|$)")
_KEY = re.compile(
    r"""(?P<key>[A-Za-z_][\w.\- \t]*|"[^"\\]*"\s*|'[^']*'\s*):(?:\s+(?P<rest>.*))?$"""
)
_BLOCK = re.compile(r"(?P<style>[|>])(?P<chomp>[+-]?)(?:\s+#.*)?$")
_ODD_START = tuple("&*!{%@`")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/", "r": "\r", "0": "\0"}


def read_yaml(text: str) -> dict[str, Any]:
    """The mapping in a text: texts, lists and mappings. Raises `ValueError`."""
    lines = _Lines(text)
    try:
        value = lines.mapping(0) if lines.skip_blank() else {}
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if lines.skip_blank():
        raise ValueError(f"line {lines.at + 1}: indentation")
    return value


class _Lines:
    def __init__(self, text: str) -> None:
        self._lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
        self.at = 0
        if self.skip_blank() and self._lines[self.at].strip() == "---":
            self.at += 1

    def skip_blank(self) -> bool:
        """Go to the next line with content; whether there is one."""
        while self.at < len(self._lines):
            stripped = self._lines[self.at].strip()
            if stripped and not stripped.startswith("#"):
                return True
            self.at += 1
        return False

    def _indent(self) -> int:
        line = self._lines[self.at]
        if line.lstrip(" ").startswith("\t"):
            raise ValueError(f"line {self.at + 1}: a tab")
        return len(line) - len(line.lstrip(" "))

    def mapping(self, indent: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self.skip_blank() and self._indent() == indent:
            match = _KEY.match(self._lines[self.at].strip())
            if match is None:
                raise ValueError(f"line {self.at + 1}: no key")
            key = match["key"].rstrip().strip("\"'")
            if key in found:
                raise ValueError(f"line {self.at + 1}: {key} twice")
            self.at += 1
            found[key] = self._value(match["rest"] or "", indent)
        return found

    def _value(self, rest: str, indent: int) -> Any:
        block = _BLOCK.match(rest)
        if block is not None:
            return self._block(block["style"], block["chomp"], indent)
        if not rest or rest.startswith("#"):
            return self._nested(indent)
        if rest.startswith(("[", "{")):
            return self._inline(rest, indent)
        return scalar(self._joined(rest, indent), self.at)

    def _nested(self, indent: int, *, item: bool = False) -> Any:
        """What stands below a key, or a dash: ``item``."""
        if not self.skip_blank():
            return None
        inner = self._indent()
        content = self._lines[self.at].strip()
        if _DASH.match(content):
            return self._list(inner) if inner >= indent + item else None
        if inner <= indent:
            return None
        if _KEY.match(content):
            return self.mapping(inner)
        self.at += 1
        return self._value(content, indent)

    def _list(self, indent: int) -> list[Any]:
        items: list[Any] = []
        while self.skip_blank() and self._indent() == indent:
            content = self._lines[self.at].strip()
            dash = _DASH.match(content)
            if dash is None:
                break
            item = content[dash.end() :]
            if _KEY.match(item) or _DASH.match(item):
                # what follows the dash begins a mapping or list that stands where it stands
                inner = indent + dash.end()
                self._lines[self.at] = " " * inner + item
                items.append(self.mapping(inner) if _KEY.match(item) else self._list(inner))
                continue
            self.at += 1
            none = not item or item.startswith("#")
            items.append(self._nested(indent, item=True) if none else self._value(item, indent))
        return items

    def _inline(self, first: str, indent: int) -> Any:
        """A list or mapping in brackets, which may go on in lines that stand further in.

        What closes it may stand where its key stands.
        """
        parts = [first]
        while self.skip_blank():
            line = self._lines[self.at].strip()
            ends = self._indent() == indent and line.startswith(("]", "}"))
            if self._indent() <= indent and not ends:
                break
            parts.append(line)
            self.at += 1
        inline = _Inline("\n".join(parts), self.at)
        try:
            value = inline.value()
        except _GoesOn:
            raise ValueError(f"line {self.at}: a bracket that does not close") from None
        if inline.rest() and not re.match(r"\s+#", inline.rest()):
            raise ValueError(f"line {self.at}: more behind a bracket")
        return value

    def _joined(self, first: str, indent: int) -> str:
        """A text that goes on in lines that stand further in."""
        quote = first[0] if first[0] in "\"'" else ""
        parts = [first if quote else _uncommented(first)]
        is_open = not quote or _stays_open(first[1:], quote)
        while self.at < len(self._lines) and is_open:
            line = self._lines[self.at]
            if not line.strip():
                parts.append("\n")
            elif self._indent() <= indent or (not quote and line.strip().startswith("#")):
                break
            elif not quote and _KEY.match(line.strip()):
                raise ValueError(f"line {self.at + 1}: a key inside a text")
            else:
                gap = "" if parts[-1].endswith("\n") else " "
                parts.append(gap + (line.strip() if quote else _uncommented(line.strip())))
                is_open = not quote or _stays_open(line, quote)
            self.at += 1
        return "".join(parts).rstrip("\n") if not quote else "".join(parts)

    def _block(self, style: str, chomp: str, indent: int) -> str:
        lines: list[str] = []
        inner = 0
        while self.at < len(self._lines):
            line = self._lines[self.at]
            if line.strip():
                depth = len(line) - len(line.lstrip(" "))
                if depth <= indent:
                    break
                inner = inner or depth
                if depth < inner:
                    break
                lines.append(line[inner:])
            else:
                lines.append(line[inner:] if inner and len(line) > inner else "")
            self.at += 1
        end = len(lines)
        while end and not lines[end - 1].strip():
            end -= 1
        body = "\n".join(lines[:end]) if style == "|" else _folded(lines[:end])
        unended = self.at >= len(self._lines) and end == len(lines)
        if chomp == "-" or not body or unended:
            return body
        return body + "\n" * (len(lines) - end + 1 if chomp == "+" else 1)


def scalar(text: str, line: int) -> Any:
    """The text that a plain or quoted one stands for, None for null."""
    if text.startswith("'"):
        if not re.fullmatch(r"'(?:[^']|'')*'\s*(?:#.*)?", text):
            raise ValueError(f"line {line}: a quote that does not end")
        return text[1 : text.rindex("'")].replace("''", "'")
    if text.startswith('"'):
        match = re.fullmatch(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?', text, re.DOTALL)
        if match is None:
            raise ValueError(f"line {line}: a quote that does not end")
        return re.sub(r"\\(.)", lambda found: _escape(found, line), match[1])
    if text.startswith(_ODD_START) or text.startswith(("- ", "? ")):
        raise ValueError(f"line {line}: more YAML than is read here")
    return None if text in ("", "null", "~", "Null", "NULL") else text


def _escape(found: re.Match[str], line: int) -> str:
    if found[1] not in _ESCAPES:
        raise ValueError(f"line {line}: the escape \\{found[1]}")
    return _ESCAPES[found[1]]


class _GoesOn(Exception):
    """A bracket is still open at the end of what there is."""


class _Inline:
    """Reads ``[a, "b"]`` and ``{or: [a, b]}``."""

    _QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
    _PLAIN = re.compile(r"(?:[^,\[\]{}:#\n]|:(?=\S)(?![,\[\]{}])|(?<=\S)#|\n(?=\s*[^\s,\]}]))+")
    _BLANK = re.compile(r"(?:\s|(?<=\s)#[^\n]*)+")

    def __init__(self, text: str, line: int) -> None:
        self._text = text
        self._line = line
        self._at = 0

    def rest(self) -> str:
        """What stands behind the value."""
        return self._text[self._at :].rstrip()

    def value(self) -> Any:
        """The list, mapping or text that begins here. Raises `_GoesOn` or `ValueError`."""
        opens = self._next()
        if opens == "[":
            return [item for item, _ in self._items("]")]
        if opens == "{":
            return self._mapping()
        return self._scalar()

    def _mapping(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in self._items("}"):
            if not isinstance(key, str) or key in found:
                raise ValueError(f"line {self._line}: a key that is no text, or twice")
            found[key] = value
        return found

    def _items(self, end: str) -> Iterator[tuple[Any, Any]]:
        """Items up to a bracket, each with the value behind its colon, where it has one."""
        self._at += 1
        while self._next() != end:
            item, value = self.value(), None
            if self._next() == ":":
                if end == "]":
                    raise ValueError(f"line {self._line}: a key in a list")
                self._at += 1
                value = self.value() if self._next() not in (",", end) else None
            yield item, value
            if self._next() == ",":
                self._at += 1
            elif self._next() != end:
                raise ValueError(f"line {self._line}: no comma between two items")
        self._at += 1

    def _next(self) -> str:
        """The next sign that is not blank."""
        blank = self._BLANK.match(self._text, self._at)
        if blank is not None:
            self._at = blank.end()
        if self._at >= len(self._text):
            raise _GoesOn
        return self._text[self._at]

    def _scalar(self) -> Any:
        quoted = self._text[self._at] in "\"'"
        match = (self._QUOTED if quoted else self._PLAIN).match(self._text, self._at)
        if match is None:
            if quoted:
                raise _GoesOn
            raise ValueError(f"line {self._line}: more YAML than is read here")
        self._at = match.end()
        return scalar(" ".join(match[0].split()) if not quoted else match[0], self._line)


def _folded(lines: list[str]) -> str:
    """Lines as one, but for blank lines and lines that stand further in."""
    text = ""
    blank = 0
    before_plain = False
    for line in lines:
        if not line.strip():
            blank += 1
            continue
        plain = not line.startswith((" ", "\t"))
        if text:
            if plain and before_plain:
                text += "\n" * blank if blank else " "
            else:
                text += "\n" * (blank + 1)
        else:
            text += "\n" * blank
        text += line
        blank, before_plain = 0, plain
    return text


def _uncommented(text: str) -> str:
    comment = re.search(r"\s#", text)
    return text[: comment.start()].rstrip() if comment else text.rstrip()


def _stays_open(text: str, quote: str) -> bool:
    """Whether a text in quotes goes on behind one of its lines."""
    inner = r"(?:[^']|'')*" if quote == "'" else r'(?:[^"\\]|\\.)*'
    return re.fullmatch(inner, text) is not None
