"""What a crew's tools keep from one call to the next, as far as its tasks use them again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import Any

from crewcheck.crewai.answers import within
from crewcheck.crewai.crews import facts
from crewcheck.crewai.crews.pairing import Pairing
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.tool_memory import Memory, Saved, beside, of_tools, used
from crewcheck.engine.invalidation import DONE, SKIPPED
from crewcheck.model.document import mapping, objects, text


def given_else(
    crew: Any,
    states: Sequence[str],
    index: int,
    kept: Collection[int],
    edited: Collection[int],
    changed: Set[str],
) -> bool:
    """Whether a task works on other things now: then its tools may give something else for the
    same arguments. (To a model, what is asked tells.) ``edited`` are positions of outputs, and
    ``changed`` names of inputs."""
    anew = {i for i, state in enumerate(states) if state in (DONE, SKIPPED) and i not in kept}
    others = facts.depends_on(crew, index) & (anew | set(edited))
    return bool(others or facts.names(crew, index) & changed)


def memory(
    crew: Any, saved: SavedCrew, pairing: Pairing, run: Iterable[int], again: Set[int]
) -> Memory:
    """What the tools that may yet be called had kept. ``run``: positions of the tasks that run,
    ``again`` of those among them that make all their calls again."""
    counted, repeated = _used(saved, pairing, again)
    return of_tools(_tools(crew, saved, pairing, run), counted, repeated)


def _tools(
    crew: Any, saved: SavedCrew, pairing: Pairing, places: Iterable[int]
) -> Iterator[tuple[str, Any, Saved]]:
    """The tools of some tasks and of those who work on them, with how they were saved."""
    agents = objects(saved.entity.get("agents"))
    for index in places:
        task, old = crew.tasks[index], pairing.task(saved, index)
        yield from beside(task, old)
        for agent in facts.workers(crew, task):
            place = next((at for at, one in enumerate(crew.agents) if one is agent), None)
            then = agents[place] if place is not None and place < len(agents) else {}
            if agent is task.agent and not facts.is_hierarchical(crew):
                then = mapping(old.get("agent")) or then
            yield from beside(agent, then)


def _used(saved: SavedCrew, pairing: Pairing, again: Set[int]) -> tuple[set[str], set[str]]:
    """The names of the tools whose recorded calls are not made again, and of those whose are."""
    kept: set[str] = set()
    repeated: set[str] = set()
    events = [*saved.events, *saved.later]
    for index, old in enumerate(pairing.old):
        task_id = text(saved.tasks[old].get("id")) if old is not None else None
        if task_id:
            (repeated if index in again else kept).update(used(within(events, task_id)))
    return kept, repeated
