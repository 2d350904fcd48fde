"""As much YAML as CrewAI's project files are made of, read without a YAML library.

Mappings, lists, plain and quoted texts, and the block texts ``|`` and ``>``. Anything
else (anchors, tags, flow mappings, several documents) is a `ValueError`: then the texts
are not known, which is better than a wrong guess.
"""

from __future__ import annotations

import re
from typing import Any

_KEY = re.compile(r"""(?P<key>[A-Za-z_][\w.\- ]*?|"[^"\\]*"|'[^']*')\s*:(?:\s+(?P<rest>.*))?$""")
_BLOCK = re.compile(r"(?P<style>[|>])(?P<chomp>[+-]?)(?:\s+#.*)?$")
_ODD_START = tuple("&*!{%@`")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/", "r": "\r", "0": "\0"}


def read_yaml(text: str) -> dict[str, Any]:
    """The mapping in a text: texts, lists and mappings. Raises `ValueError`."""
    lines = _Lines(text)
    value = lines.mapping(0) if lines.skip_blank() else {}
    if lines.skip_blank():
        raise ValueError(f"line {lines.at + 1}: indentation")
    return value


class _Lines:
    def __init__(self, text: str) -> None:
        self._lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
        self.at = 0
        if self._lines and self._lines[0].strip() == "---":
            self.at = 1

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
            key = match["key"].strip("\"'")
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
        if rest.startswith("["):
            return self._inline_list(rest)
        return self._scalar(self._joined(rest, indent))

    def _nested(self, indent: int) -> Any:
        if not self.skip_blank():
            return None
        inner = self._indent()
        content = self._lines[self.at].strip()
        if content.startswith("- ") or content == "-":
            return self._list(inner) if inner >= indent else None
        if inner <= indent:
            return None
        if _KEY.match(content):
            return self.mapping(inner)
        self.at += 1
        return self._scalar(self._joined(content, indent))

    def _list(self, indent: int) -> list[Any]:
        items: list[Any] = []
        while self.skip_blank() and self._indent() == indent:
            content = self._lines[self.at].strip()
            if not content.startswith("- "):
                break
            self.at += 1
            item = content[2:].strip()
            if _BLOCK.match(item) or item.startswith(("[", "- ")) or _KEY.match(item):
                raise ValueError(f"line {self.at}: a list of more than texts")
            items.append(self._scalar(self._joined(item, indent)))
        return items

    def _inline_list(self, rest: str) -> list[Any]:
        inner = _uncommented(rest)
        if not inner.endswith("]") or any(sign in inner[1:-1] for sign in "[]{}\"'"):
            raise ValueError(f"line {self.at}: a list over several lines, or of more than names")
        return [self._scalar(one.strip()) for one in inner[1:-1].split(",") if one.strip()]

    def _joined(self, first: str, indent: int) -> str:
        """A text that goes on in lines that stand further in."""
        quote = first[0] if first[0] in "\"'" else ""
        parts = [first if quote else _uncommented(first)]
        while self.at < len(self._lines) and not (quote and _closed("".join(parts), quote)):
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
            self.at += 1
        return "".join(parts).rstrip("\n") if not quote else "".join(parts)

    def _scalar(self, text: str) -> Any:
        if text.startswith("'"):
            if not re.fullmatch(r"'(?:[^']|'')*'\s*(?:#.*)?", text):
                raise ValueError(f"line {self.at}: a quote that does not end")
            return text[1 : text.rindex("'")].replace("''", "'")
        if text.startswith('"'):
            match = re.fullmatch(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?', text, re.DOTALL)
            if match is None:
                raise ValueError(f"line {self.at}: a quote that does not end")
            return re.sub(r"\\(.)", self._escape, match[1])
        if text.startswith(_ODD_START) or text.startswith(("- ", "? ")):
            raise ValueError(f"line {self.at}: more YAML than is read here")
        return None if text in ("null", "~", "Null", "NULL") else text

    def _escape(self, found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            raise ValueError(f"line {self.at}: the escape \\{found[1]}")
        return _ESCAPES[found[1]]

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
    return re.split(r"\s+#", text, maxsplit=1)[0].rstrip()


def _closed(text: str, quote: str) -> bool:
    if quote == "'":
        return re.fullmatch(r"'(?:[^']|'')*'\s*(?:#.*)?", text, re.DOTALL) is not None
    return re.fullmatch(r'"(?:[^"\\]|\\.)*"\s*(?:#.*)?', text, re.DOTALL) is not None
