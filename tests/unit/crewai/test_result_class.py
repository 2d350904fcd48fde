"""Of which class a flow's result was, where its method does not say."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from crewcheck.crewai.flows.result_class import told


class Order(BaseModel):
    name: str
    count: int = 0


class Tea(BaseModel):
    name: str
    count: int = 1


@dataclasses.dataclass
class Point:
    x: int
    y: int


class State(BaseModel):
    order: Order | None = None
    size: int = 0


CAKE = {"name": "cake", "count": 2}


def flow(made: Callable[..., Any], listener: Callable[..., Any], state: Any = None) -> Any:
    """A flow of a method and one that listens to it."""
    steps = {
        "made": SimpleNamespace(start=True, listen=None),
        "taken": SimpleNamespace(start=None, listen="made"),
    }
    return SimpleNamespace(
        _definition=SimpleNamespace(methods=steps),
        _methods={"made": made, "taken": listener},
        _state=state if state is not None else {},
    )


def silent(self: Any, given):  # type: ignore[no-untyped-def]
    return given


def test_what_the_method_says_holds() -> None:
    def says(self: Any) -> dict[str, Any]:
        return Order(name="cake").model_dump()

    def takes(self: Any, given: Order) -> None: ...

    assert told(flow(says, takes), "made", CAKE) == dict[str, Any]


def test_a_listener_says_what_it_takes() -> None:
    def made(self):  # type: ignore[no-untyped-def]
        return self.found

    def takes(self: Any, given: list[Order]) -> None: ...

    assert told(flow(made, takes), "made", [CAKE]) == list[Order]
    assert told(flow(made, takes), "made", [{"name": "cake"}]) is None  # no recording of one


def test_a_field_of_the_state_is_returned() -> None:
    def made(self):  # type: ignore[no-untyped-def]
        return self.state.order

    assert told(flow(made, silent, State()), "made", CAKE) == Order | None


def test_an_object_is_made() -> None:
    def one(self):  # type: ignore[no-untyped-def]
        return Order(name="cake", count=2)

    def several(self):  # type: ignore[no-untyped-def]
        return [Point(x, 1) for x in (1, 2)]

    assert told(flow(one, silent), "made", CAKE) is Order
    assert told(flow(several, silent), "made", [{"x": 1, "y": 1}, {"x": 2, "y": 1}]) == list[Point]


def test_a_dict_that_is_made_of_an_object_stays_one() -> None:
    def dumped(self):  # type: ignore[no-untyped-def]
        return Order(name="cake").model_dump()

    def written(self):  # type: ignore[no-untyped-def]
        order = Order(name="cake")
        return {"name": order.name, "count": order.count}

    assert told(flow(dumped, silent), "made", CAKE) is None
    assert told(flow(written, silent), "made", CAKE) is None


def test_a_listener_tells_by_how_it_reads() -> None:
    def made(self):  # type: ignore[no-untyped-def]
        return self.bake({"name": "cake"}, Order)

    def reads(self, given):  # type: ignore[no-untyped-def]
        return given.count

    assert told(flow(made, silent), "made", CAKE) is None
    assert told(flow(made, reads), "made", CAKE) is Order


def test_of_two_that_fit_none_is_taken() -> None:
    def made(self):  # type: ignore[no-untyped-def]
        return Order(name="cake") if self.hungry else Tea(name="cake")

    assert told(flow(made, silent), "made", CAKE) is None


@pytest.mark.parametrize("value", [None, "", 3, [], {}, "text"])
def test_of_what_has_no_fields_nothing_is_told(value: object) -> None:
    def made(self):  # type: ignore[no-untyped-def]
        return Order(name="cake")

    assert told(flow(made, silent), "made", value) is None
