"""Where the new checkpoints of a run go: store, branch, parent, and what came before.

CrewAI keeps this in its runtime state and in the crew's checkpoint config. Both are set
before the kickoff, in its own context: the runtime state is a context variable.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.saved import Saved
from crewcheck.model.document import mapping, sequence, text
from crewcheck.runtimes.spec import RunSpec


def event_record(document: Mapping[str, Any]) -> Any:
    """The events so far as CrewAI's own record; an empty one where it cannot read them."""
    from crewai.state.event_record import EventRecord

    try:
        return EventRecord.model_validate(mapping(document.get("event_record")))
    except Exception:
        return EventRecord()


def begin(crew: Any, saved: Saved, record: Any, branch: str, parent_id: str) -> None:
    """Set CrewAI's runtime state: the next checkpoint follows ``parent_id`` on ``branch``.

    Must be called in the context that the kickoff is called in.
    """
    from crewai.events.event_bus import crewai_event_bus
    from crewai.state.runtime import RuntimeState

    adopt_ids(crew, saved)
    state = RuntimeState(root=[])
    # the crew says nothing by itself when it goes on, so it would not be written
    state.root.append(crew)
    state._event_record = record
    state._checkpoint_id = state._parent_id = parent_id
    state._branch = branch
    crewai_event_bus.set_runtime_state(state)
    if saved.kickoff_id and saved.kickoff_id in record.nodes:
        # the same kickoff goes on: CrewAI starts at the first task without an output
        crew.checkpoint_kickoff_event_id = crew._kickoff_event_id = saved.kickoff_id
        crew._restore_event_scope()
    else:
        crew.checkpoint_kickoff_event_id = crew._kickoff_event_id = None


def adopt_ids(crew: Any, saved: Saved) -> None:
    """Give the user's crew and tasks the ids that they had.

    CrewAI makes new ones in each process; with the old ones the events so far are still
    about the tasks of the next checkpoints.
    """
    for mine, old in ((crew, saved.crew), *zip(crew.tasks, saved.tasks, strict=False)):
        try:
            mine.__dict__["id"] = uuid.UUID(text(old.get("id")) or "")
        except ValueError:
            continue


def point_at_store(crew: Any, saved: Saved, spec: RunSpec) -> None:
    """Let the crew and its agents write into the store that was opened, wherever that is.

    When to write and how many to keep stays the project's own choice. Where the project
    says nothing, what the checkpoint was written with is taken.
    """
    from crewai import CheckpointConfig

    agents = {id(one): one for one in [*crew.agents, *(task.agent for task in crew.tasks)]}
    for agent in agents.values():
        if isinstance(agent.checkpoint, CheckpointConfig):
            agent.checkpoint = _moved(agent.checkpoint, spec)
        elif agent.checkpoint is True:
            agent.checkpoint = None  # the crew's
    config = crew.checkpoint
    if not isinstance(config, CheckpointConfig):
        config = CheckpointConfig() if config is True else _recorded(saved)
    crew.checkpoint = _moved(config, spec)


def _recorded(saved: Saved) -> Any:
    from crewai import CheckpointConfig

    config = mapping(saved.crew.get("checkpoint"))
    events = [one for one in sequence(config.get("on_events")) if isinstance(one, str)]
    fields: dict[str, Any] = {"on_events": events} if events else {}
    keep = config.get("max_checkpoints")
    try:
        return CheckpointConfig(**fields, max_checkpoints=keep if isinstance(keep, int) else None)
    except Exception:
        return CheckpointConfig()


def _moved(config: Any, spec: RunSpec) -> Any:
    """A config with the store's location; its provider, where that is of the same kind."""
    from crewai.state.provider.json_provider import JsonProvider
    from crewai.state.provider.sqlite_provider import SqliteProvider

    kind = SqliteProvider if spec.store_kind == "sqlite" else JsonProvider
    provider = config.provider if isinstance(config.provider, kind) else kind()
    return config.model_copy(
        update={"location": spec.store, "provider": provider, "restore_from": None}
    )
