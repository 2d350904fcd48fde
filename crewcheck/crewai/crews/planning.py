"""Crews that plan first: what a planner had said is at the end of the saved texts.

As long as the planner would be asked the same, it is not asked again. Else (another input, a
changed project, or there was no plan yet) it is, and its plans are for all tasks anew; tasks
that are done keep what was recorded of them, as in any other crew.
"""

from __future__ import annotations

import functools
from collections.abc import Set
from typing import Any

from crewcheck.crewai.crews import facts
from crewcheck.crewai.crews.pairing import Pairing
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.engine.invalidation import PENDING
from crewcheck.model.document import text
from crewcheck.model.identity import fill

WARNING = {
    "rule": "planned-again",
    "where": "",
    "message": "the planner is asked again, for it would be told something else",
}

_texts: dict[int, tuple[Any, list[str]]] = {}


def is_planned(crew: Any, saved: SavedCrew) -> bool:
    """Whether the plan had been made when the checkpoint was written."""
    if any(state != PENDING for state in saved.states):
        return True
    return any(
        (text(old.get("description")) or "")
        not in (facts.template(task), fill(facts.template(task), saved.inputs or {}))
        for task, old in zip(crew.tasks, saved.tasks, strict=False)
    )


def _is_reused(crew: Any, saved: SavedCrew, pairing: Pairing, changed: Set[str]) -> bool:
    named = facts.names(crew, 0)
    return (
        bool(crew.planning)
        and saved.plans
        and pairing.unchanged
        and not named & changed
        and is_planned(crew, saved)
    )


def asks_again(crew: Any, saved: SavedCrew, pairing: Pairing, changed: Set[str]) -> bool:
    """Whether a plan was there, and is made anew. ``changed`` are names of inputs."""
    planned = bool(crew.planning) and saved.plans and is_planned(crew, saved)
    return planned and not _is_reused(crew, saved, pairing, changed)


def arm(crew: Any, saved: SavedCrew, pairing: Pairing, changed: Set[str]) -> None:
    """Give the tasks their saved texts in the planner's place, where they are still right."""
    if not _is_reused(crew, saved, pairing, changed):
        return
    from crewai import Crew

    plan = Crew._handle_crew_planning
    if not hasattr(plan, "__wrapped__"):
        Crew._handle_crew_planning = _wrapped(plan)
    texts = [text(old.get("description")) or "" for old in saved.tasks]
    _texts[id(crew)] = (crew, texts)


def disarm(crew: Any) -> None:
    """From now on the planner is asked."""
    _texts.pop(id(crew), None)


def _wrapped(plan: Any) -> Any:
    @functools.wraps(plan)
    def planned(self: Any) -> Any:
        owner, texts = _texts.get(id(self), (None, []))
        if owner is not self:
            return plan(self)
        for task, description in zip(self.tasks, texts, strict=True):
            task.description = description
        return None

    return planned
