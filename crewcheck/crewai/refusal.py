"""Why a run is not begun, or not gone on with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Refusal(Exception):
    """Nothing has run, and nothing will. ``rule`` is stable; ``differences`` are lines."""

    def __init__(
        self, rule: str, message: str, hint: str = "", differences: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.hint = hint
        self.differences = list(differences)

    def as_message(self) -> dict[str, Any]:
        """The fields of a ``refused`` message."""
        return {
            "reason": self.rule,
            "message": self.message,
            "hint": self.hint,
            "differences": self.differences,
        }


class Aborted(Exception):
    """The person said no to the plan, or nobody is there any more."""
