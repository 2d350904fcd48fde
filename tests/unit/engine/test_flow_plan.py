"""What of a flow is certain to come, and what only a router may lead to."""

from __future__ import annotations

from dataclasses import replace

from crewcheck.engine.flow_plan import FlowWishes, plan_flow
from crewcheck.model.flow_calls import Call
from crewcheck.runtimes.static_values import Step

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


BESIDE = [
    Step("begin", "start"),
    Step("first", "router", ("begin",), labels=("x",)),
    Step("second", "router", ("begin",), labels=("y",)),
    Step("plain", "listen", ("begin",)),
    Step("on_x", "listen", ("x",)),
    Step("either", "listen", ("x", "y")),
    Step("all", "listen", ("plain", "x", "y"), all_of=True),
]

#: CrewAI names the last router before them as the cause of the two that follow.
MADE = [
    call(0, "begin"), call(1, "first", result="x"), call(2, "second", result="y"),
    replace(call(3, "plain"), cause=2), replace(call(4, "on_x"), cause=2),
    replace(call(5, "either"), cause=2),
]  # fmt: skip


def test_what_listens_beside_routers_was_not_set_off_by_the_last_of_them() -> None:
    decided = plan_flow(MADE, BESIDE, FlowWishes(results={2: "z"}))
    assert [(one.label, one.rule) for one in decided] == [
        ("begin", "recorded"), ("first", "recorded"), ("second", "edited"),
        ("plain", "recorded"), ("on_x", "recorded"), ("either", "recorded"),
    ]  # fmt: skip


def test_another_label_of_the_first_router_takes_its_own_listeners_back() -> None:
    decided = plan_flow(MADE, BESIDE, FlowWishes(results={1: "z"}))
    assert [(one.label, one.rule) for one in decided] == [
        ("begin", "recorded"), ("first", "edited"), ("second", "recorded"),
        ("plain", "recorded"), ("on_x", "route-changed"), ("either", "route-changed"),
        ("either", "pending"),
    ]  # fmt: skip


def test_a_number_is_a_label_of_a_router_only() -> None:
    steps = [
        Step("begin", "start"),
        Step("pick", "router", ("begin",)),
        Step("go", "listen", ("3",)),
    ]
    made = [call(0, "begin", result=3), call(1, "pick", "running")]
    assert [one.rule for one in plan_flow(made, steps)] == ["recorded", "under-way", "may-come"]
    made = [call(0, "begin", result=3), call(1, "pick", result=3)]
    assert [one.rule for one in plan_flow(made, steps)] == ["recorded", "recorded", "pending"]


def test_a_method_that_the_class_has_no_more_does_not_run() -> None:
    steps = [Step("begin", "start"), Step("renamed", "listen", ("begin",))]
    made = [call(0, "begin"), call(1, "old", "running")]
    assert [(one.label, one.action) for one in plan_flow(made, steps)] == [
        ("begin", "keep"), ("old", "drop"), ("renamed", "run"),
    ]  # fmt: skip


LOOP = [
    Step("write", "start", ("again",)),
    Step("judge", "router", ("write",), labels=("again", "done")),
    Step("finish", "listen", ("done",)),
]


def test_a_start_that_a_label_leads_back_to_depends_on_it() -> None:
    calls = [call(0, "write"), call(1, "judge", result="again"), call(2, "write")]
    calls[2].cause = None  # CrewAI tells no cause of a start
    made = plan_flow(calls, LOOP, FlowWishes(results={1: "done"}))
    assert [(one.label, one.rule) for one in made] == [
        ("write", "recorded"), ("judge", "edited"), ("write", "route-changed"),
        ("finish", "pending"),
    ]  # fmt: skip


def test_only_the_first_call_of_such_a_start_takes_the_inputs() -> None:
    calls = [call(0, "write"), call(1, "judge", result="again"), call(2, "write")]
    calls[2].cause = None
    made = plan_flow(calls, LOOP, FlowWishes(inputs=frozenset({"topic"})))
    assert [one.rule for one in made[:3]] == [
        "input-changed", "depends-on-changed", "may-come",  # only if it judges so again
    ]  # fmt: skip


def test_starts_with_conditions_begin_a_flow_that_has_no_others() -> None:
    made = plan_flow([], LOOP)
    assert [(one.label, one.rule) for one in made] == [
        ("write", "pending"), ("judge", "pending"), ("finish", "may-come"),
    ]  # fmt: skip
