"""JSON as CrewAI's project files have it: with comments, and commas behind the last item."""

from __future__ import annotations

import json
import re
from typing import Any

#: What is left alone is a group: a text, and what does not end, which goes on to the end of the
#: file, so that no place is looked at twice.
_TEXT = r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))'
_COMMENT = re.compile(_TEXT + r"|//[^\r\n]*|/\*.*?\*/|(/\*.*)", re.DOTALL)
_COMMA = re.compile(_TEXT + r"|,(?=\s*[}\]])", re.DOTALL)


def read_jsonc(text: str) -> Any:
    """What a text says. Raises `ValueError`, also for what is nested too deeply."""
    for left_out in (_COMMENT, _COMMA):
        text = left_out.sub(lambda part: part[part.lastindex] if part.lastindex else "", text)
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
