"""Which crew the new checkpoints are of, and where they go."""

from __future__ import annotations

import uuid
from typing import Any

from crewcheck.crewai.crews.pairing import Pairing
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.lineage import config_for, moved, set_state
from crewcheck.model.document import text
from crewcheck.runtimes.spec import RunSpec


def begin(
    crew: Any, saved: SavedCrew, pairing: Pairing, record: Any, branch: str, parent_id: str
) -> None:
    """Set CrewAI's runtime state, and let the crew go on with its kickoff.

    Must be called in the context that the kickoff is called in.
    """
    adopt_ids(crew, saved, pairing)
    # the crew says nothing by itself when it goes on, so it would not be written
    set_state([crew], record, branch, parent_id)
    if saved.kickoff_id and saved.kickoff_id in record.nodes:
        # the same kickoff goes on: CrewAI starts at the first task without an output
        crew.checkpoint_kickoff_event_id = crew._kickoff_event_id = saved.kickoff_id
        crew._restore_event_scope()
    else:
        crew.checkpoint_kickoff_event_id = crew._kickoff_event_id = None


def adopt_ids(crew: Any, saved: SavedCrew, pairing: Pairing) -> None:
    """Give the user's crew and tasks the ids that they had.

    CrewAI makes new ones in each process; with the old ones the events so far are still
    about the tasks of the next checkpoints.
    """
    tasks = [(task, pairing.task(saved, index)) for index, task in enumerate(crew.tasks)]
    for mine, old in [(crew, saved.entity), *tasks]:
        try:
            mine.__dict__["id"] = uuid.UUID(text(old.get("id")) or "")
        except ValueError:
            continue


def point_at_store(crew: Any, saved: SavedCrew, spec: RunSpec) -> None:
    """Let the crew and its agents write into the store that was opened, wherever that is."""
    from crewai import CheckpointConfig

    of_tasks = [task.agent for task in crew.tasks]
    agents = {id(one): one for one in [*crew.agents, *of_tasks, crew.manager_agent]}
    agents.pop(id(None), None)
    for agent in agents.values():
        if isinstance(agent.checkpoint, CheckpointConfig):
            agent.checkpoint = moved(agent.checkpoint, spec)
        elif agent.checkpoint is True:
            agent.checkpoint = None  # the crew's
    crew.checkpoint = config_for(crew.checkpoint, saved.entity, spec)
