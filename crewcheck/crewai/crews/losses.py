"""What a replay cannot bring back."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.crews import facts
from crewcheck.crewai.crews.pairing import Pairing
from crewcheck.crewai.crews.recording import is_parsed
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.crews.tool_memory import given_else, memory
from crewcheck.crewai.tool_answers import has_hooks
from crewcheck.engine.invalidation import FAILED, UNDER_WAY, Decision, to_keep, to_run
from crewcheck.model.document import mapping
from crewcheck.model.edits import Edits, changed_inputs


def of(
    crew: Any, saved: SavedCrew, pairing: Pairing, edits: Edits, items: list[Decision]
) -> list[dict[str, Any]]:
    """The losses, each {rule, where, message}, doubts first; positions are in the project."""
    found: list[dict[str, Any]] = []
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
    changed = frozenset(changed_inputs(saved.inputs, edits))
    again = {
        index
        for index in to_run(items)
        if states[index] not in (UNDER_WAY, FAILED)
        or index in edits.rerun
        or given_else(crew, states, index, to_keep(items), edits.outputs, changed)
    }
    if has_hooks():
        again = set(to_run(items))
    kept = memory(crew, saved, pairing, to_run(items), again)
    return [*kept.doubts(), *found]
