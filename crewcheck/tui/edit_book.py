"""What a person has changed and not forked yet, for each checkpoint, with a way back."""

from __future__ import annotations

from typing import Any

from crewcheck.model.edits import Edits
from crewcheck.model.json_path import Path
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
        """Change a task's output (``was`` None: it has none). Whether anything has changed.

        Here as in the others, giving back what was recorded takes the edit back.
        """
        recorded = {} if was is None else {index: was}
        return self._set(identity, "outputs", index, value, recorded, said)

    def set_input(
        self, identity: Identity, name: str, value: Any, given: dict[str, Any] | None, said: str
    ) -> bool:
        """Change or add an input. Types count: 3 and "3" are two values."""
        return self._set(identity, "inputs", name, value, given or {}, said)

    def set_result(
        self, identity: Identity, index: int, value: Any, recorded: dict[int, Any], said: str
    ) -> bool:
        """Change the result of a call; ``recorded`` holds it if the call has one."""
        return self._set(identity, "results", index, value, recorded, said)

    def set_state(self, identity: Identity, changes: dict[Path, Any], said: str) -> bool:
        """Change a flow's state at these places, and nowhere else."""
        before = self.of(identity).state
        if before.keys() == changes.keys() and all(
            same_json(before[path], value) for path, value in changes.items()
        ):
            return False
        self._step(identity, said).state = dict(changes)
        return True

    def _set(
        self, identity: Identity, part: str, key: Any, value: Any, recorded: dict[Any, Any],
        said: str,
    ) -> bool:  # fmt: skip
        """Change one thing of a part of the edits (a field of `Edits`)."""
        edited = getattr(self.of(identity), part)
        now = edited if key in edited else recorded
        if key in now and same_json(now[key], value):
            return False
        edited = getattr(self._step(identity, said), part)
        if key in recorded and same_json(recorded[key], value):
            edited.pop(key, None)
        else:
            edited[key] = value
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
        """New edits, to be changed; those before can be brought back."""
        before = self.of(identity)
        steps = self._before.setdefault(identity, [])
        steps.append((said, before))
        del steps[:-MOST_STEPS]
        made = self._edits[identity] = before.copy()
        return made


def number_of(edits: Edits) -> int:
    return len(edits.inputs) + len(edits.outputs) + len(edits.results) + len(edits.state)
