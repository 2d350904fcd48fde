"""What is tried with each checkpoint of a recording."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.fidelity.recording import Point, Recording

RESUME, FORK = "resume", "fork"
COLUMNS = ("resume", "fork", "fork+output", "fork+input", "fork+result", "fork+state")
EDITED = "EDITED by hand"

T = TypeVar("T")


@dataclass(frozen=True)
class Case:
    """One resume or fork. ``edit`` is what a person edits, ``oracle`` what comes out
    differently in the program that it must be equal to (`program.run`)."""

    recording: Recording
    point: Point
    column: str
    edit: dict[str, Any] = field(default_factory=dict)
    oracle: dict[str, Any] = field(default_factory=dict)

    @property
    def action(self) -> str:
        return self.column.partition("+")[0]

    @property
    def name(self) -> str:
        name = self.recording.scenario.name
        return f"{name} {self.column} at {self.point.number} ({self.point.trigger})"


def cases(recording: Recording, points: Sequence[Point] | None = None) -> Iterator[Case]:
    """All that can be tried with some checkpoints, or with all."""
    only = recording.scenario.get("ONLY", COLUMNS)
    least = recording.scenario.get("FROM_DONE", 0)
    for point in recording.points if points is None else points:
        if len(point.outputs) < least:
            continue
        for case in _of(recording, point):
            if case.column in only:
                yield case


def _of(recording: Recording, point: Point) -> Iterator[Case]:
    scenario = recording.scenario
    yield Case(recording, point, "resume")
    yield Case(recording, point, "fork")
    for place, text in _edited_outputs(recording, point):
        edit = {"outputs": {str(place): text}}
        yield Case(recording, point, "fork+output", edit, edit)
    inputs = scenario.get("EDIT_INPUTS")
    if inputs:
        whole = {**(scenario.get("INPUTS") or {}), **inputs}
        yield Case(recording, point, "fork+input", {"inputs": inputs}, {"inputs": whole})
    for method, value in (scenario.get("EDIT_RESULT") or {}).items():
        number = point.calls.get(method, 0)
        if number:
            edit = {"results": {f"{method}#{number}": value}}
            yield Case(
                recording, point, "fork+result", edit, {"results": [[method, number, value]]}
            )
    state = scenario.get("EDIT_STATE")
    if state and point.calls and not point.finished:
        # the state that is edited is the one after the last call that has ended
        edit = {"state": state}
        yield Case(recording, point, "fork+state", edit, {**edit, "after": point.calls})


def _edited_outputs(recording: Recording, point: Point) -> Iterator[tuple[int, str]]:
    scenario = recording.scenario
    if scenario.kind != "crew":
        return
    wanted = scenario.get("EDIT_OUTPUT")
    if wanted is None:
        wanted = {0: _fitting(point.outputs.get(0, ""))}
    for place, text in wanted.items():
        if place in point.outputs:
            yield place, text


def _fitting(text: str) -> str:
    """Another text that fits where one did: JSON stays JSON of the same form."""
    try:
        value = json.loads(text)
    except ValueError:
        return EDITED
    return json.dumps(_changed(value)) if isinstance(value, (dict, list)) else EDITED


def _changed(value: Any) -> Any:
    """A JSON value with other texts in it."""
    if isinstance(value, dict):
        return {key: _changed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_changed(one) for one in value]
    return EDITED if isinstance(value, str) else value


def spread(points: Sequence[T], count: int | None) -> list[T]:
    """So many of them: the first, the last, and evenly between; all if None."""
    if count is None or count >= len(points):
        return list(points)
    if count <= 1:
        return [points[len(points) // 2]][:count]
    step = (len(points) - 1) / (count - 1)
    return [points[round(step * number)] for number in range(count)]


def spread_points(points: Sequence[Point], count: int | None) -> list[Point]:
    """So many checkpoints that differ in what is done: half of them, as far as there are,
    with work under way of which the model has answered something."""
    if count is None or count >= len(points):
        return list(points)
    stages: dict[Any, Point] = {}
    for point in points:
        calls = tuple(sorted(point.calls.items()))
        stages.setdefault((tuple(sorted(point.outputs)), calls, len(point.answered)), point)
    under_way = spread([one for one in stages.values() if one.under_way], count // 2)
    others = [one for one in points if not one.under_way]
    distinct = [one for one in stages.values() if not one.under_way]
    left = count - len(under_way)
    chosen = under_way + spread(distinct if len(distinct) >= left else others, left)
    return sorted(chosen, key=lambda one: one.number)
