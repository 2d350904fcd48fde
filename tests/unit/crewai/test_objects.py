"""What an entry leads to: an attribute, or what a method gives on a new object."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crewcheck.crewai.objects import call, load
from crewcheck.crewai.refusal import Refusal

TEXT = """
class Agents:
    made = 0
    def __init__(self):
        Agents.made += 1
    def guide(self):
        return f"guide {self.made}"
    @staticmethod
    def free():
        return "free"
    @classmethod
    def of_all(cls):
        return cls.__name__
    class Inner:
        def one(self):
            return "inner"
class Needy:
    def __init__(self, city): ...
    def guide(self): ...
agents = Agents()
"""


class Texts:
    """The kind of object that is wanted here."""

    name = "text"

    def may_be(self, value: Any, own: bool) -> bool:
        return isinstance(value, str)

    def made_of(self, value: Any, entry: str) -> Any:
        return call(value, entry)


@pytest.fixture(autouse=True)
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "trip_of_a_test.py").write_text(TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("trip_of_a_test", None)


@pytest.mark.parametrize(
    ("attribute", "given"),
    [
        ("agents.guide", "guide 1"),
        ("Agents.guide", "guide 2"),
        ("Agents.free", "free"),
        ("Agents.of_all", "Agents"),
        ("Agents.Inner.one", "inner"),
    ],
)
def test_a_method_of_a_class_is_called_on_a_new_object(attribute: str, given: str) -> None:
    entry = f"trip_of_a_test:{attribute}"
    assert load(entry, Texts()) == (given, entry)


def test_a_class_that_needs_arguments() -> None:
    with pytest.raises(Refusal, match="needs arguments: city"):
        load("trip_of_a_test:Needy.guide", Texts())
