"""A flow for the pictures: a support ticket that was answered in three drafts, and not sent.

Its checkpoints are made by hand, in the shape that CrewAI writes; its class stands beside its
store, as in a project. The plan of its fork is what the app works out for itself, told as the
project's child tells it.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from crewcheck.engine.flow_plan import FlowWishes, plan_flow
from crewcheck.engine.running import Wish
from crewcheck.engine.source import Source
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.static_values import Step
from tests import build
from tests.screenshot_dialog import instead

BRANCH = "what-if/billing"
FOLDER = "~/support"
MODEL, ENDPOINT = "gpt-4o-mini", "http://127.0.0.1:8765/v1"
CLASS = """
from crewai.flow.flow import Flow, and_, listen, or_, router, start


class Support(Flow):
    @start()
    def read_ticket(self): ...

    @router(read_ticket)
    def choose_team(self):
        return "technical" if self.state["priority"] > 1 else "billing"

    @listen("technical")
    def look_up_manual(self): ...

    @listen("technical")
    def look_up_orders(self): ...

    @listen("billing")
    def check_invoice(self): ...

    @listen(or_(and_(look_up_manual, look_up_orders), check_invoice, "again"))
    def draft_reply(self): ...

    @router(draft_reply)
    def review(self):
        return "again" if self.state["score"] < 0.8 else "good"

    @listen("good")
    def send(self): ...

    @listen(send)
    def close_ticket(self): ...
