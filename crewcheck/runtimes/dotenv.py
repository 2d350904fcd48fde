"""``.env`` files: what a project's own tools would take from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_LINE = re.compile(
    r"""[ \t]*(?:export[ \t]+)?(?P<key>[A-Za-z_][\w.\-]*)[ \t]*=[ \t]*
    (?:'(?P<single>[^']*)'[ \t]*(?:\#[^\n]*)?(?=\n|\Z)
    |"(?P<double>(?:[^"\\]|\\.)*)"[ \t]*(?:\#[^\n]*)?(?=\n|\Z)
    |(?P<plain>[^\n]*))""",
    re.VERBOSE | re.DOTALL,
)
_COMMENT = re.compile(r"(?:^|[ \t]+)#.*")
_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "$": "$", "'": "'"}


def parse_dotenv(
    text: str, environment: Mapping[str, str] | None = None
) -> tuple[dict[str, str], list[int]]:
    """The variables of a ``.env`` text, and the numbers of lines that are none.

    Quotes, ``export``, comments and values over several lines (in quotes) are understood;
    ``${NAME}`` and ``${NAME:-default}`` are filled in, from ``environment`` first, but not
    in single quotes. A later line wins.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    outer = environment or {}
    found: dict[str, str] = {}
    bad: list[int] = []

    def filled(value: str) -> str:
        def one(reference: re.Match[str]) -> str:
            name = reference[1]
            return outer.get(name) or found.get(name) or reference[2] or ""

        return _REFERENCE.sub(one, value)

    at, number = 0, 1
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].strip()
        match = _LINE.match(text, at) if line and not line.startswith("#") else None
        if match is not None:
            found[match["key"]] = _value(match, filled)
            end = match.end()
        elif line and not line.startswith("#") and not re.fullmatch(r"export\s+\w+", line):
            bad.append(number)
        number += text.count("\n", at, end) + 1
        at = end + 1
    return {key: value for key, value in found.items() if "\0" not in value}, bad


def _value(match: re.Match[str], filled: Callable[[str], str]) -> str:
    if match["single"] is not None:
        return match["single"]
    if match["double"] is not None:
        pieces = re.split(r"(\\.)", match["double"], flags=re.DOTALL)
        return "".join(
            _ESCAPES.get(piece[1], piece) if place % 2 else filled(piece)
            for place, piece in enumerate(pieces)
        )
    return filled(_COMMENT.sub("", match["plain"]).strip())
