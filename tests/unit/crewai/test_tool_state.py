"""Which attributes of a tool its calls change."""

from __future__ import annotations

from typing import ClassVar

from crewcheck.crewai.tool_state import state_of


class Counter:
    __private_attributes__: ClassVar = {"_count": 0, "_client": None}
    seen: list[str]
    limits: dict[str, int]
    name: str

    def __init__(self) -> None:
        self.seen, self.limits, self.name = [], {"most": 3}, "counter"
        self._count, self._client = 0, None

    def _run(self, word: str) -> str:
        self._count += 1
        self.seen.append(word)
        return f"{self._count} of {self.limits}"


class Twice(Counter):
    table: dict[str, int]

    def __init__(self) -> None:
        super().__init__()
        self.table = {}

    def note(self, key: str) -> None:
        self.table[key] = 1


class Plain:
    limits: dict[str, int]

    def __init__(self) -> None:
        self.limits = {"most": 3}

    def _run(self, word: str) -> str:
        return word * self.limits["most"]


def test_what_is_assigned_or_changed_is_state() -> None:
    # a method that changes one container may change each that it uses
    assert state_of(Counter()) == ["_count", "limits", "seen"]
    assert state_of(Twice()) == ["_count", "limits", "seen", "table"]


def test_what_is_only_read_is_none() -> None:
    assert state_of(Plain()) == []
    assert state_of(object()) == []
