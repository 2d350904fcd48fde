"""Edit x shape of a crew or flow -> what is kept and what runs: from data alone, and with the
project's text."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.data_plan import decide_from_data
from crewcheck.engine.running import project_of
from crewcheck.engine.source import find_call, read_source
from crewcheck.model.edits import Edits, find_task
from tests.build import Json, agent, crew, document, event, flow, ident, task, write

HEAD = """
from crewai import Agent, Crew, Process, Task
from crewai.flow.flow import Flow, and_, listen, or_, router, start

def worker(role):
    return Agent(role=role, goal="Do it", backstory="For {audience}")

"""


class Shape(NamedTuple):
    """A crew or flow: its module, and a checkpoint of it with all its work done."""

    source: str
    document: Json


def a_crew(body: str, *tasks: Json, **more: Any) -> Shape:
    events = [event(1, "crew_kickoff_started", inputs={"topic": "x", "audience": "all"})]
    made = crew(*tasks, checkpoint_inputs={"topic": "x", "audience": "all"}, **more)
    return Shape(HEAD + textwrap.dedent(body), document(made, events=events, trigger=None))


def done(name: str, description: str, **more: Any) -> Json:
    return task(name, output=f"the {name}", description=description, **more)


SEQUENTIAL = a_crew(
    """
    writer = worker("Writer")
    a = Task(name="a", description="Look at {topic}", expected_output="text", agent=writer)
    b = Task(name="b", description="Draw it", expected_output="text", agent=writer)
    c = Task(name="c", description="Sum up", expected_output="text", agent=writer)
    crew = Crew(agents=[writer], tasks=[a, b, c])
    """,
    done("a", "Look at {topic}"), done("b", "Draw it"), done("c", "Sum up"),
)  # fmt: skip

CONTEXT = a_crew(
    """
    one, two = worker("One"), Agent(role="Two", goal="Do it", backstory="Alone")
    a = Task(name="a", description="Look at {topic}", expected_output="text", agent=two)
    b = Task(name="b", description="Draw", expected_output="text", agent=two, context=[])
    c = Task(name="c", description="Sum up", expected_output="text", agent=two, context=[a])
    d = Task(name="d", description="End", expected_output="text", agent=one, context=[b, c])
    crew = Crew(agents=[one, two], tasks=[a, b, c, d])
    """,
    done("a", "Look at {topic}"), done("b", "Draw", context=[]),
    done("c", "Sum up"), done("d", "End"),
)  # fmt: skip

ASYNC = a_crew(
    """
    two = Agent(role="Two", goal="Do it", backstory="Alone")
    a = Task(name="a", description="A", expected_output="text", agent=two, async_execution=True)
    b = Task(name="b", description="B", expected_output="text", agent=two, async_execution=True,
             context=[])
    c = Task(name="c", description="C", expected_output="text", agent=two, context=[b])
    crew = Crew(agents=[two], tasks=[a, b, c])
    """,
    done("a", "A", async_execution=True), done("b", "B", async_execution=True, context=[]),
    done("c", "C"),
)  # fmt: skip

HIERARCHICAL = a_crew(
    """
    two = Agent(role="Two", goal="Do it", backstory="Alone")
    a = Task(name="a", description="Look at {topic}", expected_output="text")
    b = Task(name="b", description="B", expected_output="text", context=[])
    c = Task(name="c", description="C", expected_output="text", context=[a])
    crew = Crew(agents=[two], tasks=[a, b, c], process=Process.hierarchical, manager_llm="gpt-4o")
    """,
    done("a", "Look at {topic}"), done("b", "B", context=[]), done("c", "C"),
    process="hierarchical",
)  # fmt: skip

TWINS = a_crew(
    """
    two = Agent(role="Two", goal="Do it", backstory="Alone")
    a = Task(description="Do the same", expected_output="text", agent=two)
    b = Task(description="Do the same", expected_output="text", agent=two, context=[])
    c = Task(name="c", description="C", expected_output="text", agent=two, context=[b])
    crew = Crew(agents=[two], tasks=[a, b, c])
    """,
    done("", "Do the same"), done("", "Do the same", context=[]), done("c", "C"),
)  # fmt: skip

ONE_AGENT = a_crew(
    """
    only = Agent(role="Only", goal="Please {audience}", backstory="Alone")
    a = Task(name="a", description="A", expected_output="text", agent=only, context=[])
    b = Task(name="b", description="B", expected_output="text", agent=only, context=[])
    crew = Crew(agents=[only], tasks=[a, b])
    """,
    done("a", "A", context=[]), done("b", "B", context=[]), agents=[agent("Only")],
)  # fmt: skip


def _flow() -> Shape:
    """Two starts, a join, a router, two ways: the left one was taken, to its end."""
    source = """
    class Road(Flow):
        @start()
        def one(self): ...

        @start()
        def two(self): ...

        @listen(and_(one, two))
        def join(self): ...

        @router(join)
        def choose(self):
            return "left" if self.state["x"] else "right"

        @listen("left")
        def go_left(self): ...

        @listen("right")
        def go_right(self): ...

        @listen(two)
        def beside(self): ...

        @listen(or_(go_left, go_right))
        def end(self): ...
    """
    events: list[Json] = [event(1, "flow_started", flow_name="Road", inputs={"x": 1})]
    number = 1
    ends: dict[str, str] = {}

    def begin(name: str, cause: str | None) -> str:
        nonlocal number
        number += 1
        by = ends.get(cause or "")
        events.append(
            event(number, "method_execution_started", flow_name="Road", method_name=name,
                  triggered_by_event_id=by, state={"id": "s", "x": 1}, parent_event_id="event-1")
        )  # fmt: skip
        return f"event-{number}"

    def finish(name: str, started: str, result: Any) -> None:
        nonlocal number
        number += 1
        ends[name] = f"event-{number}"
        events.append(
            event(number, "method_execution_finished", flow_name="Road", method_name=name,
                  started_event_id=started, result=result, state={"id": "s", "x": 1, name: result})
        )  # fmt: skip

    first, second = begin("one", None), begin("two", None)
    finish("one", first, "1")
    finish("two", second, "2")
    for name, cause, result in (
        ("join", "two", "12"), ("beside", "two", "b"), ("choose", "join", "left"),
        ("go_left", "choose", "L"), ("end", "go_left", "E"),
    ):  # fmt: skip
        finish(name, begin(name, cause), result)
    events.append(event(number + 1, "flow_finished", flow_name="Road", parent_event_id="event-1"))
    names = ["one", "two", "join", "beside", "choose", "go_left", "end"]
    made = document(flow(*names), events=events, trigger="flow_finished")
    return Shape(HEAD + textwrap.dedent(source), made)


FLOW = _flow()

#: shape, what is edited, what runs again from data alone, and with the project's text.
TABLE: list[tuple[str, Shape, dict[str, Any], str, str]] = [
    ("sequential", SEQUENTIAL, {}, "", ""),
    ("sequential", SEQUENTIAL, {"output": ["1"]}, "2 3", "2 3"),
    ("sequential", SEQUENTIAL, {"output": ["2"]}, "3", "3"),
    ("sequential", SEQUENTIAL, {"output": ["3"]}, "", ""),
    ("sequential", SEQUENTIAL, {"output": ["1", "2"]}, "3", "3"),
    # an agent's templates are not in a document, so that any input may concern each task
    ("sequential", SEQUENTIAL, {"input": {"topic": "y"}}, "1 2 3", "1 2 3"),
    ("sequential", SEQUENTIAL, {"input": {"topic": "x"}}, "", ""),
    ("sequential", SEQUENTIAL, {"rerun": ["2"]}, "2 3", "2 3"),
    ("sequential", SEQUENTIAL, {"output": ["1"], "keep": ["2"]}, "3", "3"),
    ("explicit context", CONTEXT, {"output": ["1"]}, "3 4", "3 4"),
    ("explicit context", CONTEXT, {"output": ["2"]}, "3 4", "4"),
    ("explicit context", CONTEXT, {"output": ["3"]}, "4", "4"),
    ("explicit context", CONTEXT, {"input": {"topic": "y"}}, "1 2 3 4", "1 3 4"),
    ("explicit context", CONTEXT, {"input": {"audience": "few"}}, "1 2 3 4", "4"),
    ("explicit context", CONTEXT, {"rerun": ["1"], "keep": ["3"]}, "1 4", "1"),
    ("async", ASYNC, {"output": ["1"]}, "3", ""),
    ("async", ASYNC, {"output": ["2"]}, "3", "3"),
    ("hierarchical", HIERARCHICAL, {"output": ["1"]}, "3", "3"),
    ("hierarchical", HIERARCHICAL, {"rerun": ["2"]}, "2 3", "2"),
    ("identical texts", TWINS, {"output": ["1"]}, "3", ""),
    ("identical texts", TWINS, {"output": ["2"]}, "3", "3"),
    ("one agent for all", ONE_AGENT, {"output": ["1"]}, "", ""),
    ("one agent for all", ONE_AGENT, {"input": {"audience": "few"}}, "1 2", "1 2"),
    ("one agent for all", ONE_AGENT, {"input": {"topic": "y"}}, "1 2", ""),
    ("flow", FLOW, {}, "", ""),
    ("flow", FLOW, {"output": ["end"]}, "", ""),
    ("flow", FLOW, {"output": ["beside"]}, "choose go_left end", ""),
    # the join was set off by two, and waited for one as well
    ("flow", FLOW, {"output": ["one"]}, "join beside choose go_left end",
     "join choose go_left end go_right"),
    ("flow", FLOW, {"output": ["two"]}, "join beside choose go_left end",
     "join beside choose go_left end go_right"),
    ("flow", FLOW, {"output": ["choose=right"]}, "go_left end", "go_right end"),
    ("flow", FLOW, {"rerun": ["go_left"]}, "go_left end", "go_left end"),
    ("flow", FLOW, {"rerun": ["go_left"], "keep": ["end"]}, "go_left", "go_left"),
    ("flow", FLOW, {"input": {"x": 2}}, "one two join beside choose go_left end",
     "one two join beside choose go_left end go_right"),
]  # fmt: skip


@pytest.mark.parametrize("with_project", [False, True], ids=["data", "project"])
@pytest.mark.parametrize(
    ("shape", "edit", "data", "project"),
    [row[1:] for row in TABLE],
    ids=[f"{name}-{edit}" for name, _, edit, _, _ in TABLE],
)
def test_what_runs_again(
    tmp_path: Path, shape: Shape, edit: dict[str, Any], data: str, project: str, with_project: bool
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    if with_project:
        (tmp_path / "work.py").write_text(shape.source)
    store = tmp_path / ".checkpoints"
    write(store, shape.document, ident(1))
    with open_catalog(str(store)) as catalog:
        source = read_source(catalog, catalog.forest.order[0])

        def find(wanted: str) -> int:
            if source.kind == "flow":
                return find_call(source.calls, wanted)
            return find_task(source.tasks, wanted)

        edits = Edits(inputs=dict(edit.get("input", {})))
        for item in edit.get("output", ()):
            name, _, value = item.partition("=")
            if source.kind == "flow":
                edits.results[find(name)] = value or "mine"
            else:
                edits.outputs[find(name)] = "mine"
        edits.rerun = {find(one) for one in edit.get("rerun", ())}
        edits.keep = {find(one) for one in edit.get("keep", ())}
        decisions = decide_from_data(source, edits, project_of(source))
    run = [one for one in decisions if one.action == "run"]
    if source.kind == "flow":
        told = [one.label for one in run]
    else:
        told = [str(one.index + 1) for one in run]
    assert told == (project if with_project else data).split()
