"""What the app reads of a checkpoint only when a person asks for it: messages, and all of it."""

from __future__ import annotations

from dataclasses import dataclass

from crewcheck.engine.redaction import Redactor
from crewcheck.engine.showing import Shown
from crewcheck.errors import CrewcheckError
from crewcheck.model.messages import Conversation
from crewcheck.model.pretty import pretty
from crewcheck.model.scan import Checkpoint
from crewcheck.stores.base import Store


@dataclass(frozen=True, slots=True)
class Whole:
    """The conversations, and the document as indented JSON; secrets are masked in both."""

    conversations: tuple[Conversation, ...] = ()
    document: str = ""
    error: CrewcheckError | None = None


def read_whole(store: Store, checkpoint: Checkpoint, redactor: Redactor) -> Whole:
    """Read a document once more, whole. Raises `CrewcheckError`."""
    shown = Shown(store, checkpoint, redactor)
    return Whole(tuple(shown.conversations()), pretty(shown.masked))
