"""What a call that starts anew had done to the state while others ran."""

from __future__ import annotations

import random
from typing import Any

import pytest

from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.flows.shared_state import Undo, applied, undo
from crewcheck.crewai.flows.uses import uses
from crewcheck.crewai.flows.uses_of_expressions import SET
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.flow_plan import plan_flow
from crewcheck.model.json_path import REMOVED
from tests.build import Json, event
from tests.unit.crewai.test_flow_replay import IN, saved


class Sums(dict[str, Any]):
    """A state with a method of its own."""

    sum: int
    _last: int

    def record(self, amount: int) -> None:
        self.sum += amount
        self._last = amount


def add(state: Any, amount: int = 1) -> None:
    state["sum"] += amount


class Adder:
    def add(self, state: Any) -> None:
        state["sum"] += 1


ADDER = Adder()


class Side:
    """Two methods beside each other: ``left`` has ended, the other one starts anew."""

    state: Any
    model: Any

    def __init__(self, right: str) -> None:
        self._state = Sums()
        self._methods = {"left": self.left, "right": getattr(self, right)}

    def left(self) -> None:
        self.state["sum"] += 1
        self.state["seen"]["left"] = "l"
        self.state["left"] = 1

    def keep(self, key: str) -> None:
        self.state[key] = 1

    def adds(self) -> None:
        self.state["sum"] += 10

    def adds_late(self) -> None:
        said = self.model.call("x")
        self.state["sum"] += len(said)

    def own(self) -> None:
        self.state["own"] += 1
        rows = self.state["rows"]
        rows.append("r")
        self.state["seen"]["right"] = "r"
        self.state["new"] = self.state.get("new", 0) + 1

    def overwrites(self) -> None:
        self.state["sum"] = 5

    def records(self) -> None:
        self.state.record(10)

    def updates(self) -> None:
        self.state.update({"own": 1}, new=1)

    def reads(self) -> int:
        return int(self.state["sum"])

    def given_to_a_function(self) -> None:
        add(amount=10, state=self.state)

    def given_to_a_method(self) -> None:
        self.inner(self.state)

    def inner(self, state: Any) -> None:
        state["sum"] += 1

    def given_to_an_object(self) -> None:
        ADDER.add(self.state)

    def given_to_python(self) -> None:
        setattr(self.state, "sum", self.state["sum"] + 1)  # noqa: B010

    def by_names(self) -> None:
        state, amount = self.state, 1
        state["sum"] += amount

    def rows_by_a_roundabout_way(self) -> None:
        for _, row in enumerate(self.state["rows"] or []):
            row["seen"] = True

    def rows_by_one_of_them(self) -> None:
        row = next(iter(self.state["rows"]))
        row["seen"] = row.get("seen", 0) + 1

    def rows_by_place(self) -> None:
        row = self.state["rows"][len(self.state["seen"])]
        row["seen"] += 1

    def rows_by_python(self) -> None:
        random.shuffle(self.state["rows"])

    def anything(self) -> None:
        self.state.update(self.model)


BEFORE = {"id": "s", "sum": 0, "own": 0, "rows": [], "seen": {}, "left": 0}


def beside(*within: Json, **after: Any) -> SavedFlow:
    """``right`` is under way, and the state was this after ``left``."""
    return saved(
        event(2, "method_execution_started", method_name="left", state=BEFORE, **IN),
        event(3, "method_execution_started", method_name="right", state=BEFORE, **IN),
        event(4, "llm_call_started", parent_event_id="event-3", call_id="c"),
        *within,
        event(6, "method_execution_finished", method_name="left", started_event_id="event-2",
              state={**BEFORE, "left": 1, **after}, result=None, **IN),
    )  # fmt: skip


def taken_back(right: str, of: SavedFlow) -> list[Undo]:
    return undo(Side(right), of, plan_flow(of.calls, None))


def test_what_only_the_other_changes_is_taken_back() -> None:
    of = beside(own=1, rows=["r"], seen={"left": "l", "right": "r"}, new=1, sum=1)
    found = taken_back("own", of)
    assert {one.path: one.value for one in found} == {
        ("own",): 0, ("rows",): [], ("seen", "right"): REMOVED, ("new",): REMOVED,
    }  # fmt: skip
    state = {**BEFORE, "own": 1, "rows": ["r"], "seen": {"left": "l", "right": "r"}, "new": 1}
    assert applied(state, found) == {**BEFORE, "seen": {"left": "l"}}
    assert state["seen"] == {"left": "l", "right": "r"}


@pytest.mark.parametrize(
    "right",
    ["adds", "anything", "records", "given_to_a_function", "given_to_a_method",
     "given_to_an_object", "given_to_python", "by_names"],
)  # fmt: skip
def test_what_both_may_have_changed_is_refused(right: str) -> None:
    with pytest.raises(Refusal) as refused:
        taken_back(right, beside(sum=11))
    assert "state.sum: right and left change it" in refused.value.differences
    assert refused.value.hint.endswith("or fork it with --rerun left")


@pytest.mark.parametrize(
    "right",
    ["rows_by_a_roundabout_way", "rows_by_one_of_them", "rows_by_place", "rows_by_python"],
)
def test_parts_of_the_state_are_taken_back_whoever_holds_them(right: str) -> None:
    (found,) = taken_back(right, beside(rows=[{"seen": 1}]))
    assert (found.path, found.value) == (("rows",), [])


def test_a_part_that_gets_a_new_value_is_not_all_of_it() -> None:
    uses_of_row = uses(Side("rows_by_one_of_them").rows_by_one_of_them, Side("adds"), None)
    assert not [one for one in uses_of_row if one.kind == SET]


@pytest.mark.parametrize("right", ["overwrites", "reads", "adds_late", "updates"])
def test_what_comes_out_the_same_is_left(right: str) -> None:
    assert taken_back(right, beside(sum=1)) == []


def test_what_comes_after_an_answer_may_have_come() -> None:
    said = event(5, "llm_call_completed", parent_event_id="event-3", call_id="c")
    with pytest.raises(Refusal):
        taken_back("adds_late", beside(said, sum=7))


def test_what_nobody_has_changed_is_left() -> None:
    assert taken_back("adds", beside()) == []


def test_a_method_of_the_state_sets_hidden_parts_of_it() -> None:
    found = uses(Side("records").records, Side("records"), frozenset({"_last"}))
    assert [(one.kind, one.place) for one in found] == [(SET, "self.state._last")]
