"""What methods of a flow set beside its state."""

from __future__ import annotations

from typing import Any

import pytest

from crewcheck.crewai.flows.attributes import check, sets
from crewcheck.crewai.refusal import Refusal


class Shop:
    state: dict[str, Any]

    def __init__(self) -> None:
        self._methods = {name: getattr(self, name) for name in ("begin", "sell", "cached", "close")}

    def begin(self) -> None:
        goods = ["bread"]
        self.goods = goods
        self.model = "m"
        self.state = {}

    def sell(self) -> list[str]:
        return [one for one in self.goods]

    def cached(self) -> str:
        self.model = getattr(self, "model", "") or "new"
        return self.model

    def close(self) -> None: ...

    def helper(self) -> str:
        return self.till

    def fill(self) -> None:
        self.till = "1"


def test_what_a_method_sets() -> None:
    assert sets(Shop().begin) == ["goods", "model"]


def test_what_runs_must_not_read_what_is_lost() -> None:
    with pytest.raises(Refusal) as refused:
        check(Shop(), ["begin"], ["sell", "close"])
    assert refused.value.differences == ["sell reads self.goods, which begin had set"]
    assert "--rerun begin" in refused.value.hint


@pytest.mark.parametrize(
    ("kept", "run"),
    [([], ["begin", "sell"]), (["begin"], ["cached", "close"]), (["sell"], ["sell"])],
)
def test_what_is_set_again_or_not_read_may_be_lost(kept: list[str], run: list[str]) -> None:
    check(Shop(), kept, run)


def test_helpers_read_for_whatever_runs() -> None:
    shop = Shop()
    shop._methods["fill"] = shop.fill
    with pytest.raises(Refusal) as refused:
        check(shop, ["fill"], ["close"])
    assert refused.value.differences == ["helper reads self.till, which fill had set"]
