"""Objects in a flow's state, or returned, of which a checkpoint has only JSON."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from crewcheck.crewai.flows import model_objects
from crewcheck.crewai.flows.kinds import Kinds
from crewcheck.crewai.flows.state_objects import check, restored, shared
from crewcheck.crewai.refusal import Refusal
from crewcheck.model.flow_calls import DONE, Call


class Plan(BaseModel):
    title: str
    pages: int = 1


class Typed(BaseModel):
    plan: Plan = Plan(title="")
    anything: Any = None


def today() -> datetime.date:
    return datetime.date(2030, 1, 2)


class Book:
    state: Any

    def __init__(self, state: Any = None) -> None:
        self._state = state if state is not None else {}
        names = ("fill", "grow", "dump", "read", "ask", "again")
        self._methods = {name: getattr(self, name) for name in names}

    def when(self) -> datetime.date:
        return today()

    def fill(self) -> None:
        plan = Plan(title="a")
        self.state["plan"] = plan
        self.state["due"] = datetime.date(2030, 5, 6)
        self.state["seen"] = {"a", "b"}
        self.state["pair"] = (1, 2)
        self.state["blob"] = str(1).encode()
        self.state["price"] = Decimal("1.50")
        self.state["rows"] = []
        self.state.anything = Plan(title="b")

    def grow(self) -> None:
        self.state["rows"].append(Plan(title="r"))
        self.state.setdefault("days", []).append(self.when())

    def dump(self) -> None:
        self.state["dumped"] = Plan(title="d").model_dump()
        self.state["either"] = Plan(title="d") if self.state else None

    def read(self) -> int:
        plan = self.state["unknown"]
        return int(plan.pages)

    def ask(self) -> Any:
        plan = self.state["unknown"]
        return plan.pages if hasattr(plan, "pages") else plan

    def again(self) -> int:
        self.state["unknown"] = json.loads("{}")
        return int(self.state["unknown"].pages)


A_PLAN = {"title": "a", "pages": 1}


@pytest.mark.parametrize(
    ("key", "recorded", "value"),
    [
        ("plan", A_PLAN, Plan(title="a")),
        ("due", "2030-05-06", datetime.date(2030, 5, 6)),
        ("seen", ["b", "a"], {"a", "b"}),
        ("pair", [1, 2], (1, 2)),
        ("blob", "1", b"1"),
        ("price", "1.50", Decimal("1.50")),
        ("rows", [A_PLAN, A_PLAN], [Plan(title="a"), Plan(title="a")]),
        ("days", ["2030-01-02"], [datetime.date(2030, 1, 2)]),
        # what is put there is JSON, or it is not certain what it is
        ("dumped", A_PLAN, A_PLAN),
        ("either", A_PLAN, A_PLAN),
        ("unknown", A_PLAN, A_PLAN),
        # it is no recording of one
        ("plan", {"name": "a"}, {"name": "a"}),
        ("due", "tomorrow", "tomorrow"),
    ],
)
def test_what_is_put_into_a_state_comes_back_as_it_was(key: str, recorded: Any, value: Any) -> None:
    made = restored(Book(), {"id": "1", key: recorded})[key]
    assert (type(made), made) == (type(value), value)


def test_a_field_that_says_its_type_is_left_to_the_class() -> None:
    made = restored(Book(Typed()), {"plan": A_PLAN, "anything": A_PLAN})
    assert made == {"plan": A_PLAN, "anything": Plan(title="a")}


def test_what_runs_must_not_need_an_object_that_does_not_come_back() -> None:
    with pytest.raises(Refusal) as refused:
        check(Book(), {"unknown": A_PLAN}, ["read"])
    assert refused.value.differences == [
        "read reads .pages of unknown in the state, which is a dict in the checkpoint"
    ]


@pytest.mark.parametrize(
    ("state", "running"),
    [
        ({"unknown": A_PLAN}, ["ask"]),  # it can do without
        ({"unknown": A_PLAN}, ["again"]),  # it is put there anew
        ({"unknown": A_PLAN}, []),
        ({"unknown": None}, ["read"]),
        ({}, ["read"]),
    ],
)
def test_else_nothing_is_refused(state: dict[str, Any], running: list[str]) -> None:
    check(Book(), state, running)


def test_what_a_function_returns() -> None:
    def early(self: Any) -> Any:
        if self.state:
            return {1, 2}
        found = {3}
        return found

    def both(self: Any) -> Any:
        return (1, 2) if self.state else [1, 2]

    def ident(self: Any) -> Any:
        return UUID(int=1)

    def later(self: Any) -> Any:
        return datetime.datetime.now() + datetime.timedelta(days=1)

    def twice(self: Any) -> Any:
        found: Any = {3}
        found = [3]
        return found

    kinds = [Kinds(one, Book()).returned() for one in (early, both, ident, later, twice)]
    assert kinds == [set, None, UUID, datetime.datetime, None]


def output(raw: str) -> SimpleNamespace:
    return SimpleNamespace(raw=raw, pydantic=None, tasks_output=[])


def test_the_object_in_an_output_comes_back_by_its_fields() -> None:
    made = output(json.dumps({"title": "a", "pages": 3}))
    model_objects.restore([made], [{"raw": made.raw, "pydantic": {}}], [today])
    assert made.pydantic == Plan(title="a", pages=3)
    assert not model_objects.is_lost(made, {"pydantic": {}})


@pytest.mark.parametrize(
    "raw", ["no JSON", '{"title": "a"}', "[1]", '{"title": "a", "pages": "x"}']
)
def test_an_object_of_which_nothing_tells_the_class_is_lost(raw: str) -> None:
    made = output(raw)
    model_objects.restore(made, {"raw": raw, "pydantic": {}}, [today])
    assert made.pydantic is None
    assert model_objects.is_lost(made, {"pydantic": {}})
    assert not model_objects.is_lost(made, {"pydantic": None})


def test_a_returned_part_of_the_state_stays_that_part() -> None:
    def whole(self: Any) -> Any:
        return self.state

    def part(self: Any) -> Any:
        return self.state["plan"]

    def copy(self: Any) -> Any:
        return dict(self.state["plan"])

    def passed(self: Any, plan: Any) -> Any:
        return plan

    book = Book({"plan": {"title": "a"}, "id": "2"})
    book._methods = {"whole": whole, "part": part, "copy": copy, "passed": passed}
    before = {"plan": {"title": "a"}, "id": "1"}

    def given(method: str, state: Any = before) -> Any:
        call = Call(0, method, 1, DONE, result={"title": "a"}, flow_state=before)
        return shared(book, state, call)

    assert given("whole") is book._state
    assert given("part") is book._state["plan"]
    assert given("copy") is None
    calls = [Call(0, "part", 1), Call(1, "passed", 1, DONE, cause=0, flow_state=before)]
    assert shared(book, before, calls[1], calls) is book._state["plan"]
    assert given("part", {"plan": {"title": "b"}}) is None  # it is another one by now
