"""The Methods tab: the flow as a graph, its calls one by one, and what is told of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.flow_graph import flow_graph
from crewcheck.model.edits import Edits
from crewcheck.runtimes.static_values import Step
from crewcheck.tui.glyphs import ASCII
from crewcheck.tui.layout import columns, text_of, to_ascii, width_of
from crewcheck.tui.pages.methods import MethodsPage
from tests import build
from tests.tui.conftest import Running, drawn_lines, press, screen_of, screen_text
from tests.tui.flows import STEPS, make_flow_project, road
from tests.tui.projects import until_text
from tests.tui.test_pages import rows, said, subject


def page_of(document: dict[str, Any], steps: list[Step] | None = None, **more: Any) -> MethodsPage:
    made = subject(document)
    assert made.info is not None
    graph = flow_graph(made.info.calls, steps)
    return MethodsPage(replace(made, graph=graph, **more))


def picture(page: MethodsPage, width: int = 90) -> list[str]:
    return [text_of(columns(page.cells(at), width, 2)).rstrip() for at in range(page.count)]


@pytest.mark.parametrize("by_call", [False, True])
def test_while_its_graph_is_not_there_it_has_heads_and_no_rows(by_call: bool) -> None:
    page = MethodsPage(replace(subject(road()), graph=None, by_call=by_call))
    assert page.count == 0
    assert "result" in text_of(columns(page.heads(), 90, 2))


def looped(times: int) -> dict[str, Any]:
    """``ask`` and ``work`` take turns; ``work`` gives how often it was called."""
    events = [build.event(0, "flow_started", flow_name="Loop", inputs={})]
    for turn in range(times):
        for name in ("ask", "work"):
            number = len(events)
            by = f"event-{number - 1}" if number > 1 else None
            of = {"flow_name": "Loop", "method_name": name, "triggered_by_event_id": by}
            result = turn + 1 if name == "work" else "more"
            events += [
                build.event(number, "method_execution_started", **of),
                build.event(number + 1, "method_execution_finished", result=result,
                            started_event_id=f"event-{number}", **of),
            ]  # fmt: skip
    for at, one in enumerate(events):
        one["timestamp"] = f"2026-11-29T17:{at // 60:02}:{at % 60:02}.000000Z"
    return build.document(build.flow("ask", "work"), events=events)


LOOP = [
    Step("ask", "router", ("work",), labels=("more", "enough")),
    Step("work", "listen", ("more",)),
    Step("finish", "listen", ("enough",)),
]


def test_the_graph_with_the_route_that_was_taken() -> None:
    page = page_of(road(), STEPS)
    assert [line.split() for line in picture(page)] == [
        ["✓", "begin", '{"way":', "1}", "2.0s"],
        ["✓", "choose", "begin", "left", "1.0s"],
        ["┡━✓", "go_left", '"left"', "the", "left", "road", "2.0s"],
        ["·─┨", "go_right", '"right"', "not", "taken"],
        ["✗━┛", "end", "go_left", "or", "go_right", "no", "road", "4.0s"],
    ]
    assert page.start == 4


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        (0, ["begin\nstart · done · 2.0s · 10 tokens\n\nResult\n", "Leads to\n  ✓ choose  done"]),
        (1, ["router · done", "Result\nleft", "Waits for    begin",
             '  "left"  ✓ go_left  done\n  "right"  · go_right  not taken']),
        (3, ["go_right\nnot taken\n\nThe flow did not come to it.", 'Waits for    "right"',
             "  ✗ end  failed"]),
        (4, ["end\nfailed · 4.0s · 30 tokens\n\nError\nno road",
             "Waits for    go_left or go_right"]),
    ],
)  # fmt: skip
def test_the_text_of_a_method(row: int, parts: list[str]) -> None:
    text = said(page_of(road(), STEPS), row)
    for part in parts:
        assert part in text, part
    assert "class was not found" not in text


def test_without_the_class() -> None:
    page = page_of(road())
    assert [line.split()[:3] for line in rows(page)] == [
        ["✓", "begin", '{"way":'], ["✓", "choose", "begin"], ["✓", "go_left", "choose"],
        ["✗", "end", "go_left"],
    ]  # fmt: skip
    assert "class was not found for certain" in said(page)


def test_a_loop_is_one_row_and_its_calls_are_listed() -> None:
    page = page_of(looped(30), LOOP)
    lines = [line.split() for line in picture(page)]
    assert lines[0][:5] == ["▸", "ask", "work", "↺", "runs"]
    assert lines[1] == ["┡━✓", "work", '"more"', "30", "30", "30.0s"]
    text = said(page, 1)
    assert "called 30 times" in text
    assert "Result  of work#30\n30" in text
    assert "the last 12 of 30: v lists them all" in text
    assert "#19" in text
    assert "#18" not in text
    assert "↺ once more" in text


def test_the_calls_one_by_one() -> None:
    page = page_of(looped(3), LOOP, by_call=True)
    assert [line.split() for line in picture(page)] == [
        ["1", "✓", "ask#1", "more", "1.0s"], ["2", "✓", "work#1", "1", "1.0s"],
        ["3", "✓", "ask#2", "more", "1.0s"], ["4", "✓", "work#2", "2", "1.0s"],
        ["5", "✓", "ask#3", "more", "1.0s"], ["6", "✓", "work#3", "3", "1.0s"],
    ]  # fmt: skip
    assert said(page, 3).startswith("work#2\ndone · 1.0s · set off by ask#2\n\nResult\n2")
    graph = page_of(looped(3), LOOP)
    assert page.row_like(graph, 1) == 5
    assert graph.row_like(page, 3) == 1
    # what has not begun has no call
    assert page.row_like(graph, 2) == page.start


def test_an_edited_call() -> None:
    edits = Edits(results={3: 20})
    page = page_of(looped(3), LOOP, edits=edits, by_call=True)
    assert picture(page)[3].split()[1:4] == ["✎", "work#2", "20"]
    assert "Your result  of work#2  not forked yet" in said(page, 3)
    assert "Recorded result\n2" in said(page, 3)
    assert page.copied(3) == ("your result", "20")
    # the graph has the last call's
    assert "✎" not in "".join(picture(page_of(looped(3), LOOP, edits=edits)))


def test_without_colours_and_in_plain_ascii() -> None:
    page = page_of(road(), STEPS, glyphs=ASCII)
    lines = [to_ascii(line) for line in picture(page)]
    assert [line[:5] for line in lines] == ["+    ", "+    ", "|=+  ", ".-|  ", "x=+  "]
    assert all(line.isascii() for line in lines)


def test_wide_names_are_cut_by_their_cells() -> None:
    names = {"begin": "العربية" * 9, "go_left": "🚀" * 30}
    document = road()
    for node in document["event_record"]["nodes"].values():
        event = node["event"]
        event["method_name"] = names.get(event.get("method_name"), event.get("method_name"))
    steps = [replace_names(step, names) for step in STEPS]
    page = page_of(document, steps)
    for at in range(page.count):
        for width in (30, 44, 70, 120):
            assert width_of(text_of(columns(page.cells(at), width, 2))) == width


def replace_names(step: Step, names: dict[str, str]) -> Step:
    waits = tuple(names.get(name, name) for name in step.waits_for or ())
    return Step(names.get(step.name, step.name), step.kind, waits, step.all_of, step.labels)


async def test_the_class_comes_and_the_calls_can_be_listed(
    running: Running, tmp_path: Path
) -> None:
    async with running(make_flow_project(tmp_path)) as pilot:
        await press(pilot, "2")
        await until_text(pilot, "not taken")
        shown = "\n".join(drawn_lines(pilot))
        for part in ("┡━✓  go_left", "·─┨  go_right", "✗━┛  end"):
            assert part in shown, part
        await press(pilot, "tab", "g", "down", "v")
        assert "go_right" not in screen_text(pilot)
        screen = screen_of(pilot)
        page = screen.detail.page
        assert isinstance(page, MethodsPage)
        assert (page.count, screen.detail.rows.cursor) == (4, 1)
        await press(pilot, "down", "v")
        assert screen.detail.rows.cursor == 2
        await press(pilot, "down", "i")
        assert "this method has not begun" in "".join(
            note.message.lower() for note in pilot.app._notifications
        )
