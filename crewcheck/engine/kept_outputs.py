"""A crew of which only the outputs of its last run are known, completed from its project.

`stores.task_outputs` knows no templates, and not which tasks were still to come; the text
of the project does, where the crew is found in it for certain.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from crewcheck.engine.entry import matches
from crewcheck.engine.source import Source
from crewcheck.model.crew import tasks
from crewcheck.model.document import iter_events, mapping, objects
from crewcheck.model.identity import fill
from crewcheck.model.primary import primary
from crewcheck.model.status import KEPT_OUTPUTS
from crewcheck.runtimes.project import find_project
from crewcheck.runtimes.static_look import TaskTexts, look_at
from crewcheck.stores.task_outputs import blank_task


def completed(source: Source, entry: str | None = None) -> Source:
    """The source with all the tasks of its crew, where these are known; else as it is.

    ``entry`` is the crew that the person named. It is `Source.partial` as long as a text of
    a task is not known.
    """
    project = find_project()
    found = [
        one.candidate
        for one in matches(source, look_at(project.folder, project.path))
        if one.candidate.tasks is not None and entry in (None, one.candidate.entry)
    ]
    if len(found) != 1:
        return source
    texts = found[0].tasks or ()
    document = copy.deepcopy(source.document)
    crew: Any = primary(document, list(iter_events(document)))
    crew["tasks"] = [
        _task(index, objects(crew["tasks"])[index : index + 1], one, source.inputs)
        for index, one in enumerate(texts)
    ]
    crew["name"] = found[0].name
    if all(one.template is not None and one.expected_template is not None for one in texts):
        del crew[KEPT_OUTPUTS]
    document["crewcheck"] = {
        "dropped": [at for at, one in enumerate(crew["tasks"]) if one["output"] is None]
    }
    return dataclasses.replace(
        source,
        document=document,
        entity=crew,
        name=found[0].name,
        tasks=tasks(document, crew, []),
        mended=True,
    )


def _task(
    index: int, saved: Sequence[Mapping[str, Any]], texts: TaskTexts, inputs: Mapping[str, Any]
) -> dict[str, Any]:
    task = dict(saved[0]) if saved else blank_task(index)
    task["name"] = texts.name
    for field, template in (
        ("description", texts.template),
        ("expected_output", texts.expected_template),
    ):
        if template is not None:
            task[f"checkpoint_original_{field}"] = template
            if task["output"] is None:
                task[field] = fill(template, inputs)
    return task


def with_tasks_to_come(document: Mapping[str, Any], total: int) -> Mapping[str, Any]:
    """The document of a partial crew with as many tasks as its project's crew has."""
    crew = mapping(primary(document, list(iter_events(document))))
    missing = total - len(objects(crew.get("tasks")))
    if KEPT_OUTPUTS not in crew or missing <= 0:
        return document
    made = copy.deepcopy(dict(document))
    found: Any = primary(made, list(iter_events(made)))
    found["tasks"] += [blank_task(total - missing + at) for at in range(missing)]
    return made
