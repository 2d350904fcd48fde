"""What a checkpoint cannot bring back: `model.losses`, as findings."""

from __future__ import annotations

from collections.abc import Iterator

from crewcheck.engine.checks.subject import Flaw, Subject
from crewcheck.model.document import objects, text
from crewcheck.model.losses import losses


def check(subject: Subject) -> Iterator[Flaw]:
    places = {subject.label(place, task): place for place, task in reversed(subject.tasks)}
    for loss in losses(subject.entity, subject.events):
        place = places.get(loss.where)
        path = subject.at if place is None else subject.task_path(place)
        said = f"{loss.where}: {loss.message}" if loss.where else loss.message
        yield Flaw(f"lost-{loss.rule}", path, said)
    for place, task in subject.tasks:
        for at, tool in enumerate(objects(task.get("tools"))):
            if any(key in tool and not tool[key] for key in ("func", "function")):
                name = text(tool.get("name")) or "unnamed"
                said = f"{subject.label(place, task)}: the tool {name} has no function"
                yield Flaw("lost-tool-function", f"{subject.task_path(place)}.tools[{at}]", said)
