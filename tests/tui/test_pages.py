"""What the tabs say, without a screen."""

from __future__ import annotations

import calendar
from dataclasses import replace
from typing import Any

from crewcheck.engine.cut import pretty
from crewcheck.engine.flow_graph import flow_graph
from crewcheck.engine.inspect import lay_out
from crewcheck.engine.redaction import Redactor
from crewcheck.errors import CrewcheckError
from crewcheck.lineage import Node
from crewcheck.model.scan import Checkpoint, Damage, Header, Summary
from crewcheck.tui.layout import text_of
from crewcheck.tui.pages import Page, Subject, pages_of
from crewcheck.tui.session import Loaded
from tests import build
from tests.tui.conftest import NOW


def subject(document: dict[str, Any] | None, summary: Summary | None = None) -> Subject:
    header = Header(
        key="k",
        id=build.ident(1),
        location="store/k.json",
        created_at="2026-11-29T17:42:00Z",
        size=66_000,
    )
    checkpoint = Checkpoint(header, summary)
    if document is None:
        return Subject(Node(checkpoint), None, NOW)
    info = lay_out(document, checkpoint, Redactor())
    checkpoint.summary = info.summary
    graph = flow_graph(info.calls, None)
    return Subject(Node(checkpoint), Loaded(info, None, pretty(info.state)), NOW, graph=graph)


def said(page: Page, index: int = 0, width: int = 80) -> str:
    return "\n".join(
        text_of(line).rstrip() for block in page.blocks(index) for line in block.lines(width)
    )


def rows(page: Page) -> list[str]:
    return [
        " ".join(text_of(cell.pieces) or cell.text for cell in page.cells(at)).strip()
        for at in range(page.count)
    ]


def failed() -> dict[str, Any]:
    tasks = [build.task("a", output="x"), build.task("b"), build.task("c")]
    events = [
        build.event(1, "task_started", task_id="task-b", task_name="b"),
        build.event(2, "llm_call_completed", usage={"prompt_tokens": 5, "completion_tokens": 2}),
        build.event(
            4, "task_failed", task_id="task-b", error="out of [money]", started_event_id="event-1"
        ),
    ]
    return build.document(build.crew(*tasks), events=events, trigger="task_failed")


def test_what_runs_is_not_said_to_be_young_where_it_is_not() -> None:
    of = subject(build.document(build.crew(build.task("a", output="x"), build.task("b"))))
    of.node.checkpoint.running = True
    assert "running  its run goes on" in said(pages_of(of)[0])
    young = replace(of, now=float(calendar.timegm((2026, 11, 29, 17, 42, 30))))
    assert "running  written less than a minute ago" in said(pages_of(young)[0])


def test_columns_that_would_be_empty_are_not_there() -> None:
    of = [build.event(1, "method_execution_started", method_name="a", flow_name="F"),
          build.event(2, "method_execution_finished", method_name="a", flow_name="F", result="x",
                      started_event_id="event-1")]  # fmt: skip
    page = pages_of(subject(build.document(build.flow("a"), events=of)))[1]
    assert [cell.text for cell in page.heads()] == ["", "method", "result", "took"]
    assert len(page.cells(0)) == len(page.heads())
    assert said(pages_of(subject(build.document(build.flow("a"))))[0]).startswith("flow\n")


def test_overview_of_a_failed_run() -> None:
    text = said(pages_of(subject(failed()))[0])
    assert text.startswith("newsroom  crew · sequential\n✗ failed  b: out of [money]\n")
    for line in (
        "1 of 3 tasks",
        "Trigger      task failed  task_failed",
        "Tokens       7  5 in, 2 out, 1",
        "29 Nov 2026 17:42:00 · 18m ago",
        "66 KB · 3 events",
        "Model        gpt-4o-mini",
        "Not in this checkpoint",
    ):
        assert line in text


