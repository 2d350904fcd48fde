"""What methods of a flow set beside its state."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

import pytest

from crewcheck.crewai.flows.attributes import check, sets
from crewcheck.crewai.flows.steps import Step
from crewcheck.crewai.refusal import Refusal
from crewcheck.engine.flow_plan import FlowWishes, plan_flow
from crewcheck.model.flow_calls import DONE, RUNNING, Call

LOG = logging.getLogger(__name__)
FOUND: list[str] = []
COUNT = 0


class Till:
    def __init__(self) -> None:
        self.sum = 0

    def take(self, amount: int) -> None:
        self.sum += amount

    def tell(self) -> int:
        return self.sum


class Shop:
    """Its methods are called in this order; `step` says what each waits for."""

    state: dict[str, Any]
    number: int
    shared: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.till = Till()
        self._cache: dict[str, str] = {}
        names = [name for name in vars(Shop) if name.startswith("do_")]
        self._methods = {name: getattr(self, name) for name in names}

    @property
    def model(self) -> str:
        if not getattr(self, "_model", None):
            self._model = "m"
        return self._model

    def keep(self, text: str) -> None:
        self.draft = text

    def table(self, name: str) -> str:
        if name not in self._cache:
            self._cache[name] = name * 2
        return self._cache[name]

    # what sets
    def do_set(self) -> None:
        goods = ["bread"]
        self.goods = goods
        self.state = {}

    def do_append(self) -> None:
        self.notes.append("x")

    def do_append_to_class(self) -> None:
        Shop.shared.append("x")

    def do_count_in_class(self) -> None:
        type(self).number += 1

    def do_alias(self) -> None:
        for note in self.notes:
            note[0] = "y"  # type: ignore[index]

    def do_count(self) -> None:
        self.number += 1

    def do_help(self) -> None:
        self.keep("x")

    def do_take(self) -> None:
        self.till.take(3)

    def do_global(self) -> None:
        global COUNT
        COUNT += 1
        FOUND.append("x")

    def do_setattr(self) -> None:
        setattr(self, "goods", ["milk"])  # noqa: B010

    def do_first(self) -> None:
        said = "x"
        if self.goods is None:
            self.goods = [said + str(self.state["x"])]

    # what sets nothing that is lost
    def do_lazy(self) -> str:
        return self.model + self.table("a")

    def do_state(self) -> None:
        self.state["x"] = 1
        self.state.setdefault("y", []).append(2)

    # what reads
    def do_read(self) -> list[str]:
        return [one for one in self.goods]

    def do_read_notes(self) -> str:
        return f"{len(self.notes)} {getattr(self, 'number', 0)}"

    def do_show_notes(self) -> None:
        print(f"{len(self.notes)}")
        LOG.info("%s of %s", self.goods, self.notes)

    def do_read_shared(self) -> int:
        return len(self.shared) + self.__class__.number

    def do_read_help(self) -> str:
        return self.draft

    def do_read_till(self) -> int:
        return self.till.tell()

    def do_read_global(self) -> str:
        return f"{COUNT} {FOUND}"

    def do_set_and_read(self) -> list[str]:
        self.goods = ["cake"]
        return self.goods


def planned(*chain: str, kept: int) -> tuple[Any, ...]:
    """A flow of these methods, one after the other, of which so many are done."""
    steps = [
        Step(name, "listen" if place else "start", (chain[place - 1],) if place else ())
        for place, name in enumerate(chain)
    ]
    calls = [
        Call(place, name, 1, DONE, cause=place - 1 if place else None,
             before=frozenset(range(place)), end=place)
        for place, name in enumerate(chain[:kept])
    ]  # fmt: skip
    return Shop(), steps, calls, plan_flow(calls, steps, FlowWishes())


@pytest.mark.parametrize(
    ("method", "places"),
    [
        ("do_set", ["self.goods"]),
        ("do_append", ["self.notes"]),
        ("do_alias", ["self.notes"]),
        ("do_count", ["self.number"]),
        ("do_help", ["self.draft"]),
        ("do_take", ["self.till"]),
        ("do_global", ["COUNT", "FOUND"]),
        ("do_setattr", ["self.goods"]),
        ("do_first", ["self.goods"]),
        ("do_lazy", []),
        ("do_state", []),
        ("do_read_till", []),
    ],
)
def test_what_a_method_sets(method: str, places: list[str]) -> None:
    assert sets(Shop(), method) == places


@pytest.mark.parametrize(
    ("setter", "reader", "place"),
    [
        ("do_set", "do_read", "self.goods"),
        ("do_setattr", "do_read", "self.goods"),
        ("do_append", "do_read_notes", "self.notes"),
        ("do_count", "do_read_notes", "self.number"),
        ("do_append_to_class", "do_read_shared", "self.shared"),
        ("do_count_in_class", "do_read_shared", "self.number"),
        ("do_help", "do_read_help", "self.draft"),
        ("do_take", "do_read_till", "self.till"),
        ("do_global", "do_read_global", "COUNT"),
    ],
)
def test_what_runs_must_not_read_what_is_lost(setter: str, reader: str, place: str) -> None:
    with pytest.raises(Refusal) as refused:
        check(*planned(setter, "do_state", reader, kept=2))
    assert refused.value.differences[0] == f"{reader} reads {place}, which {setter} had set"
    assert f"--rerun {setter}" in refused.value.hint


@pytest.mark.parametrize(
    ("chain", "kept"),
    [
        (["do_set", "do_read"], 0),
        (["do_set", "do_lazy", "do_state"], 1),
        (["do_lazy", "do_lazy"], 1),
        (["do_set", "do_set_and_read"], 1),
        (["do_append", "do_append"], 1),
        (["do_append", "do_show_notes"], 1),
        (["do_set", "do_read"], 2),
    ],
)
def test_what_is_set_again_or_not_read_may_be_lost(chain: list[str], kept: int) -> None:
    check(*planned(*chain, kept=kept))


def rounds(done: int) -> tuple[Any, ...]:
    """A loop of two: what sets and what reads, until so many calls are done."""
    steps = [Step("do_set", "start", ("again",)), Step("do_read", "router", ("do_set",))]
    steps[1] = Step("do_read", "router", ("do_set",), labels=("again", "end"), routes=True)
    calls = [
        Call(place, ("do_set", "do_read")[place % 2], place // 2 + 1, DONE, end=place,
             cause=place - 1 if place % 2 else None, before=frozenset(range(place)),
             result="again")
        for place in range(done)
    ]  # fmt: skip
    return Shop(), steps, calls, plan_flow(calls, steps, FlowWishes())


def test_what_is_set_again_in_each_round_is_not_lost() -> None:
    shop, steps, calls, _ = rounds(3)
    calls[2].state = RUNNING  # it sets, and then the reader comes
    check(shop, steps, calls, plan_flow(calls, steps, FlowWishes()))


def test_a_reader_under_way_needs_what_was_set_before_it() -> None:
    shop, steps, calls, _ = rounds(4)
    calls[3].state = RUNNING
    with pytest.raises(Refusal):
        check(shop, steps, calls, plan_flow(calls, steps, FlowWishes()))
