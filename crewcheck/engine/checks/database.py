"""Whether a store as a whole can be read: a database's file, the folders of a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from crewcheck.engine.checks.subject import Flaw
from crewcheck.model.harmless import one_line
from crewcheck.model.words import many
from crewcheck.stores.base import Capability, CheckableStore, Store

_OF_INDEX = re.compile(r"missing from index|wrong # of entries in index|non-unique entry in index")


def check(store: Store, problems: tuple[str, ...]) -> Iterator[Flaw]:
    """``problems`` are those of its scan. Raises `NotFound` or `Unreadable`."""
    if Capability.CHECK not in store.capabilities:
        for problem in problems:
            yield Flaw("part-unreadable", "", problem)
        return
    found = cast(CheckableStore, store).check()
    indexes = [line for line in found if _OF_INDEX.search(line)]
    others = [line for line in found if line not in indexes] or list(problems)
    for rule, lines in (("database-damaged", others), ("index-out-of-step", indexes)):
        if lines:
            more = f", and {many(len(lines) - 1, 'more such line')}" if len(lines) > 1 else ""
            yield Flaw(rule, "", f"{one_line(lines[0], 300)}{more}")
