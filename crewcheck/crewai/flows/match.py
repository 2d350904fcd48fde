"""Whether the user's flow is the one that the checkpoint was made of.

Compared is what the record tells: which methods were called, and what each was set off by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crewcheck.crewai.crews import match as crew_match
from crewcheck.crewai.flows.adopt import is_unnamed, name_of
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.steps import Step
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.flow_causes import gives, set_off_by
from crewcheck.engine.flow_plan import is_router
from crewcheck.model.flow_calls import DONE


@dataclass(frozen=True)
class Difference:
    """``done``: whether it is about work that is done."""

    line: str
    done: bool


def compare(flow: Any, steps: Sequence[Step], saved: SavedFlow) -> list[Difference]:
    """Where the flow differs from the recorded one, a line each."""
    found = []
    if saved.name and name_of(flow) != saved.name and not is_unnamed(flow, saved):
        line = f"flow: {saved.name} in the checkpoint, {name_of(flow)} in the project"
        found.append(Difference(line, False))
    known = {step.name: step for step in steps}
    is_one = {step.name for step in steps if is_router(step)}.__contains__
    gone: dict[str, bool] = {}
    for call in saved.calls:
        step = known.get(call.method)
        if step is None:
            gone[call.method] = gone.get(call.method, False) or call.state == DONE
        elif call.cause is not None and step.waits_for is not None:
            at = set_off_by(call, saved.calls, step.waits_for, is_one)
            cause = saved.calls[call.cause if at is None else at]
            if not any(gives(cause, name, is_one) for name in step.waits_for):
                waits_for = ", ".join(step.waits_for) or "nothing"
                line = f"{call.label}: {cause.label} set it off, and it waits for {waits_for} now"
                found.append(Difference(line, call.state == DONE))
    found += [
        Difference(f"{method}: it is in the checkpoint, and the project's flow has no such method",
                   done)
        for method, done in gone.items()
    ]  # fmt: skip
    return found


def accept(differences: Sequence[Difference], allow_changed: bool) -> list[str]:
    """The lines of differences that may be. Raises `Refusal` for others.

    With ``allow_changed`` the project may differ in what is not done.
    """
    lines = [one.line for one in differences]
    if any(one.done for one in differences):
        raise Refusal(
            "different-flow",
            "the project's flow is not the one of this checkpoint: work that is done differs",
            "resume it with the project as it was, or choose another flow with --entry",
            lines,
        )
    if lines and not allow_changed:
        raise Refusal(
            "changed",
            "the project has changed since this checkpoint was written",
            "allow it with --allow-changed: the changes are all in work that is not done",
            lines,
        )
    return lines


def inputs_differ(before: Any, now: Any) -> list[str]:
    """Where the inputs of a kickoff differ from the checkpoint's, a line each."""
    return crew_match.inputs_differ(before, now)
