"""Which task of the project is which one of the checkpoint.

Ids are new in each process, and a project may have gained, lost, moved or reworded a task
since. So tasks are told by their names and texts (`model.identity`); positions count only
where nothing has changed, or nothing else tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crewcheck.crewai.crews import facts
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.engine.invalidation import PENDING, SKIPPED
from crewcheck.model.document import mapping, text
from crewcheck.model.identity import POSITION, Traits, fill, match

DESCRIPTION, EXPECTED = "description", "expected_output"


@dataclass(frozen=True)
class Pairing:
    """``old``: for each task of the project its position in the checkpoint, None for a new
    one. ``gone``: positions in the checkpoint of tasks that the project no longer has.
    ``told``: positions in the project of those that a name or text tells, ``conditional`` of
    those that a condition can skip."""

    old: tuple[int | None, ...]
    gone: tuple[int, ...] = ()
    told: frozenset[int] = frozenset()
    conditional: frozenset[int] = frozenset()

    @property
    def unchanged(self) -> bool:
        """Whether the tasks are the same ones in the same order."""
        return not self.gone and self.old == tuple(range(len(self.old)))

    def new(self, old: int) -> int | None:
        """Where a task of the checkpoint is now."""
        return self.old.index(old) if old in self.old else None

    def states(self, saved: SavedCrew) -> list[str]:
        """How far each task of the project is.

        A document does not tell which tasks are conditional: others cannot have been skipped.
        """
        return [
            PENDING
            if old is None or (saved.states[old] == SKIPPED and index not in self.conditional)
            else saved.states[old]
            for index, old in enumerate(self.old)
        ]

    def task(self, saved: SavedCrew, index: int) -> Mapping[str, Any]:
        """What was saved of a task of the project; nothing of a new one."""
        old = self.old[index] if index < len(self.old) else None
        return {} if old is None else saved.tasks[old]


def pair(crew: Any, saved: SavedCrew) -> Pairing:
    """Find each task of the project in the checkpoint."""
    conditional = frozenset(i for i, task in enumerate(crew.tasks) if facts.is_conditional(task))
    both = list(zip(crew.tasks, saved.tasks, strict=False))
    alike = all(same_text(saved, old, task, DESCRIPTION) for task, old in both)
    if alike and len(crew.tasks) == len(saved.tasks):
        places = range(len(both))
        return Pairing(tuple(places), (), frozenset(places), conditional)
    # then the manager is the agent of what is done, or it is not known who has done it
    managed = facts.is_hierarchical(crew) or saved.partial
    mine = [_traits(task, saved, managed) for task in crew.tasks]
    theirs = [_saved_traits(saved, task, crew, managed) for task in saved.tasks]
    if saved.partial:  # those to come are not known, but their places are
        theirs += [Traits()] * (len(mine) - len(theirs))
    pairs = [
        (one.old, one.new, one.rule)
        for one in match(theirs, mine)
        if one.old is not None and one.old < len(saved.tasks)
    ]
    old_of = {new: old for old, new, _ in pairs if new is not None}
    return Pairing(
        tuple(old_of.get(index) for index in range(len(mine))),
        tuple(old for old, new, _ in pairs if new is None),
        frozenset(new for _, new, rule in pairs if new is not None and rule != POSITION),
        conditional,
    )


def _traits(task: Any, saved: SavedCrew, managed: bool) -> Traits:
    role = fill(facts.template(task.agent, "role"), saved.inputs or {}) if task.agent else None
    return Traits(
        name=text(getattr(task, "name", None)) or None,
        text=facts.template(task),
        owner=None if managed else role,
    )


def _saved_traits(saved: SavedCrew, old: Mapping[str, Any], crew: Any, managed: bool) -> Traits:
    # a text with the inputs or a plan in it is that of the task which it was made of
    same = (facts.template(one) for one in crew.tasks if same_text(saved, old, one, DESCRIPTION))
    return Traits(
        name=text(old.get("name")) or None,
        text=next(same, saved_template(old, DESCRIPTION)),
        owner=None if managed else text(mapping(old.get("agent")).get("role")),
    )


def saved_template(old: Mapping[str, Any], field: str) -> str:
    """A saved text before the inputs were filled in, as far as it was kept."""
    return text(old.get(f"checkpoint_original_{field}")) or text(old.get(field)) or ""


def same_text(saved: SavedCrew, old: Mapping[str, Any], task: Any, field: str) -> bool:
    """Whether a text of a task is the one that was saved."""
    mine = facts.template(task, field)
    if saved_template(old, field) == mine:
        return True
    if text(old.get(f"checkpoint_original_{field}")) is not None:
        return False
    # never filled in (no inputs), or of CrewAI 1.14.1, which keeps no templates
    value = text(old.get(field)) or ""
    texts = (mine, fill(mine, saved.inputs or {}))
    return value in texts or (
        field == DESCRIPTION and saved.plans and value.startswith(texts)  # the plan follows
    )
