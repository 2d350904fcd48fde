"""JSON as CrewAI's project files have it: with comments, and commas behind the last item."""

from __future__ import annotations

import json
import re
from typing import Any

#: Each with the texts, which are left alone.
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def read_jsonc(text: str) -> Any:
    """What a text says. Raises `ValueError`, also for what is nested too deeply."""
    for left_out in (_COMMENT, _COMMA):
        text = left_out.sub(lambda part: part[1] or "", text)
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
