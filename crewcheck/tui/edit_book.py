"""What a person has changed and not forked yet, for each checkpoint, with a way back."""

from __future__ import annotations

import copy
from typing import Any

from crewcheck.model.edits import Edits
from crewcheck.model.json_values import same_json
from crewcheck.model.scan import Checkpoint

#: So many steps back there are for a checkpoint.
MOST_STEPS = 200

#: The key of a checkpoint and its id.
Identity = tuple[str | int, str]


def identity_of(checkpoint: Checkpoint) -> Identity:
    """What edits are kept under: it outlives a refresh of the store."""
    return checkpoint.header.key, checkpoint.id


class EditBook:
    """Edits by checkpoint. Nothing here is written anywhere before a fork is."""

    def __init__(self) -> None:
        self._edits: dict[Identity, Edits] = {}
        self._before: dict[Identity, list[tuple[str, Edits]]] = {}

    def of(self, identity: Identity) -> Edits:
        """The edits of a checkpoint. They are not to be changed from outside."""
        return self._edits.get(identity) or Edits()

    def count(self, identity: Identity) -> int:
        edits = self._edits.get(identity)
        return number_of(edits) if edits is not None else 0

    @property
    def total(self) -> int:
        """All edits, wherever they are."""
        return sum(map(number_of, self._edits.values()))

    def identities(self) -> list[tuple[str | int, str]]:
        """Of which checkpoints there are edits."""
        return [one for one, edits in self._edits.items() if edits]

    @property
    def can_undo(self) -> bool:
        """Whether there is a step back anywhere."""
        return any(self._before.values())

    @property
    def places(self) -> int:
        """How many checkpoints have edits."""
        return sum(1 for edits in self._edits.values() if edits)

    def set_output(
        self, identity: Identity, index: int, value: str, was: str | None, said: str
    ) -> bool:
        """Change a task's output; giving it what it was takes the edit back.

        Returns whether anything has changed.
        """
        before = self.of(identity)
        if value == before.outputs.get(index, was):
            return False
        edits = self._step(identity, said)
        if value == was:
            edits.outputs.pop(index, None)
        else:
            edits.outputs[index] = value
        return True

    def set_input(
        self, identity: Identity, name: str, value: Any, given: dict[str, Any] | None, said: str
    ) -> bool:
        """Change or add an input. Types count: 3 and "3" are two values."""
        recorded = given or {}
        now = self.of(identity).inputs
        current = now if name in now else recorded
        if name in current and same_json(current[name], value):
            return False
        edits = self._step(identity, said)
        if name in recorded and same_json(recorded[name], value):
            edits.inputs.pop(name, None)
        else:
            edits.inputs[name] = value
        return True

    def undo(self, identity: Identity) -> str | None:
        """Take the last step back, and say which; None where there is none."""
        steps = self._before.get(identity)
        if not steps:
            return None
        said, before = steps.pop()
        self._edits[identity] = before
        return said

    def drop(self, identity: Identity) -> int:
        """Take all edits of a checkpoint back; `undo` brings them again."""
        count = self.count(identity)
        if count:
            self._step(identity, "dropping the edits")
            self._edits[identity] = Edits()
        return count

    def forget(self, identity: Identity) -> None:
        """The edits are in a fork now."""
        self._edits.pop(identity, None)
        self._before.pop(identity, None)

    def _step(self, identity: Identity, said: str) -> Edits:
        edits = self._edits.setdefault(identity, Edits())
        steps = self._before.setdefault(identity, [])
        steps.append((said, Edits(dict(edits.inputs), dict(edits.outputs))))
        del steps[:-MOST_STEPS]
        made = copy.copy(edits)
        made.inputs, made.outputs = dict(edits.inputs), dict(edits.outputs)
        self._edits[identity] = made
        return made


def number_of(edits: Edits) -> int:
    return len(edits.inputs) + len(edits.outputs)
