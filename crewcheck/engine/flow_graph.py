"""A flow as a graph: its methods, what each waits for, and the route that was taken.

With the flow's class all methods are there, also those that have not begun; without it
only what ran is known, and which call set off which.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from crewcheck.engine.flow_causes import Caused, label_of, set_off_by
from crewcheck.engine.flow_order import from_top
from crewcheck.engine.flow_plan import Step, is_router, to_come
from crewcheck.engine.invalidation import KEEP, RUN, Decision
from crewcheck.model.flow_calls import DONE

#: States of a method that has no call: it would run at once on a resume, a route may lead
#: to it, or none does.
NEXT, MAY_COME, NOT_TAKEN = "next", "may come", "not taken"
#: Longer results are no labels.
_LONGEST_LABEL = 400


class Made(Caused, Protocol):
    """What is needed of a call (`inspect.CallLine`)."""

    @property
    def index(self) -> int: ...
    @property
    def began(self) -> int: ...
    @property
    def end(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class FlowNode:
    """A method. ``state`` is that of its last call (``done``, ``failed``, ``paused``,
    ``running``), or of a method without one, or whose turn it is again: `NEXT`,
    `MAY_COME`, `NOT_TAKEN`.

    ``kind`` is ``start``, ``listen`` or ``router``, None where the class does not tell.
    ``waits_for`` are methods and labels, None where not known; ``all_of``: it waits for
    each of them. ``last`` is the position of its last call among all calls.
    """

    name: str
    kind: str | None
    state: str
    calls: int = 0
    last: int | None = None
    waits_for: tuple[str, ...] | None = ()
    all_of: bool = False


@dataclass(frozen=True, slots=True)
class FlowEdge:
    """From a method to one that listens to it, by their positions.

    ``label`` is the router's that leads there, ``taken`` whether it was gone, ``back``
    whether it leads to where the flow has been before: a loop.
    """

    source: int
    target: int
    label: str | None = None
    taken: bool = False
    back: bool = False


@dataclass(frozen=True)
class FlowGraph:
    """``nodes`` stand so that each comes after those it waits for, but for loops.

    ``class_known``: the class was found, so nothing that can run is missing.
    """

    nodes: tuple[FlowNode, ...]
    edges: tuple[FlowEdge, ...]
    class_known: bool

    def as_dict(self) -> dict[str, Any]:
        """As ``show --graph --json`` promises it."""
        return {
            "class_known": self.class_known,
            "methods": [
                {
                    "name": node.name,
                    "kind": node.kind,
                    "state": node.state,
                    "calls": node.calls,
                    "waits_for": None if node.waits_for is None else list(node.waits_for),
                    "all_of": node.all_of,
                }
                for node in self.nodes
            ],
            "edges": [
                {
                    "source": self.nodes[edge.source].name,
                    "target": self.nodes[edge.target].name,
                    "label": edge.label,
                    "taken": edge.taken,
                    "back": edge.back,
                }
                for edge in self.edges
            ],
        }

    def waits(self, at: int, shown: Callable[[str], str], loop: str) -> str:
        """What a method waits for, on one line: ``draft or "again" ↺`` (``loop`` is the sign
        of what leads back). ``shown`` makes a name harmless."""
        node, into = self.nodes[at], self.into(at)
        names = self._names
        if node.waits_for is None:
            # what is known is only what set it off
            said = [shown(self.nodes[edge.source].name) for edge in into]
        else:
            back = {edge.label or self.nodes[edge.source].name for edge in into if edge.back}
            said = [
                (shown(name) if name in names else f'"{shown(name)}"')
                + (f" {loop}" if name in back else "")
                for name in node.waits_for
            ]
        word = " and " if node.all_of else " or "
        return word.join((", ".join(said[:-1]), said[-1])) if said[1:] else "".join(said)

    def into(self, at: int) -> list[FlowEdge]:
        return self._into[at]

    def out_of(self, at: int) -> list[FlowEdge]:
        return self._out_of[at]

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(node.name for node in self.nodes)

    @cached_property
    def _into(self) -> list[list[FlowEdge]]:
        found: list[list[FlowEdge]] = [[] for _ in self.nodes]
        for edge in self.edges:
            found[edge.target].append(edge)
        return found

    @cached_property
    def _out_of(self) -> list[list[FlowEdge]]:
        found: list[list[FlowEdge]] = [[] for _ in self.nodes]
        for edge in self.edges:
            found[edge.source].append(edge)
        return found


def flow_graph(
    calls: Sequence[Made], steps: Sequence[Step] | None, *, finished: bool = False
) -> FlowGraph:
    """The graph of a flow that has made these calls.

    ``calls`` are numbered by their positions, ``steps`` those of its class (None: not
    known). ``finished``: nothing more will come.
    """
    known = {step.name: step for step in steps or ()}
    names = list(dict.fromkeys([*known, *(call.method for call in calls)]))
    labels = _labels(calls, known)
    links: dict[tuple[str, str, str | None], bool] = {}
    for step in known.values():
        for source, label in _sources(step, known, labels):
            links[source, step.name, label] = False
    between: dict[tuple[str, str], list[tuple[str, str, str | None]]] = defaultdict(list)
    for key in links:
        between[key[:2]].append(key)
    # a loop goes the same way again and again
    for source, target, label in dict.fromkeys(_gone(calls, known)):
        ways = between[source, target]
        exact = [key for key in ways if key[2] == label] or [key for key in ways if not key[2]]
        for key in exact or (ways if len(ways) == 1 else [(source, target, None)]):
            if key not in links:
                ways.append(key)
            links[key] = True
    nodes = _nodes(names, calls, known if steps is not None else None, finished)
    return _ordered(nodes, links, steps is not None)


def _labels(calls: Iterable[Made], known: Mapping[str, Step]) -> dict[str, dict[str, None]]:
    """The labels that each router can give, as its class and its results tell."""
    found: dict[str, dict[str, None]] = {
        step.name: dict.fromkeys(step.labels or ()) for step in known.values() if is_router(step)
    }
    for call in calls:
        if call.method in found and (label := _label(call)) is not None:
            found[call.method][label] = None
    return found


def _label(call: Made) -> str | None:
    """The label that a call gave, were it a router's."""
    said = label_of(call.result) if call.state == DONE else None
    return said if said is not None and len(said) <= _LONGEST_LABEL else None


