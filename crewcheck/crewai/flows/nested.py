"""What a call that was under way had begun: crews, flows, agents and models within it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from crewcheck.crewai.flows import inner_agents, inner_crews, inner_flows, inner_models
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.scope import entered
from crewcheck.model.flow_calls import Call


class Nested:
    """Of one flow. ``fresh`` are calls that begin with nothing, whatever the record has."""

    def __init__(self, saved: SavedFlow, fresh: frozenset[int]) -> None:
        self._saved = saved
        self._fresh = fresh

    def arm(self, told: Callable[[str | None], None], *, new_ids: bool) -> None:
        """Look at what is kicked off and asked. ``told``: a model's answer was recorded."""
        inner_models.arm(told)
        inner_crews.arm()
        inner_agents.arm()
        inner_flows.arm(new_ids)

    @contextmanager
    def within(self, call: Call | None) -> Iterator[None]:
        """What a real call runs in."""
        begins_anew = call is None or call.index in self._fresh
        with entered(None if begins_anew else inner_flows.scope_of(self._saved, call)):
            yield
