"""What the program had given its flow object, and the class alone does not have.

An entry names the class; what the program passes when it makes the object is in the
checkpoint. What the project's own object says itself goes first.
"""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.model.document import mapping, text


def name_of(flow: Any) -> str:
    """What CrewAI calls a flow in its events."""
    definition = getattr(flow, "_definition", None)
    return str(getattr(definition, "name", None) or flow.name or type(flow).__name__)


def is_unnamed(flow: Any, saved: SavedFlow) -> bool:
    """Whether the flow had been given a name, and this object was not."""
    return flow.name is None and text(saved.entity.get("name")) == saved.name is not None


def persistence_of(flow: Any, saved: SavedFlow) -> str | None:
    """The database that the flow had been given to keep its state in, if this object has
    none."""
    recorded = mapping(saved.entity.get("persistence"))
    if flow.persistence is not None or recorded.get("persistence_type") != "SQLiteFlowPersistence":
        return None
    return text(recorded.get("db_path"))


def adopt(flow: Any, saved: SavedFlow) -> None:
    """Give a flow what it had been given."""
    path = persistence_of(flow, saved)
    if path is not None:
        from crewai.flow.persistence import SQLiteFlowPersistence

        flow.persistence = SQLiteFlowPersistence(path)
    most = saved.entity.get("max_method_calls")
    if isinstance(most, int) and most > getattr(flow, "max_method_calls", most):
        flow.max_method_calls = most
    if saved.name and name_of(flow) != saved.name:
        _rename(flow, saved.name)


def _rename(flow: Any, name: str) -> None:
    """Let a flow be called in its events as it was: those so far are told by it."""
    flow.name = name
    definition = getattr(flow, "_definition", None)
    if definition is not None:
        flow._definition = definition.model_copy(update={"name": name})
