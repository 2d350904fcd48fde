"""A project with a flow that took the left road, and failed at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crewcheck.runtimes.static_values import Step
from tests import build
from tests.build import Json, event
from tests.tui.python import make_python

CLASS = """
from crewai.flow.flow import Flow, listen, or_, router, start


class Road(Flow):
    @start()
    def begin(self): ...

    @router(begin)
    def choose(self):
        return "left" if self.state["size"] else "right"

    @listen("left")
    def go_left(self): ...

    @listen("right")
    def go_right(self): ...

    @listen(or_(go_left, go_right))
    def end(self): ...
"""


#: The same class as its steps.
STEPS = [
    Step("begin", "start"),
    Step("choose", "router", ("begin",), labels=("left", "right")),
    Step("go_left", "listen", ("left",)),
    Step("go_right", "listen", ("right",)),
    Step("end", "listen", ("go_left", "go_right")),
]


def road(*, state: Json | None = None, **more: Any) -> Json:
    """``begin`` took 10 tokens and 2 seconds, ``choose`` 1 second, ``go_left`` 20 and 2, and
    ``end`` had used 30 when it failed after 4. The saved state is that after ``go_left``.
    """
    given = {"id": "s", "size": 2, "plan": {"steps": ["a", "b"]}, **(state or {})}
    events = [event(1, "flow_started", flow_name="Road", inputs={"size": 2})]

    def call(name: str, first: int, last: int, cause: int | None, **ending: Any) -> None:
        of = {"flow_name": "Road", "method_name": name, "parent_event_id": "event-1"}
        by = f"event-{cause}" if cause else None
        events.append(
            event(first, "method_execution_started", triggered_by_event_id=by, state=given, **of)
        )
        kind = "finished" if "result" in ending else "failed"
        events.append(
            event(last, f"method_execution_{kind}", started_event_id=f"event-{first}",
                  triggered_by_event_id=by, state=given, **of, **ending)
        )  # fmt: skip

    def asked(number: int, within: int, tokens: int) -> None:
        usage = {"total_tokens": tokens}
        parent = f"event-{within}"
        events.append(event(number, "llm_call_completed", usage=usage, parent_event_id=parent))

    call("begin", 2, 4, None, result={"way": 1})
    asked(3, 2, 10)
    call("choose", 5, 6, 4, result="left")
    call("go_left", 7, 9, 6, result="the left road")
    asked(8, 7, 20)
    call("end", 10, 14, 9, error="no road")
    asked(11, 10, 30)
    flow = build.flow("begin", "choose", "go_left", state=given, **more)
    return build.document(flow, events=events, trigger="method_execution_failed")


def make_flow_project(
    root: Path, document: Json | None = None, *, known: bool = True, runs: bool = False
) -> Path:
    """A store with one checkpoint of the flow; ``known``: with its class beside it, ``runs``:
    with a Python that has crewai, as it were."""
    root.mkdir(parents=True, exist_ok=True)
    lines = ["[tool.crewcheck]", 'entry = "road:Road"']
    if runs:
        lines.append(f'python = "{make_python(root / "env")}"')
    (root / "pyproject.toml").write_text("\n".join(lines) if runs else "")
    if known:
        (root / "road.py").write_text(CLASS)
    build.write(root / "store", document or road(), build.ident(1))
    return root / "store"
