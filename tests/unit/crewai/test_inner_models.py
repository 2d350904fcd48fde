"""Models of whatever kind are looked at, also those that are made later."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from crewcheck.crewai.flows import inner_models

KINDS = ("none", "own", "inherited")


def base_of(kind: str, seen: list[type]) -> Any:
    """CrewAI's base class of models, as its versions have it."""

    class Root:
        def __init_subclass__(cls, **named: Any) -> None:
            seen.append(cls)

    if kind == "none":

        class BaseLLM: ...

        return BaseLLM

    if kind == "inherited":

        class Derived(Root): ...

        seen.clear()
        return Derived

    class Own:
        def __init_subclass__(cls, **named: Any) -> None:
            seen.append(cls)

    return Own


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_is_made_later(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[type] = []
    base = base_of(kind, seen)
    module: Any = ModuleType("crewai.llms.base_llm")
    module.BaseLLM = base
    for name in ("crewai", "crewai.llms"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "crewai.llms.base_llm", module)
    monkeypatch.setattr(inner_models, "_patched", set())
    inner_models.arm(lambda name: None)

    class Mine(base):  # type: ignore[misc, valid-type]
        def call(self, messages: Any) -> str:
            return "real"

    class Further(Mine):
        def call(self, messages: Any) -> str:
            return "further"

    assert {Mine, Further} <= inner_models._patched
    assert seen == ([] if kind == "none" else [Mine, Further])
    assert (Mine().call([]), Further().call([])) == ("real", "further")
    assert Mine.call.__wrapped__ is not Mine.call  # type: ignore[attr-defined]
