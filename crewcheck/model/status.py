"""How far a checkpoint is, and which status that gives it.

Status: ``finished`` (nothing pending, or a completed trigger of the entity itself),
``failed`` (a failed trigger), ``paused`` (waits for a person), else ``stopped``: work is
pending and nothing tells why. ``running`` is not in a document; see the catalog.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.model.document import event_order, mapping, objects, sequence
from crewcheck.model.scan import FAILED, FINISHED, PAUSED, STOPPED

#: A key of a crew that is made of the outputs that CrewAI keeps of the last run
#: (`stores.task_outputs`): the positions of the tasks that are known. It may have more.
KEPT_OUTPUTS = "kept_outputs"

_FINISHED = {
    "crew": {"crew_kickoff_completed"},
    "flow": {"flow_finished"},
    "agent": {"lite_agent_execution_completed", "agent_execution_completed"},
    "workflow": {"workflow_finished", "workflow_completed"},
    "run": {"run_finished", "run_completed"},
}
_ENDINGS = ("crew_kickoff_completed", "crew_kickoff_failed")
_PAUSED = {"flow_paused", "method_execution_paused", "human_feedback_requested"}


def task_states(tasks: list[Mapping[str, Any]], dropped: frozenset[int] = frozenset()) -> list[str]:
    """``done``, ``skipped`` or ``pending`` for each task of a crew.

    A task without an output is *skipped* (a conditional one) when a later task of a crew
    has been done that could not have begun before it: CrewAI starts tasks in order, and
    waits for asynchronous ones before the next synchronous one. ``dropped`` are the
    positions whose output a fork has taken away: those are pending whatever follows.
    """
    states = ["pending"] * len(tasks)
    later_done = later_sync_done = False
    for index in range(len(tasks) - 1, -1, -1):
        task = tasks[index]
        is_async = bool(task.get("async_execution"))
        if task.get("output") is not None:
            states[index] = "done"
            later_done = True
            later_sync_done = later_sync_done or not is_async
        elif index in dropped:
            pass
        elif later_sync_done if is_async else later_done:
            states[index] = "skipped"
    return states


def awaits_callbacks(
    document: Mapping[str, Any], crew: Mapping[str, Any], events: Iterable[Mapping[str, Any]]
) -> bool:
    """Whether a crew has callbacks after the kickoff that had certainly not done their work.

    CrewAI calls them once it has said that the kickoff is completed; if one of them goes wrong
    it says that the kickoff has failed.
    """
    if not sequence(crew.get("after_kickoff_callbacks")) or KEPT_OUTPUTS in crew:
        return False
    own = crew.get("checkpoint_kickoff_event_id"), None
    said = [one for one in events if one.get("type") in _ENDINGS]
    said = [one for one in said if one.get("started_event_id") in own]
    last = max(said, key=event_order)["type"] if said else document.get("trigger")
    return last != "crew_kickoff_completed"


def not_brought_to_an_end(
    crew: Mapping[str, Any], events: Iterable[Mapping[str, Any]]
) -> frozenset[int]:
    """Positions of the tasks of a crew that have an output, and were still at work: their
    callbacks and their file come after that."""
    newest: dict[object, Mapping[str, Any]] = {}
    for event in sorted(events, key=event_order):
        if event.get("type") in ("task_started", "task_completed", "task_failed"):
            newest[event.get("task_id")] = event
    return frozenset(
        place
        for place, task in enumerate(objects(crew.get("tasks")))
        if task.get("output") is not None
        and newest.get(task.get("id"), {}).get("type") == "task_started"
    )


def dropped_tasks(document: Mapping[str, Any]) -> frozenset[int]:
    """Positions of the tasks whose output one of our forks invalidated."""
    dropped = sequence(mapping(document.get("crewcheck")).get("dropped"))
    return frozenset(item for item in dropped if isinstance(item, int))


def progress(
    document: Mapping[str, Any], entity: Mapping[str, Any], trigger: str | None
) -> tuple[int, int | None, bool]:
    """``(done, total, whether nothing is pending)`` of a primary entity.

    A crew counts tasks with an output, a flow its completed methods (how many there will
    be is not in the document), an agent its one answer.
    """
    kind = entity.get("entity_type")
    if kind == "crew":
        tasks = objects(entity.get("tasks"))
        states = task_states(tasks, dropped_tasks(document))
        complete = bool(tasks) and "pending" not in states and KEPT_OUTPUTS not in entity
        return states.count("done"), len(tasks), complete
    if kind == "agent":
        done = int(trigger in _FINISHED["agent"])
        return done, 1, bool(done)
    completed = entity.get("checkpoint_completed_methods")
    return len(set(map(str, sequence(completed)))), None, False


def status_of(kind: str | None, trigger: str | None, complete: bool) -> str:
    """The status that trigger and progress give a checkpoint."""
    trigger = trigger or ""
    if trigger in _FINISHED.get(kind or "", ()):
        return FINISHED
    if trigger in _PAUSED:
        return PAUSED
    if complete:
        return FINISHED
    if trigger.endswith(("_failed", "_error")):
        return FAILED
    return STOPPED
