"""The calls of a flow's methods, as the event record tells them.

A loop calls a method again and again, each time with another result: what is kept, run
again or edited is a call. Stdlib only and Python 3.10.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from crewcheck.model.document import INTERNAL_FLOWS, mapping, objects, sequence, text
from crewcheck.model.events import Tokens, seconds_between, tokens_of

DONE, RUNNING, FAILED, PAUSED = "done", "running", "failed", "paused"
_ENDINGS = {
    "method_execution_finished": DONE,
    "method_execution_failed": FAILED,
    "method_execution_paused": PAUSED,
}


class Before(Set[int]):
    """The positions of the calls that had ended when one began.

    Of a flow they all look into one table: each position, with its place in the order of the
    ends. A loop may make thousands of calls.
    """

    __slots__ = ("_count", "_ends")

    def __init__(self, ends: Mapping[int, int], count: int) -> None:
        self._ends, self._count = ends, count

    def moved(self, ends: Mapping[int, int]) -> Before:
        """The same, of positions that have been told anew: those that are left out are gone."""
        return Before(ends, self._count)

    def __contains__(self, index: object) -> bool:
        return isinstance(index, int) and self._ends.get(index, self._count) < self._count

    def __iter__(self) -> Iterator[int]:
        return (index for index, place in self._ends.items() if place < self._count)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __and__(self, others: Iterable[int]) -> frozenset[int]:
        return frozenset(one for one in others if one in self)


@dataclass(slots=True)
class Call:
    """One call. ``number`` counts the calls of its method from 1, ``of`` is how many there are.

    ``started_id`` and ``ended_id`` are its events (None: not in the record). ``cause`` is the
    index of the call whose end set it off, None for a start or where the record does not
    tell. ``before`` are the calls that had ended when it began. ``result`` and ``flow_state``
    (the state right after it) are those of a finished call. ``attempts`` are the starting
    events of earlier calls in its place that did not finish.
    """

    index: int
    method: str
    number: int
    state: str = RUNNING
    started_id: str | None = None
    ended_id: str | None = None
    cause: int | None = None
    before: Set[int] = frozenset()
    end: int | None = None
    result: Any = None
    flow_state: Any = None
    started_at: str | None = None
    seconds: float | None = None
    tokens: Tokens = field(default_factory=Tokens)
    of: int = 1
    attempts: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What a person calls it: the method, and which call of several."""
        return self.method if self.of == 1 else f"{self.method}#{self.number}"

    @property
    def gives_text(self) -> bool:
        """Whether another result is taken as a text, not as JSON: what it gave was none."""
        return self.state != DONE or self.result is None or isinstance(self.result, str)


def calls(
    flow: Mapping[str, Any], name: str | None, events: Sequence[Mapping[str, Any]]
) -> list[Call]:
    """The calls of a flow's methods in the order in which they began.

    ``events`` must be sorted. An attempt that was followed by another one for the same
    cause is left out. Methods that only the flow's own record names (CrewAI 1.14 writes
    fewer events) come last, with the results that it has.
    """
    found: list[Call] = []
    by_start: dict[str, Call] = {}
    by_end: dict[str, int] = {}
    ended: dict[int, int] = {}
    for event in events:
        kind = text(event.get("type")) or ""
        if not kind.startswith("method_execution_") or not _of(event, name):
            continue
        method = text(event.get("method_name"))
        if method is None:
            continue
        event_id = text(event.get("event_id"))
        if kind == "method_execution_started":
            cause = by_end.get(text(event.get("triggered_by_event_id")) or "")
            call = Call(len(found), method, 0, RUNNING, event_id, None, cause)
            call.before = Before(ended, len(ended))
            call.started_at = text(event.get("timestamp"))
            found.append(call)
            if event_id:
                by_start[event_id] = call
        elif kind in _ENDINGS:
            began = by_start.get(text(event.get("started_event_id")) or "")
            if began is None:
                began = next((c for c in reversed(found) if _open(c, method)), None)
            if began is None:
                began = Call(len(found), method, 0, before=Before(ended, len(ended)))
                found.append(began)
            _end(began, event, _ENDINGS[kind])
            began.end = len(ended)
            ended.setdefault(began.index, began.end)
            if event_id:
                by_end[event_id] = began.index
    _spend(found, events)
    return _numbered(_without_attempts(found, ended), flow)


