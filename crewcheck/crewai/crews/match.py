"""Where the user's crew differs from the one that the checkpoint was made of.

Compared are the tasks: which there are, in which order, with which texts and output classes.
Objects tell nothing: CrewAI copies crews. Other things that a person may have changed on
purpose, to try again, are warnings (`warnings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.crews import facts
from crewcheck.crewai.crews.pairing import DESCRIPTION, EXPECTED, Pairing, same_text, saved_template
from crewcheck.crewai.crews.recording import is_parsed
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.invalidation import DONE, SKIPPED
from crewcheck.engine.redaction import Redactor
from crewcheck.model.document import mapping, sequence

_WIDTH = 90


def compare(crew: Any, saved: SavedCrew, pairing: Pairing) -> list[str]:
    """The differences of the tasks, a line each; empty when they are the same."""
    lines = []
    if not pairing.unchanged:
        # of an incomplete record more tasks are no difference
        if pairing.gone or (len(crew.tasks) != len(saved.tasks) and not saved.partial):
            lines.append(_count(crew, saved, pairing))
        olds = [old for old in pairing.old if old is not None]
        if olds != sorted(olds):
            order = ", ".join(saved.label(old) for old in olds)
            lines.append(f"the tasks stand in another order now: {order}")
    for index, old in enumerate(pairing.old):
        if old is not None:
            lines += _of_task(crew, saved, index, old)
    return lines


def _count(crew: Any, saved: SavedCrew, pairing: Pairing) -> str:
    line = f"tasks: {len(saved.tasks)} in the checkpoint, {len(crew.tasks)} in the project"
    gone = [saved.label(old) for old in pairing.gone]
    new = [facts.label(crew, at) for at, old in enumerate(pairing.old) if old is None]
    parts = [f"{', '.join(one)} {what}" for one, what in ((gone, "gone"), (new, "new")) if one]
    return line + (f": {'; '.join(parts)}" if parts else "")


def _of_task(crew: Any, saved: SavedCrew, index: int, old: int) -> list[str]:
    task, before = crew.tasks[index], saved.tasks[old]
    lines = [
        _line(saved.label(old), field, saved_template(before, field), facts.template(task, field))
        for field in (DESCRIPTION, EXPECTED)
        if not same_text(saved, before, task, field)
    ]
    if not _same_class(task, before):
        name = getattr(facts.output_class(task), "__name__", "none")
        lines.append(f"{saved.label(old)}, output class: it is another one now ({name})")
    if not saved.partial:
        said = (_waits(task, before), _given(crew, saved, index, old))
        lines += [f"{saved.label(old)}: {one}" for one in said if one]
    return lines


def _waits(task: Any, before: Mapping[str, Any]) -> str:
    if bool(task.async_execution) == bool(before.get("async_execution")):
        return ""
    return f"it is {'' if task.async_execution else 'not '}asynchronous now"


def _given(crew: Any, saved: SavedCrew, index: int, old: int) -> str:
    """Whether a task is given outputs of others and was not, or the other way round, as far
    as a checkpoint tells: of a ``context`` only that it is empty."""
    task, before = crew.tasks[index], saved.tasks[old]
    named = isinstance(task.context, list) and task.context
    if not before.get("context", True):
        all_before = task.context and index and not task.async_execution
        return "it is given outputs of others now" if named or all_before else ""
    if old and not before.get("async_execution") and not task.context:
        return "it is given no outputs of others now"
    return ""


def _same_class(task: Any, old: Mapping[str, Any]) -> bool:
    for field in ("output_pydantic", "output_json"):
        mine, schema = getattr(task, field, None), old.get(field)
        if (mine is None) != (schema is None):
            return False
        properties = mapping(mapping(schema).get("properties"))
        if mine is not None and properties and set(properties) != _properties(mine):
            return False
    return True


def _properties(model: Any) -> set[str]:
    try:
        return set(mapping(model.model_json_schema().get("properties")))
    except Exception:  # a class that has no schema: nothing can be said of it
        return set(model.model_fields)


def not_as_recorded(crew: Any, saved: SavedCrew, pairing: Pairing) -> dict[int, str]:
    """Why tasks that are done would not give now what was recorded, by their position."""
    found = {}
    for index, old in enumerate(pairing.old):
        if old is None or saved.states[old] not in (DONE, SKIPPED):
            continue
        task, before = crew.tasks[index], saved.tasks[old]
        named = isinstance(task.context, list)
        if not all(same_text(saved, before, task, field) for field in (DESCRIPTION, EXPECTED)):
            found[index] = "its text is another one now"
        elif not saved.partial and (given := _given(crew, saved, index, old)):
            found[index] = given
        elif not saved.partial and index and (waits := _waits(task, before)) and not named:
            found[index] = waits  # such a task is given nothing, another one all before it
        elif not _same_class(task, before) and not is_parsed(task, before, saved.events):
            found[index] = "its recorded output does not fit its output class, which has changed"
        elif not pairing.unchanged:
            because = _given_otherwise(crew, saved, pairing, index, old)
            if because:
                found[index] = because
    return found


def _given_otherwise(
    crew: Any, saved: SavedCrew, pairing: Pairing, index: int, old: int
) -> str | None:
    """Why a task is given other outputs than it was, if tasks have come, gone or moved."""
    task = crew.tasks[index]
    now = [pairing.old[place] for place in sorted(facts.depends_on(crew, index))]
    if isinstance(task.context, list):
        order = {id(one): place for place, one in enumerate(crew.tasks)}
        now = [pairing.old[order[id(one)]] for one in task.context if id(one) in order]
        then: list[int | None] = [
            one for one in now if one is not None
        ]  # which they were is not in the checkpoint
    else:
        then = _given_then(saved, old)
    if now == then:
        return None
    new = [
        facts.label(crew, place)
        for place in sorted(facts.depends_on(crew, index))
        if pairing.old[place] is None
    ]
    gone = [saved.label(one) for one in then if one in pairing.gone]
    both = ((new, "too"), (gone, "no more"))
    said = [f"{', '.join(which)} {what}" for which, what in both if which]
    return "it is given other outputs now" + (f": {'; '.join(said)}" if said else "")


def _given_then(saved: SavedCrew, old: int) -> list[int | None]:
    tasks = saved.tasks
    if sequence(tasks[old].get("context")) == [] and isinstance(tasks[old].get("context"), list):
        return []
    if tasks[old].get("async_execution"):
        return []
    return [*range(old)]


def accept(lines: list[str], saved: SavedCrew, pairing: Pairing, allow_changed: bool) -> list[str]:
    """The lines of differences that may be. Raises `Refusal`.

    With ``allow_changed`` the project may differ, as long as something that is done is still
    there: what was done of other tasks is run again, or dropped.
    """
    if not lines:
        return []
    done = {old for old, state in enumerate(saved.states) if state in (DONE, SKIPPED)}
    known = {pairing.old[index] for index in pairing.told}
    foreign = all(old is None for old in pairing.old)
    if foreign or (done and not done & known):
        raise Refusal(
            "different-crew",
            "the project's crew is not the one of this checkpoint: it has none of the tasks"
            + ("" if foreign else " that are done"),
            "resume it with the project as it was, or choose another crew with --entry",
            lines,
        )
    if not allow_changed:
        raise Refusal(
            "changed",
            "the project has changed since this checkpoint was written",
            "allow it with --allow-changed: done tasks that have changed, or are given other "
            "outputs, are run again",
            lines,
        )
    return lines


def _line(label: str, field: str, before: str, now: str) -> str:
    """Both texts from a little before the place where they part."""
    parted = (i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b)
    start = max(0, next(parted, min(len(before), len(now))) - 20)
    what = field.replace("_", " ")
    return f"{label}, {what}: {_cut(before, start)} in the checkpoint, {_cut(now, start)} now"


def _cut(value: str, start: int) -> str:
    part = value[start : start + _WIDTH]
    return ("…" if start else "") + repr(part) + ("…" if start + _WIDTH < len(value) else "")


_redactor = Redactor()


def inputs_differ(before: Any, now: Any) -> list[str]:
    """Where the inputs of a kickoff differ from the checkpoint's, a line each."""
    before, now = dict(before or {}), dict(now or {})

    def told(inputs: dict[str, Any], name: str) -> str:
        return repr(_redactor.value(inputs.get(name), name))

    return [
        f"input {name}: {told(before, name)} in the checkpoint, {told(now, name)} in the program"
        for name in {**before, **now}
        if name not in before or name not in now or before[name] != now[name]
    ] or ["inputs: their types differ"]
