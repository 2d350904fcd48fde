"""The checkpoint that a run starts from, read for the child."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.model.document import is_document, text

Entity = Mapping[str, Any]


class Saved:
    """What the user started, as it was saved. ``events`` are in order.

    Subclasses are one for each kind of entity.
    """

    kind = ""

    def __init__(
        self, document: Mapping[str, Any], checkpoint_id: str, events: list[Entity], entity: Entity
    ) -> None:
        self.document = document
        self.checkpoint_id = checkpoint_id
        self.events = events
        self.entity = entity
        self.name = text(entity.get("name"))
        self.branch = text(document.get("branch")) or "main"
        self.inputs: dict[str, Any] | None = None
        #: what earlier runs had done behind the checkpoint, as far as models and tools are asked
        self.later: list[Entity] = []

    def take_later(self, events: list[Entity]) -> None:
        """Take the events of work that earlier runs had not brought to a checkpoint."""
        self.later = events

    @property
    def finished(self) -> bool:
        """Whether no work is pending."""
        raise NotImplementedError

    @property
    def ended(self) -> bool:
        """Whether a kickoff would do nothing more."""
        return self.finished

    @property
    def result(self) -> str:
        """The text of a finished run."""
        raise NotImplementedError

    def view(self) -> dict[str, Any]:
        """What a check of the user's is shown besides the document (`validate`)."""
        raise NotImplementedError


def load_document(place: object) -> Mapping[str, Any]:
    """The document in a JSON file, or the one that is given. Raises `Refusal`."""
    if isinstance(place, dict):
        return place
    path = str(place)
    try:
        with open(path, encoding="utf-8-sig") as file:
            value = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise Refusal("unreadable", f"the checkpoint cannot be read: {error}") from None
    if not is_document(value):
        raise Refusal("not-a-checkpoint", "the file is JSON, but not a checkpoint")
    document: Mapping[str, Any] = value
    return document
