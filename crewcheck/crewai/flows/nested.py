"""What a call that was under way had begun: crews, flows, agents and models within it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.telling import FlowTelling
from crewcheck.model.flow_calls import Call
from crewcheck.runtimes.spec import RunSpec


class Nested:
    def __init__(
        self, saved: SavedFlow, fresh: frozenset[int], telling: FlowTelling, spec: RunSpec
    ) -> None:
        self.saved = saved

    def arm(self) -> None: ...

    def disarm(self) -> None: ...

    @contextmanager
    def within(self, call: Call | None) -> Iterator[None]:
        yield
