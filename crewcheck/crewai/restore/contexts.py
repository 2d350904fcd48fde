"""The ``context`` lists of tasks, which no document keeps, by what tasks were given.

A task that has begun has in ``prompt_context`` the texts that it was given: from that its list
can be told, where the texts before it differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from crewcheck.model.document import mapping, text

#: What CrewAI puts between the texts.
DIVIDER = "\n\n----------\n\n"
#: So many texts are tried in all combinations.
_MOST = 12

#: All outputs before it, as a task without a list is given.
ALL = "all"

Task = Mapping[str, Any]


def context_of(tasks: Sequence[Task], index: int) -> list[int] | str | None:
    """The positions in a task's list, `ALL` for none, None where nothing tells."""
    task = tasks[index]
    if task.get("context") == []:
        return []
    before = [place for place in range(index) if _raw(tasks[place]) is not None]
    skipped = [place for place in range(index) if place not in before]
    if index == 0:
        return ALL
    given = text(task.get("prompt_context"))
    begun = task.get("output") is not None or bool(given)
    if not begun:
        return ALL if index == 1 and not _is_async(tasks, index) else None
    if given is None:
        return ALL if not before else None
    if given == "" and task.get("async_execution"):
        return ALL  # without a list an asynchronous task is given nothing
    texts = [_raw(tasks[place]) or "" for place in before]
    if given == DIVIDER.join(texts) and not (_is_async(tasks, index) and skipped):
        return ALL
    if len(before) > _MOST:
        return None
    fitting = [
        [before[place] for place in chosen]
        for size in range(1, len(before) + 1)
        for chosen in combinations(range(len(before)), size)
        if DIVIDER.join(texts[place] for place in chosen) == given
    ]
    return fitting[0] if len(fitting) == 1 else None


def has_lists(tasks: Sequence[Task]) -> bool:
    """Whether it is certain of a task that it has a list of its own."""
    return any(isinstance(context_of(tasks, index), list) for index in range(len(tasks)))


def _raw(task: Task) -> str | None:
    output = task.get("output")
    return None if output is None else text(mapping(output).get("raw")) or ""


def _is_async(tasks: Sequence[Task], index: int) -> bool:
    return any(bool(task.get("async_execution")) for task in tasks[: index + 1])