def test_overview_before_the_document_has_come() -> None:
    known = Summary(kind="crew", name="newsroom", done=2, total=4, status="stopped", trigger="x_y")
    pages = pages_of(subject(None, known))
    assert [page.title for page in pages] == [
        "Overview", "Tasks", "Inputs", "Messages", "Events", "Diff", "Raw",
    ]  # fmt: skip
    text = said(pages[0])
    assert "newsroom" in text
    assert "2 of 4 tasks" in text
    assert all("reading the document" in said(page) for page in pages[1:4])
    assert "not read yet" in said(pages_of(subject(None))[0])


def test_a_damaged_checkpoint_has_its_reason() -> None:
    broken = Summary(damage=Damage("truncated", "it ends inside a string", 1234))
    pages = pages_of(subject(None, broken))
    assert [page.title for page in pages] == ["Overview"]
    assert "! damaged  it ends inside a string" in said(pages[0])
    assert "at byte 1,234" in said(pages[0])
    gone = Subject(Node(Checkpoint(subject(None).node.checkpoint.header)),
                   Loaded(error=CrewcheckError("the file was deleted")), NOW)  # fmt: skip
    assert "the file was deleted" in said(pages_of(gone)[0])


def test_tasks() -> None:
    page = pages_of(subject(failed()))[1]
    assert page.start == 1
    assert rows(page) == ["✓ a Writer", "✗ b Writer 3.0s", "○ c Writer"]
    assert "Error\nout of [money]" in said(page, 1)
    assert page.copied(0) == ("the task's output", "x")
    assert page.copied(1) == ("the task's error", "out of [money]")
    assert "Not begun yet" in said(page, 2)


def test_a_structured_output_is_laid_out() -> None:
    done = build.task("a", output='{"b": 1}')
    done["output"]["json_dict"] = {"b": 1}
    assert '{\n  "b": 1\n}' in said(pages_of(subject(build.document(build.crew(done))))[1])


def test_inputs() -> None:
    one = build.task("a", description="{topic} {tone}")
    crew = build.crew(one, checkpoint_inputs={"topic": "x", "words": 3, "odd name": [1]})
    page = pages_of(subject(build.document(crew)))[2]
    assert rows(page) == [
        "topic text x",
        "· words number 3",
        "· odd name list [1]",
        "! tone missing a template asks for it",
    ]
    assert "used by a" in said(page, 0)
    assert "No task's text asks for it" in said(page, 1)
    assert "did not give it" in said(page, 3)
    assert page.copied(2) == ("the input's value", "[\n  1\n]")


def test_flows() -> None:
    events = [
        build.event(1, "method_execution_started", method_name="a", flow_name="F"),
        build.event(2, "method_execution_finished", method_name="a", flow_name="F", result="left"),
        build.event(3, "method_execution_paused", method_name="ask", flow_name="F", message="ok?"),
    ]
    document = build.document(
        build.flow("a", state={"id": "1", "n": 2}), events=events, trigger="method_execution_paused"
    )
    pages = pages_of(subject(document))
    assert [page.title for page in pages] == [
        "Overview", "Methods", "Inputs", "State", "Messages", "Events", "Diff", "Raw",
    ]  # fmt: skip
    assert "paused  ask waits for a person: ok?" in said(pages[0])
    assert [row.split() for row in rows(pages[1])] == [
        ["✓", "a", "left", "1.0s"],
        ["‖", "ask", "ok?"],
    ]
    assert pages[1].start == 1
    assert '"n": 2' in said(pages[3])
    assert "no inputs" in said(pages[2])
    assert pages[5].count == 3


def test_agents() -> None:
    events = [
        build.event(1, "lite_agent_execution_started", messages="Which?"),
        build.event(2, "lite_agent_execution_completed", output="That one"),
    ]
    document = build.document(build.agent("Librarian", crew=None), events=events,
                              trigger="lite_agent_execution_completed")  # fmt: skip
    page = pages_of(subject(document))[1]
    assert page.title == "Answer"
    assert said(page).startswith("Question\nWhich?\n\nAnswer\nThat one")
    assert page.copied(0) == ("the answer", "That one")
