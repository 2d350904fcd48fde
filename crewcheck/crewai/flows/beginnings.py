"""Which methods can begin before a certain other one has been called again."""

from __future__ import annotations

from collections.abc import Sequence

from crewcheck.crewai.flows.steps import Step
from crewcheck.engine.flow_causes import gives
from crewcheck.engine.flow_plan import is_router
from crewcheck.engine.invalidation import RUN, Decision, to_keep
from crewcheck.model.flow_calls import Call


def begin_without(
    method: str, steps: Sequence[Step], calls: Sequence[Call], items: Sequence[Decision]
) -> set[str]:
    """The methods of which a call that is to be made may begin without a new call of a method.

    What cannot be told may.
    """
    known = {step.name: step for step in steps}
    routers = {step.name for step in steps if is_router(step)}
    kept = [calls[index] for index in to_keep(items)]
    running = {one.index for one in items if one.action == RUN}
    found: set[str] = set()
    coming: dict[str, Step | None] = {}
    for one in items:
        if one.action != RUN:
            continue
        call = calls[one.index] if one.index < len(calls) else None
        name = call.method if call is not None else one.label
        if call is None or call.cause in running:
            coming[name] = known.get(name)
        else:
            found.add(name)

    def told(name: str, listener: str) -> bool:
        """Whether a listener may be told of a name."""
        began = [call for call in calls if call.method == listener]
        for one in kept:
            fresh = all(one.index not in call.before for call in began)
            if fresh and gives(one, name, routers.__contains__):
                return True
        for other in found - {method}:
            step = known.get(other)
            if name == other:
                return True
            if step is not None and other in routers:
                labels = step.labels
                if name in labels if labels is not None else name not in known:
                    return True
        return False

    grown = True
    while grown:
        grown = False
        for name, step in coming.items():
            waits_for = step.waits_for if step is not None else None
            if name in found:
                continue
            enough = all if step is not None and step.all_of else any
            if not waits_for or enough(told(one, name) for one in waits_for):
                found.add(name)
                grown = True
    return found
