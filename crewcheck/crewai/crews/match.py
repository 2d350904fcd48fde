"""Whether the user's crew is the one that the checkpoint was made of.

Compared are the number of tasks and their templates. Names, ids and objects tell nothing:
ids are new in each process, and CrewAI copies crews. Other things that a person may have
changed on purpose, to try again, are warnings (`warnings`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crewcheck.crewai.crews import facts
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.invalidation import DONE, SKIPPED
from crewcheck.model.crew import agent as saved_agent
from crewcheck.model.document import mapping, objects, text
from crewcheck.model.identity import Traits, fill, match, task_traits

_WIDTH = 90
# the form of a placeholder, not capturing its name
_PLACEHOLDER = re.compile(r"\{[A-Za-z_][A-Za-z0-9_\-]*\}")


@dataclass(frozen=True)
class Difference:
    """``index``: the task it is about, None for the crew itself."""

    index: int | None
    line: str


def compare(crew: Any, saved: SavedCrew) -> list[Difference]:
    """Where the tasks differ, a line each; empty when they are the same."""
    found: list[Difference] = []
    if len(crew.tasks) != len(saved.tasks):
        found.append(
            Difference(
                None,
                f"tasks: {len(saved.tasks)} in the checkpoint, {len(crew.tasks)} in the project"
                + _gone_and_new(crew, saved),
            )
        )
    for index, (task, old) in enumerate(zip(crew.tasks, saved.tasks, strict=False)):
        for field in ("description", "expected_output"):
            if not _same(task, old, field, saved.inputs):
                before = _saved_template(old, field)
                now = facts.template(task, field)
                found.append(Difference(index, _line(saved.label(index), field, before, now)))
    return found


def _gone_and_new(crew: Any, saved: SavedCrew) -> str:
    """Which tasks only one of them has, as far as that can be told."""
    mine = [
        Traits(
            name=text(getattr(task, "name", None)) or None,
            text=facts.template(task),
            owner=facts.template(task.agent, "role") or None,
        )
        for task in crew.tasks
    ]
    pairs = match([task_traits(task) for task in saved.tasks], mine)
    gone = [saved.label(one.old) for one in pairs if one.new is None and one.old is not None]
    new = [
        mine[one.new].name or f"task {one.new + 1}"
        for one in pairs
        if one.old is None and one.new is not None
    ]
    parts = [
        f"{', '.join(names)} {what}" for names, what in ((gone, "gone"), (new, "new")) if names
    ]
    return f": {'; '.join(parts)}" if parts else ""


def accept(
    differences: list[Difference], saved: SavedCrew, total: int, allow_changed: bool
) -> list[str]:
    """The lines of differences that may be. Raises `Refusal` for others.

    With ``allow_changed`` the project may differ in tasks that are not done; the tasks
    that are done must be the saved ones. ``total`` is how many the project has.
    """
    if not differences:
        return []
    lines = [one.line for one in differences]
    done = {i for i, state in enumerate(saved.states) if state in (DONE, SKIPPED)}
    if total <= max(done, default=-1) or done & {one.index for one in differences}:
        raise Refusal(
            "different-crew",
            "the project's crew is not the one of this checkpoint: work that is done differs",
            "resume it with the project as it was, or choose another crew with --entry",
            lines,
        )
    if not allow_changed:
        raise Refusal(
            "changed",
            "the project has changed since this checkpoint was written",
            "allow it with --allow-changed: the changes are all in work that is not done",
            lines,
        )
    return lines


def _saved_template(old: Mapping[str, Any], field: str) -> str:
    return text(old.get(f"checkpoint_original_{field}")) or text(old.get(field)) or ""


def _same(task: Any, old: Mapping[str, Any], field: str, inputs: Mapping[str, Any] | None) -> bool:
    mine = facts.template(task, field)
    if _saved_template(old, field) == mine:
        return True
    if text(old.get(f"checkpoint_original_{field}")) is not None:
        return False
    # never filled in (no inputs), or of CrewAI 1.14.1, which keeps no templates
    return text(old.get(field)) in (mine, fill(mine, inputs or {}))


def _line(label: str, field: str, before: str, now: str) -> str:
    """Both texts from a little before the place where they part."""
    parted = (i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b)
    start = max(0, next(parted, min(len(before), len(now))) - 20)
    what = field.replace("_", " ")
    return f"{label}, {what}: {_cut(before, start)} in the checkpoint, {_cut(now, start)} now"


def _cut(value: str, start: int) -> str:
    part = value[start : start + _WIDTH]
    return ("…" if start else "") + repr(part) + ("…" if start + _WIDTH < len(value) else "")


def is_filling(value: str, template: str) -> bool:
    """Whether a text can be a template with some inputs in it, whichever they were.

    A fork with another input keeps the old text of an agent, so the values do not tell.
    """
    first, *rest = _PLACEHOLDER.split(template)
    if not rest:
        return value == template
    if not value.startswith(first):
        return False
    at = len(first)
    for piece in rest[:-1]:
        at = value.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return len(value) - at >= len(rest[-1]) and value.endswith(rest[-1])


def warnings(crew: Any, saved: SavedCrew, run: list[int]) -> list[dict[str, str]]:
    """What differs from the checkpoint in the tasks that will run, and is the project's now.

    ``where`` names all tasks that a warning is about.
    """
    found: list[dict[str, str]] = []

    def warn(rule: str, index: int, message: str) -> None:
        for one in found:
            if (one["rule"], one["message"]) == (rule, message):
                one["where"] += f", {saved.label(index)}"
                return
        found.append({"rule": rule, "where": saved.label(index), "message": message})

    for index in run:
        if index >= len(saved.tasks):
            continue
        task, old = crew.tasks[index], saved.tasks[index]
        before = saved_agent(mapping(old.get("agent")))
        for field in ("role", "goal", "backstory") if before.role else ():
            was, now = getattr(before, field), facts.agent_template(task.agent, field)
            if not is_filling(was, now):
                warn("agent-changed", index, f"its agent's {field} is another one now")
        model, endpoint = facts.model_of(task.agent), facts.endpoint_of(task.agent)
        if before.model and model and _plain(before.model) != _plain(model):
            warn(
                "model-changed",
                index,
                f"it asks {model}; the checkpoint was made with {before.model}",
            )
        if before.model and before.endpoint != endpoint:
            warn(
                "endpoint-changed",
                index,
                f"it asks at {endpoint or 'the usual address'}; the checkpoint was made with "
                f"{before.endpoint or 'the usual address'}",
            )
        tools = {text(tool.get("name")) for tool in objects(old.get("tools"))}
        tools = tools or {
            text(tool.get("name")) for tool in objects(mapping(old.get("agent")).get("tools"))
        }
        if tools != set(facts.tool_names(task)):
            warn("tools-changed", index, "its tools are not those of the checkpoint")
    return found


def _plain(model: str) -> str:
    """A model's name without its provider: CrewAI writes it both ways."""
    return model.rsplit("/", 1)[-1]


def inputs_differ(before: Any, now: Any) -> list[str]:
    """Where the inputs of a kickoff differ from the checkpoint's, a line each."""
    before, now = dict(before or {}), dict(now or {})
    return [
        f"input {name}: {before.get(name)!r} in the checkpoint, {now.get(name)!r} in the program"
        for name in {**before, **now}
        if name not in before or name not in now or before[name] != now[name]
    ] or ["inputs: their types differ"]
