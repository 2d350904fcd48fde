"""The flow classes of the project around a store, as its text has them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from crewcheck.engine.flow_plan import Step
from crewcheck.errors import UsageProblem
from crewcheck.runtimes.project import find_project
from crewcheck.runtimes.static_look import Look, look_at
from crewcheck.runtimes.static_match import match_flow


class FlowClasses:
    """A look at the project, kept: `read` takes as long as the project is big."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._look: Look | None = None

    def read(self) -> bool:
        """Look at the project (again); whether its classes are others than before."""
        try:
            project = find_project(os.path.abspath(self._location))
            look = look_at(project.folder, project.path)
        except (UsageProblem, OSError):
            look = Look()
        before, self._look = self._look, look
        return before is None or before.candidates != look.candidates

    def steps(self, name: str | None, methods: Iterable[str]) -> tuple[Step, ...] | None:
        """The methods of a flow's class; None where it is not found for certain, or `read`
        has not been called."""
        return steps_in(self._look, name, methods) if self._look is not None else None


def steps_in(look: Look, name: str | None, methods: Iterable[str]) -> tuple[Step, ...] | None:
    """The methods of the class that made these calls, None where it is not certain which."""
    matches = match_flow(look, name, sorted(set(methods)))
    if len(matches) == 1 and matches[0].certain:
        return matches[0].candidate.steps
    return None
