"""What a call that was under way had begun: crews, flows, agents and models within it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from crewcheck.crewai.flows import inner_agents, inner_crews, inner_flows, inner_models
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.scope import Scope, entered
from crewcheck.model.flow_calls import DONE, Call


class Nested:
    """Of one flow. ``fresh`` are calls that begin with nothing, whatever the record has."""

    def __init__(self, saved: SavedFlow, fresh: frozenset[int]) -> None:
        self._saved = saved
        self._fresh = fresh
        self._scopes: dict[str, Scope] = {}

    def arm(self, told: Callable[[str | None], None], *, new_ids: bool) -> None:
        """Look at what is kicked off and asked. ``told``: a model's answer was recorded."""
        inner_models.arm(told)
        inner_crews.arm()
        inner_agents.arm()
        inner_flows.arm(new_ids)

    @contextmanager
    def within(self, call: Call | None, method: str) -> Iterator[None]:
        """What a real call runs in."""
        begins_anew = call is not None and (call.index in self._fresh or call.state == DONE)
        with entered(None if begins_anew else self._scope(call, method)):
            yield

    def _scope(self, call: Call | None, method: str) -> Scope:
        """What was begun in a call, and behind the checkpoint in any call of its method: that
        answers once, whichever call asks."""
        if call is not None or method not in self._scopes:
            begun = self._saved.events_within(call) if call is not None else []
            events = [*begun, *self._saved.later_within(method)]
            self._scopes[method] = Scope(self._saved, events)
        return self._scopes[method]
