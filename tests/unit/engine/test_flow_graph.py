"""A flow as a graph, and its rails: what each method waits for, and the route that was taken."""

from __future__ import annotations

import random
import unicodedata
from itertools import pairwise

import pytest

from crewcheck.engine.flow_graph import FlowGraph, flow_graph
from crewcheck.engine.flow_rails import Row, rows
from crewcheck.engine.inspect import CallLine
from crewcheck.runtimes.static_values import Step

SIGNS = {
    "done": "D", "failed": "F", "paused": "P", "running": "R",
    "next": "N", "may come": "o", "not taken": "x",
}  # fmt: skip


def step(
    name: str, *waits_for: str, kind: str = "listen", all_of: bool = False,
    labels: tuple[str, ...] | None = None,
) -> Step:  # fmt: skip
    return Step(name, kind, waits_for, all_of, labels)


def start(name: str, *waits_for: str) -> Step:
    return step(name, *waits_for, kind="start")


def router(name: str, waits_for: str, *labels: str) -> Step:
    return step(name, waits_for, kind="router", labels=labels or None)


def calls(*made: tuple[str, str, int | None, object]) -> list[CallLine]:
    """Calls that began and ended one after the other: method, state, cause, result."""
    found = []
    ended = 0
    for index, (method, state, cause, result) in enumerate(made):
        end = None if state == "running" else ended
        found.append(CallLine(index, method, method, state, result, True, cause, ended, end))
        ended += end is not None
    return found


def drawn(graph: FlowGraph) -> list[str]:
    """The picture: a row for each method."""
    lines = []
    picture = rows(graph)
    wide = max(len(row.cells) for row in picture)
    for row in picture:
        node = graph.nodes[row.node]
        cells = [box for box, _ in row.cells]
        cells[row.place] = SIGNS[node.state]
        lines.append(f"{''.join(cells):<{wide}} {node.name}")
    return lines


def taken(graph: FlowGraph) -> list[tuple[str, str, str | None]]:
    names = [node.name for node in graph.nodes]
    return [
        (names[edge.source], names[edge.target], edge.label) for edge in graph.edges if edge.taken
    ]


def loops(graph: FlowGraph) -> list[tuple[str, str]]:
    names = [node.name for node in graph.nodes]
    return [(names[edge.source], names[edge.target]) for edge in graph.edges if edge.back]


CHAIN = [start("a"), step("b", "a"), step("c", "b")]


@pytest.mark.parametrize(
    ("made", "picture"),
    [
        ([], ["N a", "o b", "o c"]),
        ([("a", "running", None, None)], ["R a", "o b", "o c"]),
        ([("a", "done", None, 1)], ["D a", "N b", "o c"]),
        ([("a", "done", None, 1), ("b", "failed", 0, None)], ["D a", "F b", "o c"]),
        ([("a", "done", None, 1), ("b", "paused", 0, None)], ["D a", "P b", "o c"]),
    ],
)
def test_a_chain(made: list[tuple[str, str, int | None, object]], picture: list[str]) -> None:
    assert drawn(flow_graph(calls(*made), CHAIN)) == picture


def test_a_finished_flow_goes_nowhere() -> None:
    graph = flow_graph(calls(("a", "done", None, 1)), CHAIN, finished=True)
    assert drawn(graph) == ["D a", "x b", "x c"]


ROADS = [
    start("begin"),
    router("choose", "begin", "left", "right"),
    step("go_left", "left"),
    step("go_right", "right"),
    step("end", "go_left", "go_right"),
]


def test_a_router_and_the_road_that_was_taken() -> None:
    made = calls(("begin", "done", None, 1), ("choose", "done", 0, "left"),
                 ("go_left", "done", 1, "x"), ("end", "failed", 2, None))  # fmt: skip
    graph = flow_graph(made, ROADS)
    assert drawn(graph) == ["D   begin", "D   choose", "┡━D go_left", "x─┨ go_right", "F━┛ end"]
    assert taken(graph) == [
        ("begin", "choose", None), ("choose", "go_left", "left"), ("go_left", "end", None),
    ]  # fmt: skip
    assert [(node.name, node.calls, node.last) for node in graph.nodes] == [
        ("begin", 1, 0), ("choose", 1, 1), ("go_left", 1, 2), ("go_right", 0, None), ("end", 1, 3),
    ]  # fmt: skip


def test_the_label_that_was_given_leads_on() -> None:
    made = calls(("begin", "done", None, 1), ("choose", "done", 0, "right"))
    assert drawn(flow_graph(made, ROADS)) == [
        "D   begin", "D   choose", "├─x go_left", "N─┤ go_right", "o─╯ end",
    ]  # fmt: skip


