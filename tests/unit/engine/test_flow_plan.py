"""What of a flow is certain to come, and what only a router may lead to."""

from __future__ import annotations

from crewcheck.engine.flow_plan import FlowWishes, plan_flow
from crewcheck.model.flow_calls import Call
from crewcheck.runtimes.static_flows import Step

STEPS = [
    Step("begin", "start"),
    Step("choose", "router", ("begin",), labels=("left", "right")),
    Step("go_left", "listen", ("left",)),
    Step("go_right", "listen", ("right",)),
    Step("log", "listen", ("choose",)),
    Step("end", "listen", ("go_left", "go_right")),
    Step("both", "listen", ("begin", "end"), all_of=True),
]


def call(index: int, method: str, state: str = "done", result: object = None) -> Call:
    before = frozenset(range(index))
    cause = index - 1 if index else None
    end = index if state == "done" else None
    return Call(index, method, 1, state, cause=cause, before=before, end=end, result=result)


def planned(calls: list[Call], wishes: FlowWishes | None = None) -> list[tuple[str, str]]:
    return [(one.label, one.rule) for one in plan_flow(calls, STEPS, wishes)]


def test_before_a_router_has_chosen_all_its_roads_may_come() -> None:
    assert planned([call(0, "begin"), call(1, "choose", "failed")]) == [
        ("begin", "recorded"), ("choose", "failed"), ("go_left", "may-come"),
        ("go_right", "may-come"), ("log", "pending"), ("end", "may-come"), ("both", "may-come"),
    ]  # fmt: skip


def test_after_it_has_chosen_its_road_is_certain() -> None:
    calls = [call(0, "begin"), call(1, "choose", result="right")]
    assert planned(calls)[2:] == [
        ("go_right", "pending"), ("log", "pending"), ("end", "pending"), ("both", "pending"),
    ]  # fmt: skip


def test_an_edited_choice_counts() -> None:
    calls = [call(0, "begin"), call(1, "choose", result="right"), call(2, "go_right")]
    assert planned(calls, FlowWishes(results={1: "left"})) == [
        ("begin", "recorded"), ("choose", "edited"), ("go_right", "route-changed"),
        ("go_left", "pending"), ("log", "pending"), ("end", "pending"), ("both", "pending"),
    ]  # fmt: skip


def test_of_a_flow_that_has_not_begun_only_routers_are_uncertain() -> None:
    assert planned([]) == [
        ("begin", "pending"), ("choose", "pending"), ("go_left", "may-come"),
        ("go_right", "may-come"), ("log", "pending"), ("end", "may-come"), ("both", "may-come"),
    ]  # fmt: skip
