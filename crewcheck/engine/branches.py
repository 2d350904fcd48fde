"""Names of branches: made up, or given and checked before anything is written."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Iterable

from crewcheck.errors import Refused, UsageProblem
from crewcheck.model.harmless import name as shown

_LONGEST = 200
# Names that Windows takes for devices; a store may travel.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(1, 10))}
)


def new_branch(source_id: str) -> str:
    """A name that CrewAI itself would give: ``fork/ID_xxxxxx``."""
    return f"fork/{source_id}_{secrets.token_hex(3)}"


def check_branch(branch: str, existing: Iterable[str]) -> str:
    """The name, if a new branch may have it.

    A branch is used as a path in a folder store, so it may not leave the folder. Raises
    `UsageProblem` for a name that cannot be, `Refused` for one that is taken (also where
    only the case differs: not every file system tells them apart).
    """
    reason = _wrong_with(branch)
    if reason is not None:
        raise UsageProblem(f'"{shown(branch)}" cannot name a branch: {reason}')
    folded = _folded(branch)
    for other in existing:
        if _folded(other) == folded:
            raise Refused(
                f'branch "{shown(other)}" exists already in this store',
                "give another --branch, or none for a new name",
            )
    return branch


def _wrong_with(branch: str) -> str | None:
    if not branch.strip():
        return "it is empty"
    if len(branch) > _LONGEST:
        return f"it is longer than {_LONGEST} characters"
    for letter in branch:
        category = unicodedata.category(letter)
        # emoji are joined by an invisible character
        if category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and letter != "\u200d"):
            return "it holds control or invisible characters"
    if "\\" in branch:
        return "it holds a backslash"
    for part in branch.split("/"):
        if part in ("", ".", ".."):
            return f'it has "{part}" as a part, and would leave its folder'
        if part != part.strip() or part.endswith("."):
            return "a part of it begins or ends with a blank, or ends with a dot"
        if part.split(".")[0].lower() in _DEVICES:
            return f'"{part}" is a device on Windows'
        if part == ".crewcheck":
            return f'"{part}" is the folder of our own notes'
        if len(part.encode("utf-8")) > 240:
            return "a part of it is too long for a folder's name"
    return None


def _folded(branch: str) -> str:
    return unicodedata.normalize("NFC", branch).casefold()
