"""A crew's part of a fork: its outputs, inputs and texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from typing import Any

from crewcheck.engine.fork_events import drop_events, drop_executors
from crewcheck.errors import Refused
from crewcheck.model.document import iter_events, kickoff_inputs, mapping, objects, text
from crewcheck.model.edits import Change, Edits, changed_inputs
from crewcheck.model.harmless import one_line
from crewcheck.model.identity import fill
from crewcheck.model.schema import misfit
from crewcheck.model.status import dropped_tasks, task_states

# A crew's own ending: untrue once work is pending again.
_ENDINGS = ("crew_kickoff_completed", "crew_kickoff_failed")


def fork_crew(
    made: dict[str, Any], crew: dict[str, Any], edits: Edits, running: Set[int]
) -> tuple[list[Change], list[int]]:
    """Change a document and its crew in place: ``(what was edited, positions dropped)``.

    Raises `Refused` where an edited output does not fit what its task declares.
    """
    tasks: list[Any] = objects(crew.get("tasks"))
    states = task_states(tasks, dropped_tasks(made))
    # what runs and would look done or skipped, now or once it has lost its output
    dropped = sorted(
        i
        for i in running
        if i < len(tasks) and (states[i] != "pending" or i in dropped_tasks(made))
    )
    before = kickoff_inputs(crew, iter_events(made)) or {}
    changed = changed_inputs(before, edits)
    record = [
        *(Change(f"inputs.{key}", before.get(key), value) for key, value in changed.items()),
        *(
            Change(f"tasks.{index}.output", _raw(tasks[index]), value)
            for index, value in sorted(edits.outputs.items())
        ),
    ]
    for index, value in edits.outputs.items():
        _set_output(tasks[index], index, value)
    pending = [i for i, task in enumerate(tasks) if i in running or task.get("output") is None]
    inputs = {**before, **changed}
    if inputs or crew.get("checkpoint_inputs") is not None:
        crew["checkpoint_inputs"] = inputs
    for index in pending:
        _reset_task(tasks[index], inputs if changed else None, drop=index in running)
    gone = {text(tasks[i].get("id")) for i in running if i < len(tasks)} - {None}
    endings = _ENDINGS if pending else ()
    edited = {text(tasks[i].get("id")) for i in edits.outputs} - {None}
    drop_events(
        made,
        lambda event: (
            event.get("type") in endings
            or text(event.get("task_id")) in gone
            # what a person wrote has not failed, whatever a callback said to what was there
            or (event.get("type") == "task_failed" and text(event.get("task_id")) in edited)
        ),
    )
    drop_executors(made, crew, [tasks[i] for i in sorted(running) if i < len(tasks)])
    return record, dropped


def _raw(task: Mapping[str, Any]) -> str | None:
    return text(mapping(task.get("output")).get("raw"))


def _set_output(task: dict[str, Any], index: int, value: str) -> None:
    """Put a person's text in the place of an output, and parse it again where declared."""
    label = one_line(text(task.get("name")) or f"task {index + 1}", 40)
    output = dict(mapping(task.get("output")))
    parsed = None
    if task.get("output_json") or task.get("output_pydantic"):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise Refused(
                f"the new output of {label} does not fit: it must be JSON ({error})",
                "edit it so that it fits what the task declares",
            ) from None
        # the user's own class judges for good when the run is prepared
        wrong = misfit(parsed, task.get("output_json") or task.get("output_pydantic"))
        if wrong is not None:
            raise Refused(
                f"the new output of {label} does not fit: {one_line(wrong, 200)}",
                "edit it so that it fits what the task declares",
            )
    output.update(
        raw=value,
        json_dict=parsed if task.get("output_json") else None,
        pydantic=parsed if task.get("output_pydantic") else None,
        description=output.get("description") or text(task.get("description")) or "",
        expected_output=output.get("expected_output") or text(task.get("expected_output")),
        name=output.get("name") or text(task.get("name")),
        summary=output.get("summary"),
        agent=output.get("agent") or text(mapping(task.get("agent")).get("role")) or "",
        output_format=output.get("output_format") or "raw",
        messages=[],
    )
    task["output"] = output


def _reset_task(task: dict[str, Any], inputs: Mapping[str, Any] | None, *, drop: bool) -> None:
    """A task that will run: without a result, its texts from the templates again."""
    if drop:
        task["output"] = None
        for key, empty in (
            ("prompt_context", None),
            ("start_time", None),
            ("end_time", None),
            ("processed_by_agents", []),
        ):
            if key in task:
                task[key] = empty
    if inputs is None:
        return
    for field in ("description", "expected_output"):
        template = text(task.get(f"checkpoint_original_{field}"))
        if template is not None:
            task[field] = fill(template, inputs)