def test_of_a_router_under_way_any_road_may_come() -> None:
    made = calls(("begin", "done", None, 1), ("choose", "running", 0, None))
    states = {node.name: node.state for node in flow_graph(made, ROADS).nodes}
    assert states == {
        "begin": "done", "choose": "running", "go_left": "may come", "go_right": "may come",
        "end": "may come",
    }  # fmt: skip


def test_labels_that_the_class_does_not_tell_are_the_routers() -> None:
    steps = [start("a"), router("pick", "a"), step("one", "1"), step("two", "2")]
    made = calls(("a", "done", None, 0), ("pick", "done", 0, "2"), ("two", "done", 1, 0))
    graph = flow_graph(made, steps)
    assert drawn(graph) == ["D   a", "D   pick", "┡━D two", "x   one"]
    assert taken(graph)[1:] == [("pick", "two", "2")]


def test_many_roads_share_their_rails() -> None:
    roads = [str(number) for number in range(20)]
    steps = [start("a"), router("pick", "a", *roads), *(step(f"go_{one}", one) for one in roads),
             step("end", *(f"go_{one}" for one in roads))]  # fmt: skip
    made = calls(("a", "done", None, 0), ("pick", "done", 0, "0"), ("go_0", "running", 1, None))
    picture = drawn(flow_graph(made, steps))
    assert picture[:4] == ["D     a", "D     pick", "┡━R─╮ go_0", "├─x─┤ go_1"]
    assert picture[-2:] == ["x───┤ go_19", "o───╯ end"]


def test_a_join_waits_for_all() -> None:
    steps = [start("s"), step("a", "s"), step("b", "s"), step("j", "a", "b", all_of=True)]
    made = calls(("s", "done", None, 1), ("a", "done", 0, 1), ("b", "failed", 0, None))
    assert drawn(flow_graph(made, steps)) == ["D   s", "┣━D a", "F─┤ b", "o─╯ j"]
    made = calls(("s", "done", None, 1), ("a", "done", 0, 1), ("b", "done", 0, 1))
    assert drawn(flow_graph(made, steps)) == ["D   s", "┣━D a", "D─┤ b", "N─╯ j"]
    made += calls(("j", "done", 2, 1))
    made[3] = CallLine(3, "j", "j", "done", 1, True, 2, 3, 3)
    graph = flow_graph(made, steps)
    assert drawn(graph) == ["D   s", "┣━D a", "D━┫ b", "D━┛ j"]
    # the event names the last one only; a join has waited for the other too
    assert ("a", "j", None) in taken(graph)


def test_one_of_several_is_enough_once() -> None:
    steps = [start("a"), start("b"), step("first", "a", "b")]
    made = calls(("a", "done", None, 1), ("first", "done", 0, 1), ("b", "done", None, 1))
    graph = flow_graph(made, steps)
    assert [(node.name, node.state) for node in graph.nodes][-1] == ("first", "done")
    assert taken(graph) == [("a", "first", None)]


LOOP = [
    start("draft"),
    step("review", "draft", "revise", kind="router", labels=("again", "good")),
    step("revise", "again"),
    step("publish", "good"),
]


def test_a_loop_leads_back_up() -> None:
    made = [("draft", "done", None, 1), ("review", "done", 0, "again"), ("revise", "done", 1, 2)]
    graph = flow_graph(calls(*made), LOOP)
    assert drawn(graph) == ["D   draft", "N   review", "┡━D revise", "o   publish"]
    assert loops(graph) == [("revise", "review")]
    made += [("review", "done", 2, "good")]
    graph = flow_graph(calls(*made), LOOP)
    assert drawn(graph) == ["D   draft", "D   review", "┡━D revise", "N   publish"]
    assert graph.nodes[1].calls == 2
    assert ("revise", "review", None) in taken(graph)


def test_a_loop_of_hundreds_of_calls_is_one_row() -> None:
    made: list[tuple[str, str, int | None, object]] = [("draft", "done", None, 1)]
    for _ in range(2000):
        made += [("review", "done", len(made) - 1, "again"), ("revise", "done", len(made), 2)]
    graph = flow_graph(calls(*made), LOOP)
    assert [(node.name, node.calls) for node in graph.nodes] == [
        ("draft", 1), ("review", 2000), ("revise", 2000), ("publish", 0),
    ]  # fmt: skip
    assert graph.nodes[1].state == "next"


def test_several_starts() -> None:
    steps = [start("a"), start("b"), step("a2", "a"), step("b2", "b"),
             step("all", "a2", "b2", all_of=True)]  # fmt: skip
    made = calls(("a", "done", None, 1), ("b", "done", None, 1), ("a2", "done", 0, 1))
    assert drawn(flow_graph(made, steps)) == ["D   a", "D   a2", "│ D b", "│ N b2", "o─╯ all"]


