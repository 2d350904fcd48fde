"""Where the new checkpoints of a run go: store, branch, parent, and what came before.

CrewAI keeps this in its runtime state and in the checkpoint config of what is kicked off.
Both are set before the kickoff, in its own context: the runtime state is a context variable.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.model.document import mapping, sequence
from crewcheck.runtimes.spec import RunSpec


def checked_branch(branch: str) -> str:
    """The name of a branch. Raises `Refusal` for one that would leave the store."""
    if os.path.isabs(branch) or os.pardir in branch.replace(os.sep, "/").split("/"):
        raise Refusal("branch-name", f"{branch!r} is no name for a branch: it leaves the store")
    return branch


def event_record(document: Mapping[str, Any]) -> Any:
    """The events so far as CrewAI's own record; an empty one where it cannot read them."""
    from crewai.state.event_record import EventRecord

    try:
        return EventRecord.model_validate(mapping(document.get("event_record")))
    except Exception:
        return EventRecord()


def set_state(entities: Sequence[Any], record: Any, branch: str, parent_id: str) -> None:
    """Set CrewAI's runtime state: the next checkpoint follows ``parent_id`` on ``branch``.

    Must be called in the context that the kickoff is called in.
    """
    from crewai.events.event_bus import crewai_event_bus
    from crewai.state.runtime import RuntimeState

    state = RuntimeState(root=[])
    for entity in entities:
        state.root.append(entity)
    state._event_record = record
    state._checkpoint_id = state._parent_id = parent_id
    state._branch = branch
    crewai_event_bus.set_runtime_state(state)


def config_for(own: Any, saved: Mapping[str, Any], spec: RunSpec) -> Any:
    """The checkpoint config of what runs, with the store that was opened.

    When to write and how many to keep stays the project's own choice (``own``). Where the
    project says nothing, what the checkpoint was written with is taken.
    """
    from crewai import CheckpointConfig

    if not isinstance(own, CheckpointConfig):
        own = CheckpointConfig() if own is True else _recorded(saved)
    return moved(own, spec)


def _recorded(saved: Mapping[str, Any]) -> Any:
    from crewai import CheckpointConfig

    config = mapping(saved.get("checkpoint"))
    events = [one for one in sequence(config.get("on_events")) if isinstance(one, str)]
    fields: dict[str, Any] = {"on_events": events} if events else {}
    keep = config.get("max_checkpoints")
    try:
        return CheckpointConfig(**fields, max_checkpoints=keep if isinstance(keep, int) else None)
    except Exception:
        return CheckpointConfig()


def moved(config: Any, spec: RunSpec) -> Any:
    """A config with the store's location; its provider, where that is of the same kind."""
    from crewai.state.provider.json_provider import JsonProvider
    from crewai.state.provider.sqlite_provider import SqliteProvider

    kind = SqliteProvider if spec.store_kind == "sqlite" else JsonProvider
    provider = config.provider if isinstance(config.provider, kind) else kind()
    return config.model_copy(
        update={"location": spec.store, "provider": provider, "restore_from": None}
    )
