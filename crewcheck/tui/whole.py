"""What the app reads of a checkpoint only when a person asks for it: messages, and all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from crewcheck.engine.redaction import Redactor
from crewcheck.engine.showing import Shown
from crewcheck.errors import CrewcheckError
from crewcheck.model.messages import Conversation
from crewcheck.model.pretty import pieces
from crewcheck.model.scan import Checkpoint
from crewcheck.stores.base import Store


@dataclass(frozen=True, slots=True)
class Whole:
    """The conversations, and the document as indented JSON; secrets are masked in both."""

    conversations: tuple[Conversation, ...] = ()
    document: str = ""
    error: CrewcheckError | None = None


def read_whole(
    store: Store,
    checkpoint: Checkpoint,
    redactor: Redactor,
    cancelled: Callable[[], bool] = lambda: False,
) -> Whole | None:
    """Read a document once more, whole; None where nobody waits for it any more.

    Raises `CrewcheckError`.
    """
    shown = Shown(store, checkpoint, redactor)
    if cancelled():
        return None
    talks = tuple(shown.conversations())
    if cancelled():
        return None
    parts = []
    for part in pieces(shown.masked):
        if cancelled():
            return None
        parts.append(part)
    return Whole(talks, "".join(parts))
