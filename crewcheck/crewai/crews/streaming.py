"""Crews that stream: their kickoff returns chunks, and they run while those are taken."""

from __future__ import annotations

from typing import Any


def whole(result: Any) -> Any:
    """What a kickoff came to: where it streams, after all of it has been taken."""
    if type(result).__name__ != "CrewStreamingOutput":
        return result
    for _ in result:
        pass
    return result.result
