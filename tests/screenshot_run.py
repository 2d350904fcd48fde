"""A fork of the demo's store as it was once run for real, told again for the pictures.

The texts are the demo model's own, the tokens and seconds those of that run. Written are the
fork's checkpoints and the journal of its run, as far as the picture needs them: what the
app shows is what it would have shown then.
"""

from __future__ import annotations

import copy
import json
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from crewcheck.demo.answers import answer
from crewcheck.engine.fork import dump, fork_document
from crewcheck.engine.invalidation import TaskFacts, Wishes, decide
from crewcheck.model.edits import Edits
from crewcheck.model.words import epoch
from crewcheck.runtimes import lock
from crewcheck.runtimes.spec import RunSpec
from tests.screenshot_dialog import instead

SOURCE = "20261129T195623_5f426d9e"
BRANCH = "what-if/silent"
FOLDER = "~/launch-brief"
MODEL, ENDPOINT = "gpt-4o-mini", "http://127.0.0.1:8765/v1"
#: What a person wrote in the place of the research's first finding.
FACT = "1. **A lamp makes no sound at all.** In a small flat nobody else should have to wake up.\n"
#: id, task, trigger, tokens, seconds
STEPS = [
    ("20261129T195848_61bf1651", None, "fork", 0, 0.0),
    ("20261129T195849_2fdc711f", 1, "task_completed", 282, 1.226),
    ("20261129T195851_d3f9c533", 2, "task_completed", 438, 2.368),
    ("20261129T195854_f47d5929", 3, "task_completed", 408, 2.385),
    ("20261129T195854_29e7d86c", None, "crew_kickoff_completed", 0, 0.0),
]
AGENTS = ["Researcher", "Writer", "Writer", "Editor"]
#: Positions of the tasks whose outputs a task is given.
CONTEXT: list[list[int]] = [[], [0], [0, 1], [2]]
NAMES = ["research", "angle", "draft", "edit"]
INPUTS = [["product", "audience"]] * 2 + [["product", "audience", "max_words"]]
INPUTS += [["audience", "max_words"]]


