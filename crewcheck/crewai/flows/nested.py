"""What a call that was under way had begun: crews, flows, agents and models within it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crewcheck.crewai import tool_answers
from crewcheck.crewai.flows import (
    inner_agents,
    inner_asks,
    inner_crews,
    inner_flows,
    inner_models,
)
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.scope import entered
from crewcheck.crewai.flows.telling import FlowTelling
from crewcheck.model.document import text
from crewcheck.model.flow_calls import DONE, Call


class Nested:
    """Of one flow. ``fresh`` are calls that begin with nothing, whatever the record has."""

    def __init__(self, saved: SavedFlow, fresh: frozenset[int]) -> None:
        self._saved = saved
        self._fresh = fresh

    def arm(self, told: FlowTelling, *, new_ids: bool) -> None:
        """Look at what is kicked off and asked. ``told`` says what was answered."""
        inner_models.arm(told.answered)
        inner_crews.arm()
        inner_agents.arm()
        inner_asks.arm()
        inner_flows.arm(new_ids)
        tool_answers.arm(self._tools(told))

    def disarm(self) -> None:
        """From now on tools are really called; of the rest each call knows for itself."""
        tool_answers.disarm()

    def _tools(self, told: FlowTelling) -> tool_answers.ToolAnswers:
        """The finished tool calls of tasks within calls that start anew."""
        found = tool_answers.ToolAnswers(told.tool_answered)
        for call in self._saved.calls:
            if call.state == DONE or call.index in self._fresh:
                continue
            events = [*self._saved.events_within(call), *self._saved.later]
            tasks = {one for event in events if (one := text(event.get("task_id")))}
            for task_id in sorted(tasks):
                found.add(task_id, task_id, events)
        return found

    @contextmanager
    def within(self, call: Call | None, method: str) -> Iterator[None]:
        """What a real call runs in."""
        begins_anew = call is not None and (call.state == DONE or call.index in self._fresh)
        with entered(None if begins_anew else inner_flows.scope_of(self._saved, call, method)):
            yield