def _sources(
    step: Step, known: Mapping[str, Step], labels: Mapping[str, Mapping[str, None]]
) -> Iterable[tuple[str, str | None]]:
    """What a step waits for: methods, and routers with the label that leads to it."""
    for name in step.waits_for or ():
        if name in known:
            yield name, None
        routers = [router for router, own in labels.items() if name in own]
        if not routers and name not in known:
            # the one that gives it does not say so in a way that can be read
            routers = [router for router in labels if known[router].labels is None]
        yield from ((router, name) for router in routers)


class _Ends:
    """What finished calls gave, in the order in which they ended."""

    def __init__(self, calls: Iterable[Made]) -> None:
        self._of: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for call in calls:
            if call.state == DONE and call.end is not None:
                for name in dict.fromkeys((call.method, _label(call))):
                    if name is not None:
                        self._of[name].append((call.end, call.index))
        for ends in self._of.values():
            ends.sort()

    def latest(self, name: str, before: int | None = None) -> tuple[int, int] | None:
        """The last end that gave something, and whose it was."""
        ends = self._of.get(name, [])
        at = len(ends) if before is None else bisect_left(ends, (before, -1))
        return ends[at - 1] if at else None


def _gone(
    calls: Sequence[Made], known: Mapping[str, Step]
) -> Iterable[tuple[str, str, str | None]]:
    """The ways that were gone: from a method to the one it set off, by which label."""
    ends = _Ends(calls)
    routers = {step.name for step in known.values() if is_router(step)}
    for call in calls:
        step = known.get(call.method)
        waits_for = (step.waits_for if step is not None else None) or ()
        cause = set_off_by(call, calls, waits_for, routers.__contains__)
        causes = {cause: None} if cause is not None else {}
        if step is not None and (step.all_of or not causes):
            for name in waits_for:
                told = ends.latest(name, call.began)
                if told is not None:
                    causes[told[1]] = None
        for cause in causes:
            yield calls[cause].method, call.method, _label(calls[cause])


