"""Whether a flow is the checkpoint's, and what its class says of its methods."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from crewcheck.crewai.flows import match
from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.steps import Step, steps_of
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.flow_plan import entries
from tests.unit.crewai.test_flow_replay import ended, saved, started


def definition(**more: Any) -> SimpleNamespace:
    values = {"start": None, "listen": None, "router": False, "emit": None, "human_feedback": None}
    return SimpleNamespace(**{**values, **more})


def flow_of(name: str = "Web", **methods: SimpleNamespace) -> Any:
    return SimpleNamespace(
        name=None, _definition=SimpleNamespace(name=name, methods=methods), _methods={}
    )


def web() -> Any:
    return flow_of(
        begin=definition(start=True),
        choose=definition(listen="begin", router=True),
        go=definition(listen={"or": ["left", {"and": ["begin", "choose"]}]}),
    )


def done() -> SavedFlow:
    return saved(
        started(2, "begin"), ended(3, "begin", 2),
        started(4, "choose", 3), ended(5, "choose", 4, result="left"), started(6, "go", 5),
    )  # fmt: skip


def test_steps_of_a_definition() -> None:
    assert steps_of(web()) == [
        Step("begin", "start"),
        Step("choose", "router", ("begin",), routes=True),
        # a mixture of both counts as a join
        Step("go", "listen", ("left", "begin", "choose"), all_of=True),
    ]


def test_a_conditional_start_waits_for_its_condition() -> None:
    alone = flow_of(one=definition(start="a"), two=definition(start={"or": ["b", "c"]}))
    assert [step.waits_for for step in steps_of(alone)] == [("a",), ("b", "c")]
    assert entries(steps_of(alone)) == {"one", "two"}
    beside = flow_of(one=definition(start=True), two=definition(start={"or": ["b", "c"]}))
    assert [step.waits_for for step in steps_of(beside)] == [(), ("b", "c")]
    assert entries(steps_of(beside)) == {"one"}


def test_outcomes_of_feedback_are_labels() -> None:
    asks = definition(listen="a", router=True, human_feedback=SimpleNamespace(emit=["yes", "no"]))
    assert steps_of(flow_of(check=asks)) == [
        Step("check", "router", ("a",), labels=("yes", "no"), routes=True, asks=True)
    ]


def test_the_same_flow_has_no_differences() -> None:
    flow = web()
    assert match.compare(flow, steps_of(flow), done()) == []


def test_what_is_not_done_may_differ_if_that_is_allowed() -> None:
    flow = flow_of(
        begin=definition(start=True), choose=definition(listen="begin", router=True)
    )  # ``go`` was under way
    differences = match.compare(flow, steps_of(flow), done())
    lines = ["go: it is in the checkpoint, and the project's flow has no such method"]
    assert match.accept(differences, allow_changed=True) == lines
    with pytest.raises(Refusal) as refusal:
        match.accept(differences, allow_changed=False)
    assert (refusal.value.rule, refusal.value.differences) == ("changed", lines)


def test_what_is_done_must_be_set_off_by_what_had_set_it_off() -> None:
    flow = flow_of(
        begin=definition(start=True),
        choose=definition(listen="other", router=True),
        go=definition(listen="left"),
    )
    differences = match.compare(flow, steps_of(flow), done())
    with pytest.raises(Refusal) as refusal:
        match.accept(differences, allow_changed=True)
    assert refusal.value.rule == "different-flow"
    assert refusal.value.differences == ["choose: begin set it off, and it waits for other now"]


def test_another_name_is_a_difference_unless_the_object_had_been_given_it() -> None:
    flow = web()
    flow._definition.name = "Net"
    (difference,) = match.compare(flow, steps_of(flow), done())
    assert difference.line == "flow: Web in the checkpoint, Net in the project"
    named = saved(started(2, "begin"), name="Web")
    assert match.compare(flow, steps_of(flow), named) == []
