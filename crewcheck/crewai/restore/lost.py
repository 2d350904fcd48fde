"""What a checkpoint does not hold of an object."""

from __future__ import annotations

from typing import Any


class Lost:
    """``told`` are the losses of a plan; first the doubts (``doubt`` is true): what may be lost
    and would change what comes out, and nothing tells."""

    def __init__(self) -> None:
        self._doubts: list[dict[str, Any]] = []
        self._known: list[dict[str, Any]] = []

    @property
    def told(self) -> list[dict[str, Any]]:
        return [*self._doubts, *self._known]

    def lose(self, rule: str, where: str, message: str) -> None:
        """Something is lost that changes neither what models are asked nor what comes out."""
        self._known.append({"rule": rule, "where": where, "message": message})

    def doubt(self, rule: str, where: str, message: str) -> None:
        """Something may be lost, and nothing tells whether there was any."""
        self._doubts.append({"rule": rule, "where": where, "message": message, "doubt": True})
