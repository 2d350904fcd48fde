"""The errors that a person may meet, and the exit codes they end with.

Every failure that bad input can cause is a :class:`CrewcheckError`: one line that names
the thing and the reason, a hint that names the way out, and the exit code.
"""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of the commands. They are promises."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    UNREADABLE = 4
    REFUSED = 5
    PAUSED = 6
    INTERRUPTED = 130


class CrewcheckError(Exception):
    """Something went wrong that can be said in one line.

    ``message`` names the thing and the reason, ``hint`` the way out (may be empty).
    """

    exit_code: Exit = Exit.FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class UsageProblem(CrewcheckError):
    """The call itself is off."""

    exit_code = Exit.USAGE


class NotFound(CrewcheckError):
    """No such store, checkpoint or part of one, or a reference that fits several."""

    exit_code = Exit.NOT_FOUND


class Unreadable(CrewcheckError):
    """A store or checkpoint that is there but cannot be read."""

    exit_code = Exit.UNREADABLE


class Refused(CrewcheckError):
    """Possible, but not done: it would be unsafe, or needs an answer."""

    exit_code = Exit.REFUSED
