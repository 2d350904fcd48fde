"""What a flow returned, as a text. Stdlib only and Python 3.10."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.model.document import text


def result_text(value: Any) -> str:
    """A JSON value as a text: a crew's result its text, else JSON; nothing for null."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raw = text(value.get("raw")) if isinstance(value, dict) else None
    return raw if raw is not None else json.dumps(value, ensure_ascii=False, default=str)


def recorded_result(events: Iterable[Mapping[str, Any]], name: str | None) -> str:
    """What a flow that has finished returned. ``events`` must be in order."""
    found = ""
    for event in events:
        if event.get("type") == "flow_finished" and text(event.get("flow_name")) == name:
            found = result_text(event.get("result"))
    return found
