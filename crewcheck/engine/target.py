"""Where a fork is written: into its source's own store, or into another one."""

from __future__ import annotations

import os
from dataclasses import dataclass

from crewcheck.engine.source import Source
from crewcheck.errors import Refused, UsageProblem
from crewcheck.runtimes.project import find_project
from crewcheck.stores.base import Capability, WritableStore, writable
from crewcheck.stores.detect import DEFAULT_DATABASE, DEFAULT_FOLDER, open_path
from crewcheck.stores.json_dir import JsonDirStore


@dataclass(frozen=True, slots=True)
class Target:
    """A store that a fork is written into; ``own``: the one in which its source is."""

    store: WritableStore
    own: bool

    @property
    def location(self) -> str:
        return os.path.abspath(self.store.location)

    def branches(self) -> set[str]:
        """The branches that it has. None where it is not there yet."""
        if not os.path.exists(self.store.location):
            return set()
        return {one.branch for one in self.store.scan(names_only=True).headers}


def target_of(source: Source, into: str | None = None) -> Target:
    """Where a checkpoint's fork goes; ``into`` is a path that a person named.

    A store that is not there yet is a folder, or a database if it is named like one, which
    must be there. Raises `Refused`, `NotFound`, `Unreadable` or `UsageProblem`.
    """
    own = source.catalog.store
    if into is None or os.path.abspath(into) == os.path.abspath(own.location):
        return Target(writable(own), True)
    if own.kind == "task-outputs" or Capability.WRITE in own.capabilities:
        if os.path.exists(into) or "://" in into:
            return Target(writable(open_path(into).store), False)
        if into.endswith((".db", ".sqlite", ".sqlite3", ".json")):
            raise UsageProblem(
                f"{into} does not exist", "name a folder, which is made, or a store that is there"
            )
        return Target(JsonDirStore(into), False)
    raise Refused(
        f"checkpoints of {own.location} cannot go into another store: it is a store of {own.kind}",
        "fork a checkpoint of a folder of JSON checkpoints or of a database of checkpoints",
    )


def store_of_project() -> str:
    """Where the project of the working folder has its checkpoints, or would have them."""
    project = find_project()
    if project.config.location is not None:
        return project.config.location
    for name in (DEFAULT_FOLDER, DEFAULT_DATABASE):
        path = os.path.join(project.cwd, name)
        if os.path.exists(path):
            return path
    return os.path.join(project.cwd, DEFAULT_FOLDER)