class Told:
    """The run up to a step, in a store and in a state folder."""

    def __init__(self, store: Path, state: Path, upto: int) -> None:
        self.store = store
        self.folder = state / "runs" / "20261129T195842_a1b2c3"
        self.start = epoch("2026-11-29T19:58:48Z") or 0.0
        self.upto = upto
        self.number = 0
        source = next(store.rglob(f"{SOURCE}_p-*.json"))
        self.document = json.loads(source.read_text())
        research = _crew(self.document)["tasks"][0]["output"]["raw"]
        self.edited = FACT + research.partition("\n")[2]

    def plan(self) -> list[dict[str, Any]]:
        states = ["done", "done", "failed", "pending"]
        facts = [
            TaskFacts(at, state, frozenset(CONTEXT[at]), frozenset(INPUTS[at]), NAMES[at])
            for at, state in enumerate(states)
        ]
        return [one.as_dict() for one in decide(facts, Wishes(frozenset([0])))]

    def spec(self) -> RunSpec:
        return RunSpec(
            store=str(self.store), checkpoint_id=SOURCE, python="", cwd=FOLDER, kind="crew",
            name="launch brief", total=4, entry="crew:crew", action="fork", branch=BRANCH,
            outputs={"0": self.edited}, run_id=self.folder.name,
            created_at="2026-11-29T19:58:42.000Z",
        )  # fmt: skip

    def write_plan(self) -> None:
        """The journal of a run that waits for its yes."""
        self.folder.mkdir(parents=True)
        (self.folder / "spec.json").write_bytes(self.spec().to_json())
        self.say(-6, "supervised", pid=1)
        self.say(-3, "hello", pid=2, crewai="1.15.30", seconds=2.457)
        tasks = [
            {"index": at, "name": name, "depends_on": CONTEXT[at], "names": INPUTS[at],
             "state": ["done", "done", "failed", "pending"][at]}
            for at, name in enumerate(NAMES)
        ]  # fmt: skip
        self.say(-3, "loaded", entry="crew:crew", kind="crew", name="launch brief", tasks=tasks,
                 tools=[], model=MODEL, endpoint=ENDPOINT)  # fmt: skip
        self.say(-3, "plan", items=self.plan(), warnings=[], losses=[], changed=[])

    def write_run(self) -> None:
        """The checkpoints and the journal up to the step."""
        self.write_plan()
        run = to_run_of(self.plan())
        edits = Edits(outputs={0: self.edited})
        made = fork_document(self.document, source_id=SOURCE, branch=BRANCH, edits=edits, run=run)
        parent = SOURCE
        at = 0.0
        for place, (id, task, trigger, tokens, seconds) in enumerate(STEPS[: self.upto]):
            if task is not None:
                self.event(at, "task_started", task)
                at += seconds
                self.event(at, "llm_call_completed", task, model=MODEL, tokens=tokens,
                           seconds=seconds)  # fmt: skip
                at += 0.012
                self.event(at, "task_completed", task, seconds=seconds + 0.012)
                _finish(made, task, tokens, self.start + at, seconds)
            made = copy.deepcopy(made) | {"parent_id": parent, "branch": BRANCH, "trigger": trigger}
            if place:
                made.pop("crewcheck", None)
            path = self.store / BRANCH / f"{id}_p-{parent}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(dump(made))
            if not place:
                self.say(0, "go", branch=BRANCH, checkpoint_id=id)
                self.say(0.1, "started", branch=BRANCH, checkpoint_id=id)
                self.event(0.1, "task_completed", 0, replayed=True)
                at = 0.1
            else:
                self.say(at, "checkpoint", id=id, branch=BRANCH)
            parent = id
        if self.upto == len(STEPS):
            result = _crew(made)["tasks"][3]["output"]["raw"]
            self.say(at, "finished", result=result, tokens=1128)
            self.say(at, "exited", code=0, signal=None)
        else:
            self.event(at, "task_started", self.upto)

    def event(self, at: float, kind: str, task: int, **more: Any) -> None:
        fields = {"task_name": NAMES[task], "agent": AGENTS[task], "replayed": False} | more
        self.say(at, "event", event=kind, task=task, **fields)

    def say(self, at: float, kind: str, /, **fields: Any) -> None:
        self.number += 1
        message = {"type": kind, **fields, "n": self.number, "at": _iso(self.start + at)}
        with open(self.folder / "journal.jsonl", "a") as file:
            file.write(json.dumps(message) + "\n")

    @contextmanager
    def alive(self) -> Iterator[None]:
        """As if its supervisor were there."""
        held = lock.take(self.folder / "lock")
        try:
            yield
        finally:
            os.close(held)

    def instead(self) -> AbstractContextManager[None]:
        """Let the app's dialog find this run in the place of one that it starts."""
        spec = self.spec()
        return instead(
            self.folder,
            self.store,
            FOLDER,
            BRANCH,
            "found in crew.py, line 72",
            lambda _source, _wish: spec,
        )


def to_run_of(items: list[dict[str, Any]]) -> list[int]:
    return [item["index"] for item in items if item["action"] == "run"]


def _finish(made: dict[str, Any], task: int, tokens: int, at: float, seconds: float) -> None:
    """Give a task the demo model's answer, and the events of it."""
    crew = _crew(made)
    tasks = crew["tasks"]
    given = "\n\n----------\n\n".join(tasks[one]["output"]["raw"] for one in CONTEXT[task])
    prompt = (
        f"\nCurrent Task: {tasks[task]['description']}\n\nThis is the expected criteria for your "
        f"final answer: x\n\nThis is the context you're working with:\n{given}\n\nProvide your "
        "complete response"
    )
    raw = answer({"model": MODEL, "messages": [{"role": "user", "content": prompt}]})
    tasks[task]["output"] = {"raw": raw, "pydantic": None, "json_dict": None,
                             "agent": AGENTS[task], "output_format": "raw"}  # fmt: skip
    nodes = made["event_record"]["nodes"]
    for place, (kind, when, more) in enumerate(
        (
            ("task_started", at - seconds, {}),
            ("llm_call_completed", at, {"usage": {"prompt_tokens": tokens * 2 // 3,
             "completion_tokens": tokens - tokens * 2 // 3, "total_tokens": tokens},
             "model": MODEL}),
            ("task_completed", at, {}),
        )
    ):  # fmt: skip
        key = f"{task}-{place}"
        event = {"event_id": key, "type": kind, "timestamp": _iso(when), "task_id":
                 tasks[task]["id"], "task_name": NAMES[task], "emission_sequence": 900 + place,
                 "parent_event_id": None, **more}  # fmt: skip
        nodes[key] = {"event": event, "edges": {}}


def _crew(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(
        one for one in document["entities"] if one.get("entity_type") == "crew"
    )
    return found


def _iso(at: float) -> str:
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))
    return f"{whole}.{int(at * 1000) % 1000:03d}Z"