def test_ways_in_are_on_the_left_and_ways_out_on_the_right() -> None:
    steps = [start("left"), start("right"), step("early", "left", "right"),
             step("both", "left", "right", all_of=True),
             step("last", "early", "both", all_of=True)]  # fmt: skip
    made = calls(("left", "done", None, 1), ("early", "done", 0, 1), ("right", "done", None, 1))
    # "right" does not join the rail of "left", which would look like a way from there
    assert drawn(flow_graph(made, steps)) == [
        "D     left", "┃ D   right", "┡━┿━D early", "N─┴─┤ both", "o───╯ last",
    ]  # fmt: skip


def test_what_has_nothing_to_do_with_the_one_above_stands_aside() -> None:
    made = calls(("a", "done", None, 1), ("b", "done", None, 1))
    steps = [start("a"), start("b"), step("c", "b")]
    assert drawn(flow_graph(made, steps)) == ["D   a", "  D b", "N─╯ c"]


def test_a_start_with_a_condition_waits() -> None:
    steps = [start("a"), router("r", "a", "more", "done"), start("again", "more")]
    made = calls(("a", "done", None, 1))
    assert drawn(flow_graph(made, steps)) == ["D a", "N r", "o again"]
    made = calls(("a", "done", None, 1), ("r", "done", 0, "more"))
    assert drawn(flow_graph(made, steps)) == ["D a", "D r", "N again"]


def test_without_the_class_only_what_ran_is_drawn() -> None:
    made = calls(("a", "done", None, 1), ("b", "done", 0, "left"), ("c", "done", 1, 1),
                 ("d", "running", 1, None))  # fmt: skip
    graph = flow_graph(made, None)
    assert not graph.class_known
    assert drawn(graph) == ["D   a", "D   b", "┣━D c", "R   d"]
    assert all(edge.taken for edge in graph.edges)


def test_a_method_that_the_class_has_no_more() -> None:
    made = calls(("a", "done", None, 1), ("old", "done", 0, 1), ("b", "done", 0, 1))
    graph = flow_graph(made, CHAIN)
    assert {node.name: node.state for node in graph.nodes} == {
        "a": "done", "old": "done", "b": "done", "c": "next",
    }  # fmt: skip
    assert ("a", "old", None) in taken(graph)


def test_a_condition_that_cannot_be_told() -> None:
    steps = [start("a"), Step("b", "listen", None)]
    graph = flow_graph(calls(("a", "done", None, 1)), steps)
    assert [(node.name, node.state) for node in graph.nodes] == [("a", "done"), ("b", "may come")]
    assert graph.edges == ()


def random_steps(count: int, seed: int) -> list[Step]:
    pick = random.Random(seed)
    steps = [start("m0")]
    for number in range(1, count):
        most = pick.choice([1, 1, 1, 2, 3])
        waits = {f"m{pick.randrange(max(0, number - 5), number)}" for _ in range(most)}
        steps.append(step(f"m{number}", *sorted(waits), all_of=pick.random() < 0.5))
    return steps


def lanes(row: Row, arm: str) -> set[int]:
    """Where rails lead up or down from a row, as the names of the characters have it."""
    return {
        at
        for at, (box, _) in enumerate(row.cells)
        if at != row.place and {arm, "VERTICAL"} & set(unicodedata.name(box).split())
    }


@pytest.mark.parametrize("seed", range(30))
def test_no_rail_is_broken(seed: int) -> None:
    graph = flow_graph(calls(("m0", "done", None, 1)), steps := random_steps(30, seed))
    places = {node.name: at for at, node in enumerate(graph.nodes)}
    for one in steps:
        assert all(places[name] < places[one.name] for name in one.waits_for or ())
    picture = rows(graph)
    assert [row.node for row in picture] == list(range(30))
    assert lanes(picture[-1], "DOWN") == set()
    for above, below in pairwise(picture):
        assert lanes(above, "DOWN") - {below.place} <= lanes(below, "UP")
        assert lanes(below, "UP") - {above.place} <= lanes(above, "DOWN")


def test_what_nobody_could_follow_is_drawn_without_rails() -> None:
    steps = [start("s"), *(step(f"a{one}", "s") for one in range(15))]
    steps += [step(f"b{one}", f"a{one}", f"a{(one + 7) % 15}") for one in range(15)]
    assert drawn(flow_graph([], steps))[:2] == ["N s", "o a0"]


def test_names_are_anything() -> None:
    hostile = "\x1b[2J[/b]\n"
    graph = flow_graph(calls((hostile, "done", None, hostile), ("b", "done", 0, hostile)), None)
    assert [node.name for node in graph.nodes] == [hostile, "b"]
    assert taken(graph) == [(hostile, "b", None)]
