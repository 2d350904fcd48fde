"""Recorded outputs as objects of the user's own classes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from crewcheck.crewai.answers import within
from crewcheck.crewai.crews.facts import output_class
from crewcheck.crewai.refusal import Refusal
from crewcheck.model.document import mapping, sequence, text


def parse_edited(task: Any, raw: str, label: str) -> Any:
    """A person's text as an object of the task's output class, None where it has none.

    Raises `Refusal` where it does not fit.
    """
    model = output_class(task)
    if model is None:
        return None
    try:
        return model.model_validate_json(raw)
    except Exception as error:
        problems = getattr(error, "errors", None)
        lines = [
            f"{'.'.join(map(str, one.get('loc', ()))) or 'text'}: {one.get('msg')}"
            for one in (problems(include_url=False) if callable(problems) else [])
        ]
        raise Refusal(
            "output-class",
            f"the new output of {label} does not fit {model.__name__}",
            "write it as JSON with the fields of that class",
            lines or [str(error)],
        ) from None


def output_of(
    task: Any,
    saved: Mapping[str, Any],
    label: str,
    events: Iterable[Mapping[str, Any]],
    edited: str | None = None,
) -> Any:
    """A task's output from its recording (``saved``, the task as it was saved, and what the
    events tell of it)."""
    from crewai.tasks.task_output import TaskOutput

    output = mapping(saved.get("output"))
    known = TaskOutput.model_fields
    fields = {key: value for key, value in output.items() if key in known}
    fields.pop("pydantic", None)
    fields["messages"] = sequence(output.get("messages"))
    fields["raw"] = text(output.get("raw")) or ""
    for name, value in (
        ("description", task.description),
        ("expected_output", task.expected_output),
        ("agent", getattr(task.agent, "role", "")),
        ("name", task.name or task.description),
    ):
        if not isinstance(fields.get(name), str):
            fields[name] = value
    if edited is not None:
        fields.update(raw=edited, json_dict=None, messages=[])
        fields["output_format"] = task._get_output_format()
        parsed = parse_edited(task, edited, label)
    else:
        parsed = _parse_recorded(output_class(task), saved, events)
    made = TaskOutput.model_validate(fields)
    if task.output_pydantic:
        made.pydantic = parsed
    elif task.output_json and made.json_dict is None and parsed is not None:
        made.json_dict = parsed.model_dump()
    return made


def _parse_recorded(
    model: Any, saved: Mapping[str, Any], events: Iterable[Mapping[str, Any]]
) -> Any:
    """What CrewAI had parsed: its documents keep the text only.

    Where the text was not the object yet, a model was asked to make one of it, and what it
    said is among the events.
    """
    if model is None:
        return None
    output = mapping(saved.get("output"))
    for candidate in (mapping(output.get("pydantic")), output.get("json_dict"), output.get("raw")):
        parsed = _parse(model, candidate)
        if parsed is not None:
            return parsed
    task_id = text(saved.get("id"))
    said = [
        event.get("response")
        for event in (within(events, task_id) if task_id else ())  # it may name no task
        if event.get("type") == "llm_call_completed"
    ]
    return next((one for one in (_parse(model, answer) for answer in reversed(said)) if one), None)


def _parse(model: Any, value: Any) -> Any:
    """An object of a class from a text or a dict, None where it is none."""
    if not value or not isinstance(value, (str, dict)):
        return None
    inner = re.search(r"\{.*\}", value, re.DOTALL) if isinstance(value, str) else None
    for candidate in (value, inner and inner[0]):  # models put prose and fences around JSON
        try:
            if isinstance(candidate, str):
                return model.model_validate_json(candidate)
            if candidate:
                return model.model_validate(candidate)
        except Exception:
            continue
    return None


def is_parsed(task: Any, saved: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a recorded output can be given back as its class."""
    model = output_class(task)
    return model is None or _parse_recorded(model, saved, events) is not None


def restore(task: Any, saved: Mapping[str, Any]) -> None:
    """Give a task that is done what else was saved of its run, for later checkpoints."""
    for name in ("start_time", "end_time"):
        value = text(saved.get(name))
        if value:
            try:
                setattr(task, name, datetime.fromisoformat(value))
            except ValueError:
                continue
    task.prompt_context = text(saved.get("prompt_context"))
    task.processed_by_agents = {
        role for role in sequence(saved.get("processed_by_agents")) if isinstance(role, str)
    }


def same_inputs(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> bool:
    """Whether inputs are equal as far as JSON can tell."""

    def plain(value: Mapping[str, Any] | None) -> str:
        return json.dumps(dict(value or {}), sort_keys=True, default=str)

    return plain(one) == plain(other)


def finished_output(crew: Any, saved: Any) -> Any:
    """What the kickoff of a finished crew gave: as CrewAI, by the last text that is not empty."""
    from crewai import CrewOutput

    made = [
        output_of(task, old, saved.label(index), saved.events)
        for index, (task, old) in enumerate(zip(crew.tasks, saved.tasks, strict=True))
        if old.get("output") is not None
    ]
    last = next((one for one in reversed(made) if one.raw), made[-1])
    return CrewOutput(
        raw=last.raw, pydantic=last.pydantic, json_dict=last.json_dict, tasks_output=made
    )
