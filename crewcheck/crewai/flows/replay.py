"""Finished calls of a flow's methods answer from the recording.

Patched is `Flow` itself, by object: what CrewAI does around a call (events, feedback,
persistence, hooks) is passed over for a call that is kept, and CrewAI goes on behind it with
its recorded result and its recorded event. So routers give their labels again, joins join,
and what runs next is told to be caused by what is in the record.

Calls come back in the order in which they had ended, whatever CrewAI asks first: joins and
races come out the same. A real call waits until what is kept has been told.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from crewcheck.crewai.flows.feedback import Answering, pausing, restore
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.model.flow_calls import Call


class Diverged(Exception):
    """The user's class takes another way than the recording."""


#: The method whose real call is made here.
_method_here: ContextVar[str] = ContextVar("method that runs", default="")

#: Rounds of the loop without any change after which nothing more comes by itself, at least.
_ROUNDS = 200


class Replay:
    """One flow. ``kept`` are its finished calls by position, each with its result.

    ``real`` are the calls that really ran (None: one that is not in the record), with their
    methods. ``returned`` is called for each call that is told from the recording, ``within``
    gives what a real call is run in. ``answering`` is the call that waits for a person.
    """

    def __init__(self, flow: Any, saved: SavedFlow, kept: dict[int, Any]) -> None:
        self.flow = flow
        self.saved = saved
        self.kept = kept
        self.returned: Callable[[Call], None] = lambda call: None
        self.within: Callable[[Call | None, str], Any] = lambda call, method: _nothing()
        self.answering: Answering | None = None
        self.real: list[tuple[Call | None, str]] = []
        self._order = [call.index for call in saved.done if call.index in kept]
        self._left: dict[str, list[Call]] = {}
        for call in saved.calls:
            self._left.setdefault(call.method, []).append(call)
        self._changes = 0
        self._running = 0
        self._held = 0
        self._freed = 0

    def not_told(self) -> list[Call]:
        """The kept calls that nothing has asked for."""
        return [self.saved.calls[index] for index in self._order]

    def not_asked(self) -> list[Call]:
        """All recorded calls that nothing has asked for."""
        return [call for calls in self._left.values() for call in calls]

    def take(self, method: str, trigger: str | None) -> Call | None:
        """The recorded call that a call of a method stands for, None for a new one."""
        left = self._left.get(method)
        if not left:
            return None
        same = (i for i, call in enumerate(left) if trigger == self.saved.trigger_of(call))
        return left.pop(next(same, 0) if trigger else 0)

    async def turn(self, call: Call) -> None:
        """Wait until all that had ended before a kept call has been told.

        Raises `Diverged` where that does not come.
        """
        self._changes += 1
        try:
            while self._order and self._order[0] != call.index:
                if await self._is_stuck() and not self._free():
                    first = self.saved.label(self._order[0])
                    raise Diverged(
                        f"the flow does not come to {first}, which is done in the checkpoint"
                    )
        finally:
            # also for the loser of a race, which is cancelled while it waits
            if call.index in self._order:
                self._order.remove(call.index)
            self._changes += 1

    async def hold(self) -> None:
        """Wait until all that is kept has been told, or can only be told after a real call."""
        self._changes += 1
        place = self._held
        self._held += 1
        while self._order and place >= self._freed:
            if await self._is_stuck():
                self._free()
        self._changes += 1

    async def _is_stuck(self) -> bool:
        """Let others go on; whether nothing moves any more."""
        before = self._changes
        for _ in range(_ROUNDS + 20 * len(self.saved.calls)):
            await asyncio.sleep(0.01 if self._running else 0)
            if self._changes != before:
                return False
        return not self._running

    def _free(self) -> bool:
        """Let the real calls begin that are held; whether there were any."""
        were_held = self._freed < self._held
        self._freed = self._held
        self._changes += were_held
        return were_held

    @contextmanager
    def run(self, call: Call | None, method: str) -> Iterator[None]:
        """While a real call runs."""
        self.real.append((call, method))
        self._running += 1
        token = _method_here.set(method)
        try:
            with self.within(call, method):
                yield
        finally:
            _method_here.reset(token)
            self._running -= 1
            self._changes += 1


@contextmanager
def _nothing() -> Iterator[None]:
    yield


_replays: dict[int, Replay] = {}
_patched: list[type] = []


def find(flow: Any) -> Replay | None:
    """The recording of a flow, if it has one."""
    replay = _replays.get(id(flow))
    return replay if replay is not None and replay.flow is flow else None


def arm(replay: Replay) -> None:
    """Put a recording in front of a flow's methods."""
    _patch()
    _replays[id(replay.flow)] = replay


