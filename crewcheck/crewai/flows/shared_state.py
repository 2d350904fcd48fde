"""What a call that starts anew had done to the state while others ran.

The state that a run goes on with is the one after the last call that has ended. A call that
was under way then may have changed it already, and would do so once more. What only such
calls change is taken back to what it was when they began; what cannot be told is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.uses import uses
from crewcheck.crewai.flows.uses_of_expressions import ASK, CHANGE, MADE, READ, SET, Use
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.invalidation import RUN, Decision, to_keep
from crewcheck.model.document import mapping
from crewcheck.model.flow_calls import Call
from crewcheck.model.json_path import REMOVED, Path, write_path

_STATE = "self.state"
#: What tells that a model, crew, agent or flow is through.
_ENDED = (
    "llm_call_completed",
    "llm_call_failed",
    "crew_kickoff_completed",
    "crew_kickoff_failed",
    "lite_agent_execution_completed",
    "lite_agent_execution_error",
    "flow_finished",
    "flow_failed",
)
_WRITES = (SET, CHANGE, MADE)


@dataclass(frozen=True)
class Undo:
    """A part of the state is as it was when the calls began that start anew."""

    path: Path
    value: Any


def undo(flow: Any, saved: SavedFlow, items: Sequence[Decision]) -> list[Undo]:
    """What is taken back of the state after the last kept call. Raises `Refusal` where it
    cannot be told what a call had done to it."""
    kept = sorted((saved.calls[one] for one in to_keep(items)), key=lambda call: call.end or 0)
    states = [call.flow_state for call in kept if isinstance(call.flow_state, dict)]
    if not states:
        return []
    anew = [
        saved.calls[one.index]
        for one in items
        if one.action == RUN and one.index < len(saved.calls)
    ]
    found: dict[Path, Any] = {}
    unknown: dict[str, list[str]] = {}
    for call in sorted(anew, key=lambda one: one.index, reverse=True):
        beside = [one for one in kept if one.index not in call.before]
        began = mapping(saved.by_id.get(call.started_id or "")).get("state")
        if not beside or not isinstance(began, dict) or call.method not in flow._methods:
            continue
        made = _uses(flow, call.method)
        theirs = [use for one in beside for use in _uses(flow, one.method)]
        for path, before in _changed(began, states[-1]):
            if _has_not_come_to(made, path, _answers(saved, call)):
                continue
            if not _writes(theirs, path):
                found[path] = before
            elif not _sets_anew(made, path):
                names = [one.label for one in beside]
                who = " and ".join([call.label, *names])
                unknown[f"{write_path(('state', *path))}: {who} change it"] = names
    if unknown:
        again = dict.fromkeys(f"--rerun {name}" for names in unknown.values() for name in names)
        raise Refusal(
            "state-shared",
            "what a method that starts anew had done to the state is in it already, and cannot "
            "be told from what others did meanwhile",
            f"go on from a checkpoint before that, or fork it with {' '.join(again)}",
            list(unknown),
        )
    return [Undo(path, value) for path, value in found.items()]


def applied(state: Mapping[str, Any], parts: Iterable[Undo]) -> dict[str, Any]:
    """A state with some parts as they were."""
    made = dict(state)
    for one in parts:
        at: Any = made
        for key in one.path[:-1]:
            at[key] = dict(at[key]) if isinstance(at.get(key), dict) else {}
            at = at[key]
        if one.value is REMOVED:
            at.pop(one.path[-1], None)
        else:
            at[one.path[-1]] = one.value
    return made


def _uses(flow: Any, method: str) -> list[Use]:
    if method not in flow._methods:
        return [Use(CHANGE, _STATE, False)]
    return uses(flow._methods[method], flow, None)


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[Path, Any]]:
    """The paths at which two states differ, with what was there before."""
    found: list[tuple[Path, Any]] = []
    for key in [*before, *(one for one in after if one not in before)]:
        old, new = before.get(key, REMOVED), after.get(key, REMOVED)
        if key == "id" or old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            found += [((key, *path), value) for path, value in _changed(old, new)]
        else:
            found.append(((key,), old))
    return found


def _touches(use: Use, path: Path) -> bool:
    """Whether a use is of a part of the state, or of what that is a part of."""
    if use.place != _STATE and not use.place.startswith(f"{_STATE}."):
        return False
    parts = use.place.split(".")[2:]
    return all(one == other for one, other in zip(parts, path, strict=False))


def _writes(made: Iterable[Use], path: Path) -> bool:
    return any(one.kind in _WRITES and _touches(one, path) for one in made)


def _has_not_come_to(made: Sequence[Use], path: Path, answers: float) -> bool:
    """Whether a call cannot have changed a part yet: it never does, or asks more before that
    than it has answers of."""
    asked = 0
    for one in made:
        if one.kind == ASK and one.certain:
            asked += 1
        elif one.kind in _WRITES and _touches(one, path):
            return asked > answers
    return True


def _answers(saved: SavedFlow, call: Call) -> float:
    """How often what a call asks had come to an end, at most: some models tell CrewAI nothing,
    and of what runs in a thread of the user's own nothing tells whose it is."""
    if not any(event.get("type") == "llm_call_started" for event in saved.events):
        return float("inf")
    own = {call.started_id, *call.attempts}
    return sum(
        event.get("type") in _ENDED
        and ((parent := event.get("parent_event_id")) in own or parent not in saved.by_id)
        for event in saved.events
    )


def _sets_anew(made: Iterable[Use], path: Path) -> bool:
    """Whether a call gives a part a new value, whatever it was."""
    for one in made:
        if _touches(one, path):
            if one.kind == SET and one.certain and one.place.count(".") <= len(path) + 1:
                return True
            if one.kind in (READ, *_WRITES):
                return False
    return False
