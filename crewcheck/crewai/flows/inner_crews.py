"""A crew that a call kicks off again takes over what its saved twin had done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from crewcheck.crewai.answers import within
from crewcheck.crewai.crews import lineage, match, planning, recording, replay, tool_cache
from crewcheck.crewai.crews.pairing import pair
from crewcheck.crewai.crews.saved import SavedCrew
from crewcheck.crewai.flows.scope import Scope, current, with_inputs
from crewcheck.crewai.wrapping import held
from crewcheck.engine.invalidation import DONE, SKIPPED
from crewcheck.model.document import text

_patched: list[str] = []


def arm() -> None:
    """Look at all crews' kickoffs; others come down to these."""
    if _patched:
        return
    from crewai import Crew

    kind: Any = Crew
    for name in ("kickoff", "akickoff"):
        method = getattr(kind, name, None)
        if callable(method):
            _patched.append(name)
            setattr(kind, name, held(method, _armed, awaited=name == "akickoff"))


@contextmanager
def _armed(crew: Any, args: Any, named: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """While a crew runs: its finished tasks answer from the recording."""
    given = named.get("inputs", args[0] if args else None)
    saved = _twin(crew, given)
    if saved is None:
        yield args, named
        return
    kept = {}
    skipped = {index for index, state in enumerate(saved.states) if state == SKIPPED}
    for index, state in enumerate(saved.states):
        if state == DONE:
            task, old = crew.tasks[index], saved.tasks[index]
            kept[index] = recording.output_of(task, old, saved.label(index), saved.events)
            recording.restore(task, old)
    callbacks = list(crew.before_kickoff_callbacks)
    if callbacks:
        crew.before_kickoff_callbacks = []  # the recorded inputs are what they returned
        args, named = with_inputs(args, named, saved.inputs)
    told = replay.Replay(crew, kept, skipped)
    pairing = pair(crew, saved)
    lineage.adopt_ids(crew, saved, pairing)  # its finished tool calls are known by its tasks
    planning.arm(crew, saved, pairing, frozenset())
    replay.arm(told)
    done = [(crew.tasks[at], str(saved.tasks[at].get("id"))) for at in kept]
    tool_cache.fill(crew, done, saved.events)
    try:
        yield args, named
    finally:
        replay.disarm(told)
        planning.disarm(crew)
        crew.before_kickoff_callbacks = callbacks


def _twin(crew: Any, inputs: Mapping[str, Any] | None) -> SavedCrew | None:
    """The saved crew that this one is, taken out of the record."""
    scope: Scope | None = current.get()
    if not scope:
        return None
    saved = scope.take(scope.crews, lambda one: _is_twin(crew, inputs, one))
    if saved is not None:
        for index, state in enumerate(saved.states):
            if state == DONE:
                scope.forget(within(saved.events, text(saved.tasks[index].get("id")) or ""))
    return saved


def _is_twin(crew: Any, inputs: Mapping[str, Any] | None, saved: SavedCrew) -> bool:
    if saved.name and text(crew.name) != saved.name:
        return False
    pairing = pair(crew, saved)
    if not pairing.unchanged or match.compare(crew, saved, pairing):
        return False
    return bool(crew.before_kickoff_callbacks) or recording.same_inputs(inputs, saved.inputs)
