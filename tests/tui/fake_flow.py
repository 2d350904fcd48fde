"""A child without crewai that runs the flow of `flows.road`, as `fake_crew` runs a crew.

Further steps of ``CREWCHECK_FAKE``: ``pause:JSON`` ends as one that waits for a person,
``nested`` lets the first method that runs start a crew of one task, ``state:TEXT`` refuses the
plan as a state's class would.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from crewcheck.engine.flow_plan import FlowWishes, plan_flow
from crewcheck.model.document import sorted_events
from crewcheck.model.flow_calls import Call, calls
from tests.tui.fake_crew import Child
from tests.tui.flows import STEPS


class FlowChild(Child):
    """One run."""

    def __init__(self) -> None:
        self.spec = json.loads(Path(sys.argv[1]).read_text())
        self.orders = os.fdopen(int(sys.argv[2]), "rb")
        self.out = int(sys.argv[3])
        self.document = json.loads(Path(self.spec["document_path"]).read_text())
        self.branch = self.parent = ""
        self.number = self.asked = 0
        self.calls = self._calls()
        self.nested = False

    def _calls(self) -> list[Call]:
        return calls(self.document["entities"][0], "Road", sorted_events(self.document))

    def run(self, steps: list[str]) -> None:
        self.send(type="hello", protocol=1, pid=os.getpid(), crewai="9.9", seconds=0.1)
        methods = [
            {"name": one.name, "kind": one.kind, "waits_for": one.waits_for, "all_of": one.all_of,
             "labels": one.labels, "routes": one.kind == "router"}
            for one in STEPS
        ]  # fmt: skip
        self.send(type="loaded", entry="road:Road", kind="flow", name="Road", tasks=[],
                  methods=methods, tools=[], model=None, endpoint=None)  # fmt: skip
        for step in steps:
            if step.startswith("state:"):
                self.send(type="refused", reason="state-class",
                          message="the edited state (size) does not fit RoadState",
                          hint="give it a value: --state PATH=JSON",
                          differences=[step.removeprefix("state:")])  # fmt: skip
                os._exit(5)
        spec = self.spec
        results = {int(key): value for key, value in spec["results"].items()}
        wishes = FlowWishes(results, frozenset(spec["inputs"]), frozenset(spec["rerun"]),
                            frozenset(spec["keep"]))  # fmt: skip
        items = plan_flow(self.calls, STEPS, wishes)
        self.send(type="plan", items=[one.as_dict() for one in items], warnings=[], losses=[],
                  changed=[])  # fmt: skip
        order = json.loads(self.orders.readline() or b'{"type": "abort"}')
        if order["type"] != "go":
            os._exit(5)
        self.branch, self.parent = order["branch"], order["checkpoint_id"]
        if order.get("document"):
            self.document = json.loads(Path(order["document"]).read_text())
        self.send(type="started", branch=self.branch, checkpoint_id=self.parent)
        for index in order["keep"]:
            self.tell("finished", index, self.calls[index].label, replayed=True)
        self.left = [one for one in items if one.index not in order["keep"] and one.action == "run"]
        for step in steps or ["work"]:
            self.step(*step.partition(":")[::2], order=order)
        state = self.document["entities"][0]["checkpoint_state"]
        self.send(type="finished", result=f"the end, with {json.dumps(state['size'])}", tokens=7)

    def step(self, name: str, value: str, order: dict[str, Any]) -> None:
        if name == "nested":
            self.nested = True
        elif name == "pause":
            self.tell("started", self.left[0].index, self.left[0].label)
            self.send(**{"type": "paused", "method": self.left[0].label, "output": "",
                         "outcomes": [], "flow_id": "s", "checkpoint_id": self.parent}
                      | json.loads(value))  # fmt: skip
            os._exit(6)
        elif name == "work":
            for one in self.left:
                self.method(one.index, one.label.partition("#")[0])
        else:
            super().step(name, value, order)

    def method(self, index: int, method: str) -> None:
        self.tell("started", index, method)
        if self.nested:
            self.nested = False
            of = {"method": method, "task_name": "research", "agent": "Scout", "task": None}
            self.send(type="event", event="task_started", replayed=False, **of)
            self.send(type="event", event="llm_call_completed", replayed=False, model="m",
                      tokens=30, **of)  # fmt: skip
            self.send(type="event", event="task_completed", replayed=False, seconds=0.2, **of)
        self.send(type="event", event="llm_call_completed", method=method, task=None, model="m",
                  tokens=7, replayed=False)  # fmt: skip
        self.tell("finished", index, method, seconds=0.3)
        self.record(method)
        self.write("method_execution_finished")

    def record(self, method: str) -> None:
        """Put a finished call into the document."""
        nodes = self.document["event_record"]["nodes"]
        number = 100 + len(nodes)
        state = self.document["entities"][0]["checkpoint_state"]
        of = {"flow_name": "Road", "method_name": method, "state": state,
              "timestamp": "2026-11-29T17:50:00Z", "parent_event_id": "event-1"}  # fmt: skip
        began = {"event_id": f"event-{number}", "emission_sequence": number,
                 "type": "method_execution_started", **of}  # fmt: skip
        ended = {"event_id": f"event-{number + 1}", "emission_sequence": number + 1,
                 "type": "method_execution_finished", "result": f"{method} again",
                 "started_event_id": f"event-{number}", **of}  # fmt: skip
        for event in (began, ended):
            nodes[event["event_id"]] = {"event": event, "edges": {}}
        self.document["entities"][0]["checkpoint_completed_methods"].append(method)

    def tell(self, kind: str, index: int, label: str, **more: Any) -> None:
        self.send(**{"type": "event", "event": f"method_execution_{kind}", "task": index,
                     "task_name": label, "method": label.partition("#")[0], "agent": None,
                     "replayed": False} | more)  # fmt: skip


if __name__ == "__main__":
    FlowChild().run([one for one in os.environ.get("CREWCHECK_FAKE", "").split("\n") if one])
