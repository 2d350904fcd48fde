"""A scenario: a user's program, and what its text says about it.

A scenario is ``scenarios/NAME.py``, an ordinary program. Names at its top level tell what
to do with it; they are read from its text, for it is imported only where CrewAI is:

    KIND          "crew", "flow" or "agent"
    target        the object, its class, or a function that makes it: the entry is NAME:target
    run()         how the user's program runs it, where that is not plainly by ``kickoff``
    INPUTS        of the kickoff; ``run`` must take them from here, for an oracle changes them
    QUESTION      of an agent; for a fork it is its one input, ``question``
    FAULT         the run that is gone on with fails: a pattern of requests that the model
                  refuses in it, or True: ``_common.fails`` raises
    ANSWERS       to what a person is asked
    EDIT_INPUTS   for a fork with other inputs
    EDIT_OUTPUT   {position of a task: text}; where it says nothing, the first task gets a text
    EDIT_RESULT   {method of a flow: what its last call returns}
    EDIT_STATE    {path: value} of a flow
    REFUSED       a rule: a resume is refused with it, and so is a fork
    MAY_BE_REFUSED  {kind of case: a rule that some of them are refused with}
    ASKED_AGAIN_OK  why finished requests may be made again; or {kind of case: why}
    RECORDED_RESULT  why what a finished run had given is not in its checkpoint
    ONLY          kinds of cases that make sense here, if not all do
    FROM_DONE     checkpoints count from the one on with so many tasks done

What lies in ``scenarios/files/NAME`` is put beside the program.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCENARIOS = Path(__file__).with_name("scenarios")


@dataclass(frozen=True)
class Scenario:
    """What a scenario says of itself; see the module. ``folders`` belong to it, too."""

    name: str
    path: Path
    facts: dict[str, Any] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()

    @property
    def kind(self) -> str:
        return str(self.facts["KIND"])

    @property
    def entry(self) -> str:
        return f"{self.name}:target"

    def get(self, name: str, default: Any = None) -> Any:
        return self.facts.get(name, default)

    def put_into(self, folder: Path) -> None:
        """Make a folder the user's project."""
        folder.mkdir(parents=True, exist_ok=True)
        for path in (self.path, self.path.with_name("_common.py")):
            shutil.copyfile(path, folder / path.name)
        beside = self.path.parent / "files" / self.name
        if beside.is_dir():
            shutil.copytree(beside, folder, dirs_exist_ok=True)
        for other in self.folders:
            shutil.copytree(other, folder / other.name)


def read(path: Path) -> Scenario:
    """A scenario from its file."""
    tree = ast.parse(path.read_text("utf-8"))
    facts: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            facts.update(_told(node.targets[0], node.value))
    return Scenario(path.stem, path, facts)


def _told(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Any]]:
    """The names that an assignment gives a value that can be read from the text."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=False):
            yield from _told(one, its)
    elif isinstance(target, ast.Name):
        with suppress(ValueError):
            yield target.id, ast.literal_eval(value)


def find(names: list[str] | None = None, folder: Path = SCENARIOS) -> list[Scenario]:
    """The scenarios of those names (or beginnings of names), or all."""
    paths = sorted(path for path in folder.glob("*.py") if not path.stem.startswith("_"))
    found = [read(path) for path in paths]
    if not names:
        return found
    for name in names:
        if not any(one.name.startswith(name) for one in found):
            raise SystemExit(f"there is no scenario {name} in {folder}")
    return [one for one in found if any(one.name.startswith(name) for name in names)]
