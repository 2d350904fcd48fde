"""All checks of one document, whatever lies around it."""

from __future__ import annotations

from collections.abc import Iterator

from crewcheck.engine.checks import (
    events,
    losses,
    practice,
    progress,
    references,
    schemas,
    shape,
)
from crewcheck.engine.checks.subject import Flaw, Subject

_OF_A_DOCUMENT = (
    shape.check,
    progress.check,
    references.check,
    events.check,
    schemas.check,
    losses.check,
    practice.check,
)


def flaws_of(subject: Subject) -> Iterator[Flaw]:
    """What is wrong in a document itself."""
    for check in _OF_A_DOCUMENT:
        yield from check(subject)
