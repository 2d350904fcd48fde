# mypy: disable-error-code="attr-defined,has-type,var-annotated"
"""Which attributes of a tool its calls change and look at, and what a checkpoint has of them."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel

from crewcheck.crewai.tool_state import saved_state, state_of


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
        self.seen.append(word)  # nobody looks at it
        return f"{self._count} of {self.limits}"


class Twice(Counter):
    table: dict[str, int]
    stack: list[int]

    def note(self, key: str) -> int:
        self.table[key] = 1
        return self.stack.pop()

    def told(self, key: str) -> int:
        return self.table[key]


class Lazy:
    __private_attributes__: ClassVar = {"_client": None, "_memo": {}, "_page": None, "_late": 0}
    limits: dict[str, int]

    def _run(self, word: str) -> Any:
        if self._client is None:
            self._client = str.upper
        self._page = self._page or "page"
        if not hasattr(self, "_late"):
            self._late = 1
        if word not in self._memo:
            self._memo[word] = self._client(word)
        return self._memo[word], self._page, self._late, self.limits["most"]


class Last:
    __private_attributes__: ClassVar = {"_last": None}

    async def _run(self, word: str) -> Any:
        before, self._last = self._last, word
        return before


def tally(tool: Any) -> None:
    tool._count += 1


class Roundabout:
    __private_attributes__: ClassVar = {"_count": 0, "_last": None, "_memo": {}}
    seen: list[str]

    def _run(self, word: str) -> Any:
        tally(self)
        setattr(self, "_last", word)  # noqa: B010
        seen, memo = self.seen, 1
        mine = self.seen
        mine.append(word)
        memo = self._memo
        if word not in memo:
            memo[word] = word.upper()
        count = self._count
        count += 1
        return self._last, seen, memo, count


def test_what_is_changed_by_another_name_or_function_is_state() -> None:
    assert state_of(Roundabout()) == ["_count", "_last", "seen"]


def test_what_is_changed_and_looked_at_is_state() -> None:
    assert state_of(Counter()) == ["_count"]
    assert state_of(Twice()) == ["_count", "stack", "table"]
    assert state_of(Last()) == ["_last"]


def test_what_is_made_once_or_only_read_is_none() -> None:
    assert state_of(Lazy()) == []
    assert state_of(object()) == []


class Kept(BaseModel):
    total: int = 0
    seen: set[str] = set()


def test_public_fields_are_in_a_checkpoint() -> None:
    saved = {"total": 3, "seen": ["a"], "other": 1}
    assert saved_state(Kept(), ["seen", "total"], saved) == {"total": 3, "seen": {"a"}}
    assert saved_state(Kept(), ["total"], {"total": "many"}) is None
    assert saved_state(Kept(), ["total"], {}) is None
    assert saved_state(Kept(), ["_total"], {"_total": 1}) is None
