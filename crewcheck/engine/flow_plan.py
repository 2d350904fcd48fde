"""Which calls of a flow's methods a fork or resume keeps, and which run.

The causes of a call are in the events and, exactly, in the class: a join waits for more
than the call that set it off. Without the class a call counts as dependent on all that
had ended when it began. What has not begun is known from the class only.

Stdlib only and Python 3.10: the child can use it with what the user's own class tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from crewcheck.engine.flow_causes import gives, label_of, set_off_by
from crewcheck.engine.invalidation import (
    DONE,
    FAILED,
    KEEP,
    PENDING,
    RUN,
    UNDER_WAY,
    Decision,
    TaskFacts,
    Wishes,
    decide,
)
from crewcheck.model.flow_calls import Call

#: A recorded call that is neither kept nor run again: the new route does not lead there.
DROP = "drop"

#: The rule of what a router may lead to.
MAY_COME = "may-come"
_ROUTE = "a route may lead to it"

#: Rules of calls that are made (again) only where a route leads to them.
_BY_ROUTE = ("depends-on-changed", "failed", "under-way")

_STATES = {"done": DONE, "running": UNDER_WAY, "failed": FAILED, "paused": UNDER_WAY}


class Step(Protocol):
    """What is known of a method of the class (`runtimes.static_values.Step`)."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def waits_for(self) -> tuple[str, ...] | None: ...
    @property
    def all_of(self) -> bool: ...
    @property
    def labels(self) -> tuple[str, ...] | None: ...


class Ended(Protocol):
    """What is known of a call that has been made."""

    @property
    def method(self) -> str: ...
    @property
    def result(self) -> Any: ...


@dataclass(frozen=True)
class FlowWishes:
    """What a person wants to be different. Calls are named by their positions.

    ``results``: the edited results; ``inputs``: names of changed inputs of the kickoff;
    ``rerun`` and ``keep`` as for tasks.
    """

    results: Mapping[int, Any] = field(default_factory=dict)
    inputs: frozenset[str] = frozenset()
    rerun: frozenset[int] = frozenset()
    keep: frozenset[int] = frozenset()


def plan_flow(
    calls: Sequence[Call],
    steps: Sequence[Step] | None,
    wishes: FlowWishes | None = None,
    *,
    finished: bool = False,
) -> list[Decision]:
    """For each call, in order, whether it is kept, run again or dropped, and why; then the
    methods that have not begun and that the flow comes to (rule ``pending``), or that a router
    may lead to (``may-come``).

    ``steps`` are those of the flow's class, None where it is not known.
    """
    want = wishes or FlowWishes()
    known = {step.name: step for step in steps} if steps is not None else None
    facts = [_facts(call, calls, known) for call in calls]
    decisions = decide(facts, Wishes(frozenset(want.results), want.inputs, want.rerun, want.keep))
    decisions = [
        replace(one, reason="it waits for a person")
        if calls[one.index].state == "paused" and one.rule == "under-way"
        else one
        for one in decisions
    ]
    if known is None:
        return decisions
    decisions = _rerouted(decisions, calls, known, want.results)
    decisions = _perhaps(decisions, calls, known)
    return decisions + to_come(decisions, calls, known, want.results, finished)


def _facts(call: Call, calls: Sequence[Call], known: Mapping[str, Step] | None) -> TaskFacts:
    step = known.get(call.method) if known is not None else None
    begins = call.cause is None and (step.kind == "start" if step else not call.before)
    depends_on, certain = call.before, False
    if step is not None and step.waits_for is not None:
        depends_on, certain = _causes(call, calls, step, known or {}), True
        begins = begins and not depends_on
    elif begins:
        depends_on = frozenset()
    # the inputs of a kickoff become the state that the flow begins with
    names = None if begins else frozenset[str]()
    return TaskFacts(call.index, _STATES[call.state], depends_on, names, call.label, certain)


def _causes(
    call: Call, calls: Sequence[Call], step: Step, known: Mapping[str, Step]
) -> frozenset[int]:
    """The calls that a call was made because of."""

    def routes(name: str) -> bool:
        return name in known and is_router(known[name])

    waits_for = step.waits_for or ()
    cause = set_off_by(call, calls, waits_for, routes)
    causes = {cause} if cause is not None else set()
    if step.all_of or not causes:
        for name in waits_for:
            told = [one for one in calls if one.index in call.before and gives(one, name, routes)]
            if told:
                causes.add(max(told, key=lambda one: one.end or 0).index)
    return frozenset(causes)


def _rerouted(
    decisions: list[Decision],
    calls: Sequence[Call],
    known: Mapping[str, Step],
    results: Mapping[int, Any],
) -> list[Decision]:
    """Take out what only the old route led to."""
    gone: set[int] = set()
    made = []
    for one in decisions:
        step = known.get(calls[one.index].method)
        if one.action == RUN and step is None:
            gone.add(one.index)
            reason = "the project has no such method any more"
            one = replace(one, action=DROP, rule="method-gone", reason=reason)
        if one.rule in _BY_ROUTE and step is not None:
            causes = _causes(calls[one.index], calls, step, known)
            lost = {
                cause for cause in causes if _leads_elsewhere(cause, step, results, known, calls)
            }
            lost |= causes & gone
            if lost and (step.all_of or lost == causes):
                gone.add(one.index)
                reason = "the new route does not lead there"
                one = replace(one, action=DROP, rule="route-changed", reason=reason)
        made.append(one)
    return made