def _nodes(
    names: Sequence[str],
    calls: Sequence[Made],
    known: Mapping[str, Step] | None,
    finished: bool,
) -> list[FlowNode]:
    last: dict[str, Made] = {}
    counts: dict[str, int] = defaultdict(int)
    for call in calls:
        last[call.method] = call
        counts[call.method] += 1
    coming = set() if finished else _turns(calls, last, known or {})
    perhaps = set(coming)
    if known is not None and not finished:
        done = [
            Decision(call.index, call.method, KEEP if _stays(call, coming, last) else RUN, "", "")
            for call in calls
        ]
        perhaps |= {one.label for one in to_come(done, calls, known, {}, finished)}
    made = []
    for name in names:
        mine, step = last.get(name), (known or {}).get(name)
        if name in coming and (mine is None or mine.state == DONE):
            state = NEXT
        elif mine is not None:
            state = mine.state
        else:
            state = MAY_COME if name in perhaps else NOT_TAKEN
        made.append(
            FlowNode(
                name,
                step.kind if step is not None else None,
                state,
                counts[name],
                mine.index if mine is not None else None,
                step.waits_for if step is not None else None,
                step.all_of if step is not None else False,
            )
        )
    return made


def _stays(call: Made, coming: Container[str], last: Mapping[str, Made]) -> bool:
    """Whether what a call has led to is all that its method leads to."""
    return call.state == DONE and not (call.method in coming and call is last[call.method])


def _turns(calls: Sequence[Made], last: Mapping[str, Made], known: Mapping[str, Step]) -> set[str]:
    """The methods whose turn it is: all that they wait for has come, and they have not."""
    ends = _Ends(calls)
    found = set()
    for step in known.values():
        mine = last.get(step.name)
        since = mine.began if mine is not None else 0
        if step.waits_for == ():
            if mine is None and step.kind == "start":
                found.add(step.name)
            continue
        told = [ends.latest(name) for name in step.waits_for or ()]
        fresh = [one for one in told if one is not None and one[0] >= since]
        if step.all_of:
            is_due = bool(told) and len(fresh) == len(told)
        elif mine is None:
            is_due = bool(fresh)
        else:
            # of several that it waits for one is enough, unless the flow has come round
            several = len(told) > 1
            is_due = any(
                not several or _comes_from(calls[index], mine, calls) for _, index in fresh
            )
        if is_due:
            found.add(step.name)
    return found


def _comes_from(call: Made, other: Made, calls: Sequence[Made]) -> bool:
    """Whether a call was set off by another, however far back."""
    at: int | None = call.index
    while at is not None and at > other.index:
        at = calls[at].cause
    return at == other.index


def _ordered(
    nodes: Sequence[FlowNode],
    links: Mapping[tuple[str, str, str | None], bool],
    class_known: bool,
) -> FlowGraph:
    """The graph, its nodes in an order in which it can be drawn from top to bottom."""
    places = {node.name: at for at, node in enumerate(nodes)}
    ways: dict[int, dict[int, None]] = {at: {} for at in range(len(nodes))}
    for source, target, _ in links:
        ways[places[source]][places[target]] = None
    out = {at: list(targets) for at, targets in ways.items()}
    for targets in out.values():
        # what ran goes first
        targets.sort(key=lambda at: (nodes[at].last is None, at))
    fed = {target for targets in out.values() for target in targets}
    begins = [at for at in out if at not in fed]
    begins += sorted(fed, key=lambda at: (nodes[at].kind != "start", at))
    order, back = from_top(out, begins)
    moved = {old: new for new, old in enumerate(order)}
    edges = []
    for (source, target, label), taken in links.items():
        way = places[source], places[target]
        edges.append(FlowEdge(moved[way[0]], moved[way[1]], label, taken, way in back))
    edges.sort(key=lambda edge: (edge.source, edge.target, edge.label or ""))
    return FlowGraph(tuple(nodes[at] for at in order), tuple(edges), class_known)
