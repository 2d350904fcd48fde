"""What a replay cannot bring back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from crewcheck.crewai.answers import within
from crewcheck.crewai.crews import facts
from crewcheck.crewai.crews.pairing import Pairing
from crewcheck.crewai.crews.recording import is_parsed
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.tool_answers import plain_name
from crewcheck.crewai.tool_state import state_of
from crewcheck.engine.invalidation import FAILED, UNDER_WAY, Decision, to_keep, to_run
from crewcheck.model.document import mapping, text
from crewcheck.model.edits import Edits


def of(
    crew: Any, saved: SavedCrew, pairing: Pairing, edits: Edits, items: list[Decision]
) -> list[dict[str, str]]:
    """The losses, each {rule, where, message}; positions are in the project."""
    found: list[dict[str, str]] = []
    states = pairing.states(saved)

    def lose(rule: str, where: str, message: str) -> None:
        found.append({"rule": rule, "where": where, "message": message})

    if crew.before_kickoff_callbacks:
        lose(
            "before-kickoff",
            "",
            "the callbacks before the kickoff are not called again: the recorded inputs are "
            "what they returned",
        )
    for place in pairing.gone:
        if saved.tasks[place].get("output") is not None:
            lose(
                "task-gone", saved.label(place), "the project has it no more: its output is dropped"
            )
    for index in to_run(items):
        if states[index] in (UNDER_WAY, FAILED) and facts.tool_names(crew, crew.tasks[index]):
            where = facts.label(crew, index)
            lose("tools-again", where, "it starts anew and may call its tools again")
    for index in to_keep(items):
        task, old, where = crew.tasks[index], pairing.task(saved, index), facts.label(crew, index)
        if index in edits.outputs:
            if task.output_file:
                lose("output-file", where, "the file that it had written is left as it is")
        elif mapping(old.get("output")) and not is_parsed(task, old, saved.events):
            lose(
                "output-class",
                where,
                "its recorded output cannot be given back as an object of its class",
            )
    tools = _tools(crew, to_run(items))
    limited = sorted({name for name, tool in tools if getattr(tool, "max_usage_count", None)})
    if limited and to_keep(items):
        lose("tool-limits", ", ".join(limited), "how often it has been used is counted anew")
    again = {index for index in to_run(items) if states[index] not in (UNDER_WAY, FAILED)}
    used = _used(saved, pairing, again)
    for name, state in {name: state_of(tool) for name, tool in tools}.items():
        if state and plain_name(name) in used:
            lose(
                "tool-state",
                name,
                f"what its calls had left in it ({', '.join(state)}) is not there: those that "
                "are recorded are not made again",
            )
    return found


def _tools(crew: Any, places: Iterable[int]) -> list[tuple[str, Any]]:
    """The tools of some tasks and of those who work on them, with their names."""
    return [
        (str(tool.name), tool)
        for index in places
        for holder in [crew.tasks[index], *facts.workers(crew, crew.tasks[index])]
        for tool in getattr(holder, "tools", None) or []
    ]


def _used(saved: SavedCrew, pairing: Pairing, again: Iterable[int]) -> set[str]:
    """The names of the tools whose calls are recorded, but for those of tasks that make all
    their calls again."""
    olds = {old for index, old in enumerate(pairing.old) if index not in again and old is not None}
    ids = [text(saved.tasks[old].get("id")) for old in olds]
    events = [*saved.events, *saved.later]
    return {
        plain_name(text(event.get("tool_name")) or "")
        for task_id in ids
        if task_id
        for event in within(events, task_id)
        if event.get("type") == "tool_usage_finished"
    }
