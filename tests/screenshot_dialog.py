"""The app's dialog with a run that is told, in the place of one that it would start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from crewcheck.engine.running import Prepared, Wish
from crewcheck.engine.source import Source
from crewcheck.runtimes.interpreter import Interpreter
from crewcheck.runtimes.project import Project
from crewcheck.runtimes.spawn import RunHandle
from crewcheck.runtimes.spec import RunSpec
from crewcheck.tui import launching


@contextmanager
def instead(
    run: Path,
    store: Path,
    project: str,
    branch: str,
    where: str,
    spec: Callable[[Source, Wish], RunSpec],
) -> Iterator[None]:
    """Let the dialog find the run in a folder. ``where`` is how its object was found; ``spec``
    is called when the run would be prepared."""

    def prepare(source: Source, wish: Wish) -> Prepared:
        python = Interpreter(f"{project}/.venv/bin/python", "the project's .venv", "1.15.30")
        made = spec(source, wish)
        return Prepared(source, wish, branch, Project(project, None), python, made, where, [])

    with (
        patch.object(launching, "prepare", prepare),
        patch.object(launching, "start", lambda _prepared: RunHandle(run)),
        patch.object(launching, "project_of", lambda _source: Project(str(store), None)),
    ):
        yield
