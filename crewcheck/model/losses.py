"""What a checkpoint does not hold, so that a resume can only bring it back from the project.

CrewAI writes no functions, conditions, ``context`` lists or model classes. Some losses
leave a trace (a guardrail ran, and the task has none), others only the possibility.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crewcheck.model.document import mapping, objects, text
from crewcheck.model.status import KEPT_OUTPUTS, task_states


@dataclass(frozen=True, slots=True)
class Loss:
    """``rule`` is stable, ``where`` names a task, agent or method (may be empty)."""

    rule: str
    where: str
    message: str


def losses(entity: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> list[Loss]:
    """The losses of a primary entity, in the order of the document."""
    kind = entity.get("entity_type")
    if kind == "crew":
        return _of_crew(entity, events)
    if kind == "flow":
        return [
            Loss(
                "flow-class",
                "",
                "the flow's class, methods and routes are in the project, not in the checkpoint",
            )
        ]
    if kind == "agent":
        return _of_model(entity.get("llm"), text(entity.get("role")) or "")
    return []


def _of_crew(crew: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> list[Loss]:
    found: list[Loss] = []
    if KEPT_OUTPUTS in crew:
        said = "its agents, their models and tools are not in what CrewAI kept"
        found.append(Loss("agents", "", said))
        found.append(Loss("tasks-to-come", "", "which tasks were still to come is not known"))
    tasks = objects(crew.get("tasks"))
    states = task_states(tasks)
    guarded = {
        text(event.get("task_id"))
        for event in events
        if str(event.get("type")).startswith("llm_guardrail_")
    }
    for index, task in enumerate(tasks):
        where = text(task.get("name")) or f"task {index + 1}"
        if text(task.get("id")) in guarded and not (
            task.get("guardrail") or task.get("guardrails")
        ):
            found.append(
                Loss("guardrail", where, "a guardrail ran, and it is not in the checkpoint")
            )
        if task.get("output_pydantic") or task.get("output_json"):
            found.append(
                Loss("output-class", where, "the output's class is kept as a JSON schema only")
            )
        if isinstance(task.get("callback"), str):
            found.append(
                Loss("callback", where, f"the callback {task['callback']} is kept by name only")
            )
        if states[index] == "skipped":
            found.append(Loss("condition", where, "it was skipped, and its condition is lost"))
        for tool in objects(task.get("tools")):
            name = text(tool.get("name")) or "unnamed"
            found.append(Loss("tool", where, f"the tool {name} is kept without its private state"))
    if len(tasks) > 2 and any(task.get("context") == "NOT_SPECIFIED" for task in tasks):
        found.append(
            Loss("context", "", "explicit context lists of tasks are not kept, if there were any")
        )
    if not any(text(task.get("checkpoint_original_description")) for task in tasks) and mapping(
        crew.get("checkpoint_inputs")
    ):
        found.append(
            Loss("templates", "", "the texts before the inputs were filled in are not kept")
        )
    for agent in objects(crew.get("agents")):
        found += _of_model(agent.get("llm"), text(agent.get("role")) or "agent")
    if crew.get("memory"):
        found.append(Loss("memory", "", "the memory store may be ahead of the checkpoint"))
    if crew.get("knowledge_sources"):
        found.append(Loss("knowledge", "", "knowledge sources are read again from the project"))
    return found


def _of_model(llm: object, where: str) -> list[Loss]:
    if isinstance(llm, dict) and "api_key" not in llm and "model" in llm:
        kind = text(llm.get("llm_type")) or "of the project's own"
        return [Loss("model-class", where, f"its model class ({kind}) is not in the checkpoint")]
    return []