def _of(event: Mapping[str, Any], name: str | None) -> bool:
    flow = text(event.get("flow_name"))
    return flow not in INTERNAL_FLOWS and (name is None or flow in (None, name))


def _open(call: Call, method: str) -> bool:
    return call.method == method and call.state == RUNNING


def _end(call: Call, event: Mapping[str, Any], state: str) -> None:
    call.state = state
    call.ended_id = text(event.get("event_id"))
    call.seconds = seconds_between(call.started_at, event.get("timestamp"))
    if state == DONE:
        call.result = event.get("result")
        call.flow_state = event.get("state")


def _spend(found: Iterable[Call], events: Iterable[Mapping[str, Any]]) -> None:
    """Give each call the tokens of the model calls within it, however deep."""
    parents: dict[str, str] = {}
    spent: list[tuple[str, Tokens]] = []
    for event in events:
        parent = text(event.get("parent_event_id"))
        event_id = text(event.get("event_id"))
        if parent and event_id:
            parents[event_id] = parent
        tokens = tokens_of(event)
        if tokens.calls and parent:
            spent.append((parent, tokens))
    by_start = {call.started_id: call for call in found if call.started_id}
    for parent, tokens in spent:
        at: str | None = parent
        for _ in range(len(parents) + 1):
            if at is None or at in by_start:
                break
            at = parents.get(at)
        if at in by_start:
            by_start[at].tokens += tokens


def _without_attempts(found: list[Call], ended: Mapping[int, int]) -> list[Call]:
    """Leave out what did not finish and was tried again."""
    following: dict[tuple[str, int | None], Call] = {}
    again: dict[int, Call] = {}
    for call in reversed(found):
        later = following.get((call.method, call.cause))
        if later is not None and call.state != DONE:
            again[call.index] = later
        following[call.method, call.cause] = call
    for call in found:
        if call.index in again:
            own = (call.started_id,) if call.started_id else ()
            later = again[call.index]
            later.attempts = (*later.attempts, *call.attempts, *own)
    kept = [call for call in found if call.index not in again]
    if not again:
        return kept
    places = {call.index: place for place, call in enumerate(kept)}
    ends = {places[index]: place for index, place in ended.items() if index in places}
    for place, call in enumerate(kept):
        if isinstance(call.before, Before):
            call.before = call.before.moved(ends)
        call.index = place
        call.cause = places.get(call.cause) if call.cause is not None else None
    return kept


def _numbered(found: list[Call], flow: Mapping[str, Any]) -> list[Call]:
    """Number the calls of each method, and add those that only the flow's record names."""
    known = {call.method for call in found}
    outputs = {
        text(one.get("method")): one.get("output")
        for one in objects(flow.get("checkpoint_method_outputs"))
    }
    for method in sequence(flow.get("checkpoint_completed_methods")):
        if isinstance(method, str) and method not in known:
            known.add(method)
            before = frozenset(range(len(found)))
            call = Call(
                len(found), method, 0, DONE, before=before, end=len(found),
                result=outputs.get(method),
            )  # fmt: skip
            found.append(call)
    counts: dict[str, int] = {}
    for call in found:
        counts[call.method] = call.number = counts.get(call.method, 0) + 1
    for call in found:
        call.of = counts[call.method]
    return found


def newest_state(flow: Mapping[str, Any], made: Iterable[Call]) -> Any:
    """The exact state after the last of some finished calls, else the flow's own.

    The flow's own may be ahead of its methods: CrewAI copies it a moment later.
    """
    told = [call for call in made if call.state == DONE and isinstance(call.flow_state, dict)]
    if not told:
        return mapping(flow.get("checkpoint_state"))
    return max(told, key=lambda call: call.end or 0).flow_state