"""
STEPS = [
    Step("read_ticket", "start"),
    Step("choose_team", "router", ("read_ticket",), labels=("technical", "billing")),
    Step("look_up_manual", "listen", ("technical",)),
    Step("look_up_orders", "listen", ("technical",)),
    Step("check_invoice", "listen", ("billing",)),
    Step("draft_reply", "listen", ("look_up_manual", "look_up_orders", "check_invoice", "again")),
    Step("review", "router", ("draft_reply",), labels=("again", "good")),
    Step("send", "listen", ("good",)),
    Step("close_ticket", "listen", ("send",)),
]
DRAFTS = [
    "Hold the ring of the lamp for five seconds, then choose a sunrise.",
    "Dear Mina, hold the ring of your lamp for five seconds, then choose a sunrise of 20 minutes.",
    "Dear Mina, thank you for writing. Please hold the ring of your lamp for five seconds until "
    "it glows, then choose a sunrise of 20 minutes. It is in its warranty until October 2028.",
]
#: method, the call that set it off, result, seconds, tokens, what it changes in the state
CALLS: list[tuple[str, int | None, Any, float, int, dict[str, Any]]] = [
    ("read_ticket", None, "Mina Okafor: the lamp does not wake me", 0.4, 0,
     {"tags": ["lamp", "sunrise"]}),
    ("choose_team", 0, "technical", 1.1, 212, {}),
    ("look_up_manual", 1, "Page 12: hold the ring for five seconds, then choose a sunrise.",
     0.8, 0, {}),
    ("look_up_orders", 1, {"order": "A-1093", "bought": "2026-10-02", "warranty": "2028-10"},
     1.3, 0, {"order": "A-1093"}),
    ("draft_reply", 3, DRAFTS[0], 3.2, 640, {"drafts": 1, "score": 0.4}),
    ("review", 4, "again", 1.4, 188, {}),
    ("draft_reply", 5, DRAFTS[1], 3.6, 702, {"drafts": 2, "score": 0.7}),
    ("review", 6, "again", 1.2, 190, {}),
    ("draft_reply", 7, DRAFTS[2], 4.1, 815, {"drafts": 3, "score": 0.9}),
    ("review", 8, "good", 1.3, 201, {}),
    ("send", 9, None, 5.0, 0, {}),
]  # fmt: skip
ERROR = "mail.lumen.example refused the connection"
FIRST = {
    "id": "7d0c53b1-5f0e-4b7a-9f1c-2b6a4c1d9e30", "customer": "Mina Okafor",
    "subject": "The lamp does not wake me", "priority": 3, "tone": "brief", "tags": [],
    "order": None, "drafts": 0, "score": 0.0,
}  # fmt: skip
IDS = [f"20261129T2012{at:02}_{(at + 3) * 0x1F3A5C7:08x}" for at in (1, 2, 4, 9, 14, 18)]
#: How many calls each checkpoint has seen.
SEEN = [1, 2, 4, 7, 10, 11]
NEWEST = IDS[-1]


def write_project(place: Path) -> None:
    """The class, and the store that its run has left."""
    (place / "support.py").write_text(CLASS)
    store = place / ".checkpoints"
    parent = None
    for one, seen in zip(IDS, SEEN, strict=True):
        build.write(store, _document(seen, parent), one, parent)
        parent = one


def _document(seen: int, parent: str | None) -> build.Json:
    state = dict(FIRST)
    events = [_event(1, 0.0, "flow_started", inputs={"priority": 3}, parent_event_id=None)]
    ends: list[str] = []
    clock = 0.2
    for at, (method, cause, result, seconds, tokens, changes) in enumerate(CALLS[:seen]):
        by = None if cause is None else ends[cause]
        number = 10 * (at + 1)
        of = {"method_name": method, "triggered_by_event_id": by}
        events.append(_event(number, clock, "method_execution_started", state=state, **of))
        clock += seconds
        if tokens:
            asked = tokens * 3 // 4
            usage = {"prompt_tokens": asked, "completion_tokens": tokens - asked,
                     "total_tokens": tokens}  # fmt: skip
            events.append(_event(number + 1, clock - 0.1, "llm_call_completed", usage=usage,
                                 model=MODEL, parent_event_id=f"event-{number}"))  # fmt: skip
        state = state | changes
        failed = at == len(CALLS) - 1
        ending = {"error": ERROR} if failed else {"result": result}
        kind = f"method_execution_{'failed' if failed else 'finished'}"
        events.append(_event(number + 2, clock, kind, state=state,
                             started_event_id=f"event-{number}", **of, **ending))  # fmt: skip
        ends.append(f"event-{number + 2}")
    done = dict.fromkeys(call[0] for call in CALLS[:seen] if call[0] != "send")
    trigger = "method_execution_failed" if seen == len(CALLS) else "method_execution_finished"
    flow = build.flow(*done, state=state)
    return build.document(flow, events=events, trigger=trigger, parent=parent)


def _event(number: int, at: float, kind: str, **more: Any) -> build.Json:
    of = {"flow_name": "Support", "parent_event_id": "event-1"}
    return build.event(number, kind, **(of | more)) | {"timestamp": f"2026-11-29T20:12:{at:09.6f}Z"}


class ToldFlow:
    """The journal of a fork that waits for its yes."""

    def __init__(self, place: Path) -> None:
        self.store = place / ".checkpoints"
        self.folder = place / "state" / "runs" / "20261129T201500_b2c3d4"
        self.number = 0

    def spec(self) -> RunSpec:
        return RunSpec(
            store=str(self.store), checkpoint_id=NEWEST, python="", cwd=FOLDER, kind="flow",
            name="Support", total=0, entry="support:Support", action="fork", branch=BRANCH,
            run_id=self.folder.name, created_at="2026-11-29T20:15:00.000Z",
        )  # fmt: skip

    def write(self, source: Source, wishes: FlowWishes) -> None:
        self.folder.mkdir(parents=True)
        (self.folder / "spec.json").write_bytes(self.spec().to_json())
        methods = [
            {"name": one.name, "kind": one.kind, "waits_for": one.waits_for, "all_of": one.all_of,
             "labels": one.labels, "routes": one.kind == "router"}
            for one in STEPS
        ]  # fmt: skip
        self._say("supervised", pid=1)
        self._say("hello", pid=2, crewai="1.15.30", seconds=2.457)
        self._say("loaded", entry="support:Support", kind="flow", name="Support", tasks=[],
                  methods=methods, tools=[], model=MODEL, endpoint=ENDPOINT)  # fmt: skip
        items = [one.as_dict() for one in plan_flow(source.calls, STEPS, wishes)]
        self._say("plan", items=items, warnings=[], losses=[], changed=[])

    def _say(self, kind: str, /, **fields: Any) -> None:
        self.number += 1
        message = {"type": kind, **fields, "n": self.number, "at": "2026-11-29T20:15:03.000Z"}
        with open(self.folder / "journal.jsonl", "a") as file:
            file.write(json.dumps(message) + "\n")

    def instead(self) -> AbstractContextManager[None]:
        """Let the app's dialog find this run in the place of one that it starts."""

        def spec(source: Source, wish: Wish) -> RunSpec:
            results = wish.edits.results
            self.write(source, FlowWishes(results, frozenset(), frozenset(), frozenset()))
            return self.spec()

        return instead(self.folder, self.store, FOLDER, BRANCH, "found in support.py, line 5", spec)
