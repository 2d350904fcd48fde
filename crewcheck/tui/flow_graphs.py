"""The graphs of a store's flows, with the project's classes once they have been read."""

from __future__ import annotations

import time
from collections import OrderedDict

from crewcheck.engine.flow_classes import FlowClasses
from crewcheck.engine.flow_graph import FlowGraph, flow_graph
from crewcheck.engine.inspect import Info
from crewcheck.model.scan import FINISHED

#: So many graphs are kept, no fewer than documents are.
GRAPHS = 24
#: The project is looked at again after so long at the earliest.
AGAIN_SECONDS = 10.0


class FlowGraphs:
    """`read_class` is for workers, `of` for any thread."""

    def __init__(self, location: str) -> None:
        self._classes = FlowClasses(location)
        #: when a flow's class was looked for, by its name
        self._read_at: dict[str, float] = {}
        self._graphs: OrderedDict[int, tuple[Info, FlowGraph]] = OrderedDict()

    def read_class(self, name: str) -> bool:
        """Look for a flow's class, unless that was done just now; whether it is another than
        before."""
        read_at = self._read_at.get(name)
        if read_at is not None and time.monotonic() - read_at < AGAIN_SECONDS:
            return False
        changed = self._classes.read(name)
        self._read_at[name] = time.monotonic()
        if changed:
            kept = [info for info, _ in self._graphs.values()]
            self._graphs = OrderedDict()
            for info in kept:
                # here, for of many calls it takes long
                self.of(info)
        return changed

    def of(self, info: Info | None) -> FlowGraph | None:
        """The graph of a flow, None of anything else."""
        if info is None or info.summary.kind != "flow":
            return None
        graphs = self._graphs
        known = graphs.get(id(info))
        if known is not None and known[0] is info:
            return known[1]
        steps = self._classes.steps(info.summary.name, (call.method for call in info.calls))
        made = flow_graph(info.calls, steps, finished=info.summary.status == FINISHED)
        graphs[id(info)] = info, made
        while len(graphs) > GRAPHS:
            graphs.popitem(last=False)
        return made
