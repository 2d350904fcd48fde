"""Checkpoint documents and stores for tests, made by hand in the shape that CrewAI writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def task(
    name: str | None = "outline",
    *,
    output: str | None = None,
    description: str = "Write an outline about {topic}",
    agent: str = "Writer",
    **more: Any,
) -> Json:
    """A task; with ``output`` it is done."""
    made: Json = {
        "name": name,
        "id": f"task-{name}",
        "description": description.replace("{topic}", "bridges"),
        "expected_output": "text",
        "checkpoint_original_description": description,
        "checkpoint_original_expected_output": "text",
        "agent": {"entity_type": "agent", "role": agent},
        "context": "NOT_SPECIFIED",
        "async_execution": False,
        "output": None,
        "tools": [],
    }
    if output is not None:
        made["output"] = {"raw": output, "pydantic": None, "json_dict": None, "agent": agent}
    return made | more


def agent(role: str = "Writer", **more: Any) -> Json:
    return {
        "entity_type": "agent",
        "id": f"agent-{role}",
        "role": role,
        "goal": "Write",
        "backstory": "Was there",
        "llm": {"llm_type": "openai", "model": "gpt-4o-mini", "api_key": None, "base_url": None},
        "tools": [],
        "crew": "crew-1",
    } | more


def crew(*tasks: Json, name: str | None = "newsroom", **more: Any) -> Json:
    return {
        "entity_type": "crew",
        "id": "crew-1",
        "name": name,
        "process": "sequential",
        "tasks": list(tasks),
        "agents": [agent()],
        "checkpoint": {"location": "./.checkpoints", "on_events": ["task_completed"]},
        "checkpoint_inputs": {"topic": "bridges"},
        "checkpoint_kickoff_event_id": "event-1",
    } | more


def executor(**more: Any) -> Json:
    """CrewAI's internal flow that runs one agent; documents list it as a flow."""
    return {
        "entity_type": "flow",
        "executor_type": "agent",
        "name": None,
        "suppress_flow_events": True,
        "checkpoint_completed_methods": ["initialize_reasoning", "finalize"],
        "checkpoint_state": {
            "messages": ["[red]"],
            "iterations": 0,
            "use_native_tools": False,
            "is_finished": True,
        },
    } | more


def flow(*completed: str, name: str | None = None, state: Any = None, **more: Any) -> Json:
    return {
        "entity_type": "flow",
        "name": name,
        "suppress_flow_events": False,
        "checkpoint": {"location": "./.checkpoints"},
        "checkpoint_completed_methods": list(completed),
        "checkpoint_method_outputs": [],
        "checkpoint_method_counts": dict.fromkeys(completed, 1),
        "checkpoint_state": {"id": "state-1"} if state is None else state,
    } | more


def event(number: int, kind: str, **more: Any) -> Json:
    """An event; ``number`` gives its id, time and emission."""
    return {
        "event_id": f"event-{number}",
        "type": kind,
        "timestamp": f"2026-11-29T17:42:{number:02}.000000Z",
        "emission_sequence": number,
        "parent_event_id": None,
        "started_event_id": None,
    } | more


def document(
    *entities: Json,
    events: list[Json] | None = None,
    trigger: str | None = "task_completed",
    branch: str | None = "main",
    parent: str | None = None,
    version: str | None = "1.15.30",
    **more: Any,
) -> Json:
    """A document with the keys in CrewAI's order; None leaves a key out where CrewAI may."""
    made: Json = {"crewcheck": more.pop("crewcheck")} if more.get("crewcheck") else {}
    if version is not None:
        made |= {"crewai_version": version, "parent_id": parent, "branch": branch}
    made["entities"] = list(entities)
    made["event_record"] = {
        "nodes": {one["event_id"]: {"event": one, "edges": {}} for one in events or []}
    }
    if trigger is not None:
        made["trigger"] = trigger
    return made | more


def write(
    root: Path, doc: Json | bytes | str, id: str, parent: str | None = None, branch: str = "main"
) -> Path:
    """Write a document where CrewAI would: ``ROOT/BRANCH/ID_p-PARENT.json``."""
    path = root / branch / f"{id}_p-{parent or 'none'}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(doc, dict):
        doc = json.dumps(doc)
    path.write_bytes(doc if isinstance(doc, bytes) else doc.encode())
    return path


def ident(number: int, second: int | None = None) -> str:
    """The id of the Nth checkpoint, a second apart unless ``second`` says when."""
    at = number if second is None else second
    return f"20261129T17{at // 60 % 60:02}{at % 60:02}_{number:08x}"


def small_store(root: Path) -> Path:
    """Three checkpoints of a run, a fork of the second with one, and a fork of that fork."""
    done = [task("outline", output="An outline"), task("draft"), task("edit")]
    two = [done[0], task("draft", output="A draft"), done[2]]
    three = [*two[:2], task("edit", output="The end")]
    other = [done[0], task("draft", output="Another draft"), done[2]]
    write(root, document(crew(*done)), ident(1))
    write(root, document(crew(*two), parent=ident(1)), ident(2), ident(1))
    write(root, document(crew(*three), parent=ident(2)), ident(3), ident(2))
    hot = "exp/hot soup"
    write(root, document(crew(*other), parent=ident(1), branch=hot), ident(4), ident(1), hot)
    deep = "exp/hot soup/deeper"
    write(root, document(crew(*three), parent=ident(4), branch=deep), ident(5), ident(4), deep)
    return root
