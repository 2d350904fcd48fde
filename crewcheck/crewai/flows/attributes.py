"""What methods set beside the state: attributes, globals, hidden parts. No checkpoint has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from crewcheck.crewai.flows.beginnings import begin_without
from crewcheck.crewai.flows.steps import Step
from crewcheck.crewai.flows.uses import uses
from crewcheck.crewai.flows.uses_of_expressions import CHANGE, MADE, READ, SET, Use
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.invalidation import RUN, Decision, to_keep
from crewcheck.model.flow_calls import Call


def hidden_of(flow: Any) -> frozenset[str]:
    """The parts of a flow's state that no checkpoint has: private ones, and excluded ones."""
    kind = type(getattr(flow, "_state", None))
    private = getattr(kind, "__private_attributes__", None) or {}
    fields = getattr(kind, "model_fields", None) or {}
    excluded = {name for name, one in fields.items() if getattr(one, "exclude", None)}
    return frozenset({*private, *excluded})


def used_by(flow: Any, method: str) -> list[Use]:
    """What a method uses that is not in the flow's state, but for what CrewAI itself keeps."""
    own = {
        f"self.{name}"
        for kind in type(flow).__mro__
        if str(kind.__module__).startswith("crewai.")
        for name in getattr(kind, "model_fields", {})
    }
    found = uses(flow._methods[method], flow, hidden_of(flow))
    return [one for one in found if one.place not in own]


def lost_by(made: Iterable[Use]) -> list[str]:
    """What is lost of a method that is kept."""
    return list(dict.fromkeys(one.place for one in made if one.kind in (SET, CHANGE)))


def _needed(made: Iterable[Use]) -> list[str]:
    """What a method reads before it has surely set it."""
    own: set[str] = set()
    found: dict[str, None] = {}
    for one in made:
        if one.kind == SET and one.certain:
            own.add(one.place)
        elif one.kind in (READ, MADE) and one.place not in own:
            found[one.place] = None
    return list(found)


def _sets_anew(made: Iterable[Use]) -> set[str]:
    return {one.place for one in made if one.kind == SET and one.certain} - {
        one.place for one in made if one.kind == CHANGE
    }


def check(
    flow: Any, steps: Sequence[Step], calls: Sequence[Call], items: Sequence[Decision]
) -> None:
    """Raises `Refusal` where what runs needs what only a kept call had set, and may begin
    before that is set again."""
    known = flow._methods
    kept = dict.fromkeys(calls[index].method for index in to_keep(items))
    running = dict.fromkeys(
        calls[one.index].method if one.index < len(calls) else one.label
        for one in items
        if one.action == RUN
    )
    told = {name: used_by(flow, name) for name in [*kept, *running] if name in known}
    lost: dict[str, list[str]] = {}
    for name in kept:
        for place in lost_by(told.get(name, ())):
            lost.setdefault(place, []).append(name)
    found = []
    for place, names in lost.items():
        readers = [one for one in running if one in known and place in _needed(told[one])]
        setters = [one for one in running if one in known and place in _sets_anew(told[one])]
        for setter in setters:
            free = begin_without(setter, steps, calls, items)
            readers = [one for one in readers if one in free]
        found += [(one, place, names) for one in readers]
    if found:
        again = dict.fromkeys(f"--rerun {name}" for *_, names in found for name in names)
        raise Refusal(
            "attributes-lost",
            "what is not done needs what was set beside the flow's state, and no checkpoint has it",
            f"keep it in the state, or fork it with {' '.join(again)}",
            [
                f"{reader} reads {place}, which {' and '.join(names)} had set"
                for reader, place, names in found
            ],
        )


def sets(flow: Any, method: str) -> list[str]:
    """What a method sets beside the state."""
    return lost_by(used_by(flow, method)) if method in flow._methods else []