def disarm(replay: Replay) -> None:
    """Let the flow be the user's own again: a second kickoff of it is a new one."""
    if find(replay.flow) is replay:
        del _replays[id(replay.flow)]


def _patch() -> None:
    if _patched:
        return
    from crewai.events.event_bus import CrewAIEventsBus
    from crewai.flow.flow import Flow

    _patched.append(Flow)
    kind: Any = Flow
    kind._execute_method = _executed(kind._execute_method)
    kind._initialize_state = _initialized(kind._initialize_state)
    if hasattr(kind, "_resolve_feedback_provider"):
        kind._resolve_feedback_provider = _provided(kind._resolve_feedback_provider)
    bus: Any = CrewAIEventsBus
    bus.emit = _opened(bus.emit)


def _executed(execute: Callable[..., Any]) -> Callable[..., Any]:
    from crewai.events.event_context import get_triggering_event_id

    @functools.wraps(execute)
    async def answer(self: Any, method_name: Any, method: Any, *args: Any, **named: Any) -> Any:
        replay = find(self)
        if replay is None:
            return await execute(self, method_name, method, *args, **named)
        name = str(method_name)
        call = replay.take(name, get_triggering_event_id())
        if call is not None and call.index in replay.kept:
            await replay.turn(call)
            replay.returned(call)
            return tell(self, replay.saved, call, replay.kept[call.index]), call.ended_id
        await replay.hold()
        with replay.run(call, name):
            asked = replay.answering
            if asked is None or asked.call is not call:
                return await execute(self, method_name, method, *args, **named)
            answer = await execute(self, method_name, asked.method(method), *args, **named)
            asked.answered()
            replay.answering = None  # the next time its own provider asks
            return answer

    return answer


def tell(flow: Any, saved: SavedFlow, call: Call, result: Any) -> Any:
    """Let a flow know of a finished call what it would know if it had made it."""
    entry: dict[str, Any] = {"method": call.method, "output": result}
    said = restore(flow, saved, call, result)
    if said is not None:
        # with outcomes the result is a label, and the output is kept beside it
        entry.update(output=said.output, human_feedback=said)
    flow._method_outputs.append(entry if _names_outputs() else entry["output"])
    counts = flow._method_execution_counts
    counts[call.method] = counts.get(call.method, 0) + 1
    flow._completed_methods.add(call.method)
    return result


@functools.cache
def _names_outputs() -> bool:
    """Whether CrewAI keeps outputs with the names of their methods (from 1.15 on)."""
    import crewai

    parts = str(getattr(crewai, "__version__", "")).split(".")
    return tuple(int(one) for one in parts[:2] if one.isdecimal()) >= (1, 15)


def _initialized(initialize: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(initialize)
    def keep(self: Any, inputs: Any) -> Any:
        replay = find(self)
        if replay is not None and replay.saved.begun and replay.saved.state is not None:
            return None  # the recorded state has the inputs, and what became of them
        return initialize(self, inputs)

    return keep


def _provided(resolve: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(resolve)
    def provider(self: Any, definition: Any) -> Any:
        own = resolve(self, definition)
        replay = find(self)
        if replay is None:
            return own
        asked = replay.answering
        if asked is None or asked.call.method != _method_here.get():
            return pausing(own)
        return asked.provider(own)

    return provider


def _opened(emit: Callable[..., Any]) -> Callable[..., Any]:
    """The flow's opening event is in the record: what runs now is below that one."""

    @functools.wraps(emit)
    def opening(self: Any, source: Any, event: Any) -> Any:
        if getattr(event, "type", None) == "flow_started":
            replay = find(source)
            if replay is not None and replay.saved.flow_started is not None:
                return reopen(self, replay)
        return emit(self, source, event)

    return opening


def reopen(bus: Any, replay: Replay) -> Any:
    """Go on within the recorded opening event of a flow."""
    from crewai.events import base_events
    from crewai.events.event_context import push_event_scope, set_last_event_id

    saved = replay.saved
    started = saved.flow_started or {}
    event_id = str(started.get("event_id"))
    numbers = [event.get("emission_sequence") for event in saved.events]
    last = max((one for one in numbers if isinstance(one, int)), default=0)
    push_event_scope(event_id, "flow_started")
    if saved.events:
        set_last_event_id(str(saved.events[-1].get("event_id")))
    count = getattr(base_events, "set_emission_counter", None)
    if callable(count):
        count(last)
    state = bus._runtime_state
    node = state.event_record.nodes.get(event_id) if state is not None else None
    again = getattr(bus, "replay", None)
    return again(replay.flow, node.event) if node is not None and callable(again) else None