def _perhaps(
    decisions: list[Decision], calls: Sequence[Call], known: Mapping[str, Step]
) -> list[Decision]:
    """Tell what runs again only if a router that runs again leads there once more."""
    routers = {
        one.index
        for one in decisions
        if one.action == RUN
        and (step := known.get(calls[one.index].method)) is not None
        and is_router(step)
    }
    perhaps: set[int] = set()
    made = []
    for one in decisions:
        step = known.get(calls[one.index].method)
        if one.action == RUN and one.rule in _BY_ROUTE and step is not None:
            waits_for = step.waits_for or ()
            causes = _causes(calls[one.index], calls, step, known)
            open_ones = {
                cause
                for cause in causes
                if cause in perhaps or (cause in routers and calls[cause].method not in waits_for)
            }
            if open_ones and (step.all_of or open_ones == causes):
                perhaps.add(one.index)
                one = replace(one, rule=MAY_COME, reason=_ROUTE)
        made.append(one)
    return made


def _leads_elsewhere(
    cause: int,
    step: Step,
    results: Mapping[int, Any],
    known: Mapping[str, Step],
    calls: Sequence[Call],
) -> bool:
    """Whether an edited router's new label is none that a method listens to."""
    router = known.get(calls[cause].method)
    if cause not in results or router is None or not is_router(router):
        return False
    waits_for = step.waits_for or ()
    return label_of(results[cause]) not in waits_for and router.name not in waits_for


def is_router(step: Step) -> bool:
    """Whether what a step returns, or a person answers, is a label that leads somewhere."""
    routes = step.kind == "router" or step.labels is not None
    return routes or bool(getattr(step, "routes", False))  # a start may be one, too


def entries(steps: Iterable[Step]) -> frozenset[str]:
    """The methods that a flow begins with: the starts without a condition; if there are none,
    all starts."""
    starts = [step for step in steps if step.kind == "start"]
    free = [step for step in starts if step.waits_for == ()]
    return frozenset(step.name for step in free or starts)


def to_come(
    decisions: Sequence[Decision],
    calls: Sequence[Ended],
    known: Mapping[str, Step],
    results: Mapping[int, Any],
    finished: bool,
) -> list[Decision]:
    """The methods that have not begun, as far as what happens (again) may lead to them."""
    begun = {calls[one.index].method for one in decisions if one.action != DROP}
    happened: set[str] = set()
    certain: set[str] = set()
    anew: set[str] = set()
    any_label = False
    for one in decisions:
        call = calls[one.index]
        if one.action == DROP:
            continue
        step = known.get(call.method)
        told = {call.method}
        label = label_of(results.get(one.index, call.result))
        if step is not None and is_router(step) and one.action == KEEP and label is not None:
            told.add(label)
        happened |= told
        certain |= told
        if one.action == RUN or one.rule == "edited":
            anew |= told
        if one.action == RUN and step is not None and is_router(step):
            any_label = any_label or step.labels is None
            happened |= set(step.labels or ())
            anew |= set(step.labels or ())
    coming: dict[str, None] = {}
    first = frozenset[str]() if finished else entries(known.values())
    grown = True
    while grown:
        grown = False
        for step in known.values():
            if step.name in begun or step.name in coming:
                continue
            if step.name in first or _may_come(step, known, happened, anew, any_label, finished):
                coming[step.name] = None
                happened |= {step.name, *(step.labels or ())}
                anew |= {step.name, *(step.labels or ())}
                any_label = any_label or (is_router(step) and step.labels is None)
                grown = True
    facts = [
        TaskFacts(len(calls) + place, PENDING, label=name)
        for place, name in enumerate(name for name in known if name in coming)
    ]
    certain = _certain(certain | first, [known[name] for name in coming])
    return [
        one if one.label in certain else replace(one, rule=MAY_COME, reason=_ROUTE)
        for one in decide(facts)
    ]


def _certain(given: set[str], coming: Sequence[Step]) -> set[str]:
    """What is given for certain: what was, and the names of methods that only wait for such."""
    found = set(given)
    grown = True
    while grown:
        grown = False
        for step in coming:
            waits_for = step.waits_for
            if step.name in found or waits_for is None:
                continue
            enough = all if step.all_of else any
            if enough(name in found for name in waits_for):
                found.add(step.name)
                grown = True
    return found


def _may_come(
    step: Step,
    known: Mapping[str, Step],
    happened: Iterable[str],
    anew: Iterable[str],
    any_label: bool,
    finished: bool,
) -> bool:
    waits_for = step.waits_for
    if waits_for is None:
        return True

    def told(name: str, by: Iterable[str]) -> bool:
        return name in by or (any_label and name not in known)

    new = anew if finished else happened
    if step.all_of:
        return all(told(name, happened) for name in waits_for) and any(
            told(name, new) for name in waits_for
        )
    return any(told(name, new) for name in waits_for)
