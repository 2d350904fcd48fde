"""Crews as a project has them and as a checkpoint does, without CrewAI."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from crewcheck.crewai.crews.saved import SavedCrew

#: What CrewAI has for a task without a ``context`` of its own: it counts as true.
NOT_SPECIFIED = object()


def agent(role: str, **more: Any) -> Any:
    return SimpleNamespace(
        **{"role": role, "goal": "g", "backstory": "b", "llm": None, "tools": [], **more}
    )


def task(description: str, name: str = "", by: Any = None, **more: Any) -> Any:
    values = {
        "name": name,
        "description": description,
        "expected_output": "x",
        "output_file": None,
        "agent": by,
        "context": NOT_SPECIFIED,
        "async_execution": False,
        "human_input": False,
        "tools": [],
        "output_pydantic": None,
        "output_json": None,
        "allow_crewai_trigger_context": None,
    }
    return SimpleNamespace(**{**values, **more})


def crew(*tasks: Any, **more: Any) -> Any:
    agents = {id(one.agent): one.agent for one in tasks if one.agent is not None}
    values = {
        "tasks": list(tasks),
        "agents": list(agents.values()),
        "process": "sequential",
        "planning": False,
        "manager_agent": None,
        "manager_llm": None,
        "before_kickoff_callbacks": [],
        "memory": False,
        "name": "crew",
    }
    return SimpleNamespace(**{**values, **more})


def saved_task(description: str, output: str | None = None, name: str = "", **more: Any) -> Any:
    return {
        "id": f"id of {name or description}",
        "name": name,
        "description": description,
        "checkpoint_original_description": description,
        "expected_output": "x",
        "checkpoint_original_expected_output": "x",
        "context": "NOT_SPECIFIED",
        "output": None if output is None else {"raw": output},
        "agent": {"role": "R"},
        **more,
    }


def saved_crew(*tasks: Any, events: list[Any] | None = None, **more: Any) -> SavedCrew:
    entity = {"entity_type": "crew", "tasks": list(tasks), "checkpoint_inputs": {}, **more}
    return SavedCrew({"entities": [entity]}, "c1", events or [], entity)
