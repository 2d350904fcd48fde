"""``.env`` files, read as python-dotenv reads them: CrewAI and its projects use that."""

from __future__ import annotations

import re
from collections.abc import Mapping

_BLANK = re.compile(r"\s*")
_EXPORT = re.compile(r"(?:export[^\S\n]+)?")
_KEY = re.compile(r"'([^']+)'|([^'=#\s][^=#\s]*)")
_EQUALS = re.compile(r"[^\S\n]*(=([^\S\n]*))?")
_SINGLE = re.compile(r"'((?:\\.|[^'\\])*)'", re.DOTALL)
_DOUBLE = re.compile(r'"((?:\\.|[^"\\])*)"', re.DOTALL)
_PLAIN = re.compile(r"[^\n]*")
_END = re.compile(r"(?:[^\S\n]*#[^\n]*)?[^\S\n]*(?:\n|\Z)")
_REFERENCE = re.compile(r"\$\{([^}:]*)(?::-([^}]*))?\}")
_ESCAPES = {
    "'": {"\\": "\\", "'": "'"},
    '"': {"\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n",
          "r": "\r", "t": "\t", "v": "\v"},
}  # fmt: skip


def parse_dotenv(
    text: str, environment: Mapping[str, str] | None = None
) -> tuple[dict[str, str], list[int]]:
    """The variables of a ``.env`` text, and the numbers of lines that cannot be read.

    Quotes, ``export``, comments and values over several lines (in quotes) are understood;
    ``${NAME}`` and ``${NAME:-default}`` are filled in, from ``environment`` first. A later
    line wins. A name without a value sets nothing.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    outer = environment or {}
    found: dict[str, str | None] = {}
    bad: list[int] = []

    def one(reference: re.Match[str]) -> str:
        name = reference[1]
        return (outer[name] if name in outer else found.get(name, reference[2])) or ""

    at = 0
    while (at := _after(_BLANK, text, at)) < len(text):
        begin = at
        key, value, at, good = _binding(text, at)
        if not good:
            bad.append(text.count("\n", 0, begin) + 1)
            at = _after(_PLAIN, text, at)
        elif key is not None:
            found[key] = None if value is None else _REFERENCE.sub(one, value)
    return {
        key: value for key, value in found.items() if value is not None and "\0" not in key + value
    }, bad


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _binding(text: str, at: int) -> tuple[str | None, str | None, int, bool]:
    """``NAME=VALUE`` or a comment from a place on: the name and value, the place behind them,
    and whether they could be read (else the place where they could not)."""
    key: str | None = None
    value: str | None = None
    at = _after(_EXPORT, text, at)
    if not text.startswith("#", at):
        match = _KEY.match(text, at)
        if match is None:
            return None, None, at, False
        key, at = match[1] or match[2], match.end()
        equals = _EQUALS.match(text, at)
        assert equals is not None
        at = equals.end()
        if equals[1]:
            # behind a space a comment begins, and the value is empty
            comment = bool(equals[2]) and text.startswith("#", at)
            value, at = ("", at) if comment else _value(text, at)
            if value is None:
                return None, None, at, False
    end = _END.match(text, at)
    return (key, value, at, False) if end is None else (key, value, end.end(), True)


def _value(text: str, at: int) -> tuple[str | None, int]:
    """The value that begins here, and the place behind it; None for a quote that stays open."""
    quote = text[at : at + 1]
    if quote in ("'", '"'):
        match = (_SINGLE if quote == "'" else _DOUBLE).match(text, at)
        if match is None:
            return None, at
        escapes = _ESCAPES[quote]
        decoded = re.sub(
            r"\\(.)", lambda one: escapes.get(one[1], one[0]), match[1], flags=re.DOTALL
        )
        return decoded, match.end()
    end = _after(_PLAIN, text, at)
    return re.sub(r"\s+#.*", "", text[at:end]).rstrip(), end
