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
    """Looks at the project, kept by the flows' names: `read` takes as long as the project is
    big."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._looks: dict[str, Look] = {}

    def read(self, name: str) -> bool:
        """Look (again) for the class of a flow; whether what was found is another than before."""
        try:
            project = find_project(os.path.abspath(self._location))
            look = look_at(project.folder, project.path, name)
        except (UsageProblem, OSError):
            look = Look()
        before = self._looks.get(name)
        self._looks[name] = look
        return before is None or before.candidates != look.candidates

    def steps(self, name: str | None, methods: Iterable[str]) -> tuple[Step, ...] | None:
        """The methods of a flow's class; None where it is not found for certain, or `read`
        has not been called."""
        look = self._looks.get(name or "")
        return steps_in(look, name, methods) if look is not None else None


def steps_in(look: Look, name: str | None, methods: Iterable[str]) -> tuple[Step, ...] | None:
    """The methods of the class that made these calls, None where it is not certain which."""
    matches = match_flow(look, name, sorted(set(methods)))
    if len(matches) == 1 and matches[0].certain:
        return matches[0].candidate.steps
    return None
