"""A child without crewai for tests of the app: plans, runs and writes as the real one does.

What it does between is said by ``CREWCHECK_FAKE``, steps joined by newlines: ``refuse:JSON``,
``plan:JSON`` (more for its plan), ``say:JSON``, ``print:TEXT``, ``ask:TEXT`` (or
``ask:JSON``), ``hang``,
``fail:TEXT``, ``gate:PATH`` (go on when a file is there), ``distrust:ID,ID`` (refuse these
checkpoints as the project's own check would), ``save`` (a checkpoint without progress),
``crash``; by default it runs all tasks.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from crewcheck.engine.invalidation import TaskFacts, Wishes, decide
from crewcheck.model.crew import placeholders


class Child:
    """One run."""

    def __init__(self) -> None:
        self.spec = json.loads(Path(sys.argv[1]).read_text())
        self.orders = os.fdopen(int(sys.argv[2]), "rb")
        self.out = int(sys.argv[3])
        self.document = json.loads(Path(self.spec["document_path"]).read_text())
        self.crew = next(e for e in self.document["entities"] if e["entity_type"] == "crew")
        self.branch = ""
        self.parent = ""
        self.number = 0
        self.asked = 0

    def send(self, **message: Any) -> None:
        line = json.dumps(message).encode() + b"\n"
        while line:
            line = line[os.write(self.out, line) :]

    def facts(self) -> list[TaskFacts]:
        return [
            TaskFacts(
                index,
                "done" if task["output"] else "pending",
                frozenset([index - 1] if index else []),
                frozenset(placeholders(task.get("checkpoint_original_description"))),
                task["name"] or f"task {index + 1}",
            )
            for index, task in enumerate(self.crew["tasks"])
        ]

    def run(self, steps: list[str]) -> None:
        self.send(type="hello", protocol=1, pid=os.getpid(), crewai="9.9", seconds=0.1)
        more: dict[str, Any] = {}
        for step in list(steps):
            name, _, value = step.partition(":")
            if name == "refuse":
                self.send(**{"type": "refused", "message": "no", "hint": "", "differences": []}
                          | json.loads(value))  # fmt: skip
                os._exit(5)
            if name == "distrust":
                steps.remove(step)
                if self.spec["checkpoint_id"] in value.split(","):
                    self.send(type="refused", reason="not-valid", message="the world moved on",
                              hint="", differences=[])  # fmt: skip
                    os._exit(5)
            if name == "plan":
                more = json.loads(value)
                steps.remove(step)
        facts, spec = self.facts(), self.spec
        wishes = Wishes(
            frozenset(int(one) for one in spec["outputs"]), frozenset(spec["inputs"]),
            frozenset(spec["rerun"]), frozenset(spec["keep"]),
        )  # fmt: skip
        tasks = [
            {"index": fact.index, "name": fact.label, "state": fact.state,
             "depends_on": sorted(fact.depends_on or ()), "names": sorted(fact.names or ())}
            for fact in facts
        ]  # fmt: skip
        for task in tasks:
            task["human_input"] = "asks" in str(task["name"])
        own = {"endpoint": None, **more.pop("loaded", {})}
        self.send(type="loaded", entry="crew:crew", kind="crew", name="newsroom", tasks=tasks,
                  tools=[], model="gpt-4o-mini", **own)  # fmt: skip
        items = [one.as_dict() for one in decide(facts, wishes)]
        self.send(**{"type": "plan", "items": items, "warnings": [], "losses": [], "changed": []}
                  | more)  # fmt: skip
        order = json.loads(self.orders.readline() or b'{"type": "abort"}')
        if order["type"] != "go":
            os._exit(5)
        self.branch, self.parent = order["branch"], order["checkpoint_id"]
        self.send(type="started", branch=self.branch, checkpoint_id=self.parent)
        for index in order["keep"]:
            self.event("task_completed", index, replayed=True)
        for step in steps or ["work"]:
            self.step(*step.partition(":")[::2], order=order)
        for index, text in order["outputs"].items():
            self.crew["tasks"][int(index)]["output"] = {"raw": text}
        self.send(type="finished", result="all is done", tokens=3)

    def step(self, name: str, value: str, order: dict[str, Any]) -> None:
        if name == "work":
            self.work(order["keep"], {int(k): v for k, v in order["outputs"].items()})
        elif name == "say":
            self.send(**json.loads(value))
        elif name == "print":
            print(value, flush=True)
        elif name == "ask":
            self.asked += 1
            about = json.loads(value) if value.startswith("{") else {"message": value}
            self.send(type="prompt", id=str(self.asked), kind="human_input", **about)
            answer = json.loads(self.orders.readline())["text"]
            self.send(type="log", stream="stdout", text=f"heard {answer}")
        elif name == "gate":
            while not os.path.exists(value):
                time.sleep(0.01)
        elif name == "save":
            self.write("task_started")
        elif name == "crash":
            os.kill(os.getpid(), 9)
        elif name == "hang":
            time.sleep(60)
        elif name == "fail":
            self.send(type="failed", error=value, error_type="Oops", traceback="Traceback: x",
                      hint="try again", checkpoint_id=self.parent)  # fmt: skip
            os._exit(1)

    def work(self, keep: list[int], outputs: dict[int, str]) -> None:
        for index, task in enumerate(self.crew["tasks"]):
            if index in outputs:
                task["output"] = {"raw": outputs[index]}
            if index in keep:
                continue
            self.event("task_started", index)
            self.event("llm_call_completed", index, model="gpt-4o-mini", tokens=100, seconds=0.5)
            before = self.crew["tasks"][index - 1]["output"]["raw"] if index else ""
            task["output"] = {"raw": f"{task['name']} after {before}"}
            self.event("task_completed", index, seconds=0.6)
            self.write("task_completed")

    def event(self, kind: str, index: int, **more: Any) -> None:
        task = self.crew["tasks"][index]
        self.send(**{"type": "event", "event": kind, "task": index, "task_name": task["name"],
                     "agent": "Writer", "replayed": False} | more)  # fmt: skip

    def write(self, trigger: str) -> None:
        self.number += 1
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        made = f"{stamp}_{self.number:08x}"
        folder = Path(self.spec["store"], *self.branch.split("/"))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{made}_p-{self.parent}.json"
        document = {**self.document, "parent_id": self.parent, "branch": self.branch,
                    "trigger": trigger}  # fmt: skip
        document.pop("crewcheck", None)
        aside = folder / ".aside"
        aside.write_text(json.dumps(document))
        aside.rename(path)
        self.send(type="checkpoint", id=made, branch=self.branch, parent_id=self.parent,
                  location=str(path), trigger=trigger)  # fmt: skip
        self.parent = made


if __name__ == "__main__":
    Child().run([one for one in os.environ.get("CREWCHECK_FAKE", "").split("\n") if one])
