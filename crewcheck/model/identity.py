"""Which task, agent or method of one checkpoint (or of the project) is which of another.

Stdlib only and Python 3.10: it is for crewcheck's own process and for the child. Ids are
new in each process that builds a crew, names may be missing, and a crew may have gained a
task: so places in a list tell little. What cannot be told is left without a partner.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crewcheck.model.crew import placeholders
from crewcheck.model.document import mapping, objects, text

ID, NAME, TEXT, POSITION = "id", "name", "text", "position"


@dataclass(frozen=True)
class Traits:
    """What is known of an item. ``text`` is what it is for, before inputs were filled in
    where that is known; ``owner`` is a task's agent, or an item's kind."""

    id: str | None = None
    name: str | None = None
    text: str | None = None
    owner: str | None = None


@dataclass(frozen=True)
class Pair:
    """Positions in both lists, None where one has no such item.

    ``rule`` says what they were matched by: ``id``, ``name``, ``text`` or ``position``;
    empty for an inserted or removed item. ``moved``: it stands in another order than the
    others.
    """

    old: int | None
    new: int | None
    rule: str = ""
    moved: bool = False


def match(old: Sequence[Traits], new: Sequence[Traits]) -> list[Pair]:
    """Each item of both lists once, in the new order; removed ones stand where they stood.

    Matched by id, else name, else text and owner, else the text alone. What is left is
    matched by position only when nothing speaks against it: lists of one length, the same
    owner, no other name, and nothing moved. Identical items pair up in order.
    """
    found = _Matching(old, new)
    found.take(ID, lambda one: one.id)
    found.take(NAME, lambda one: one.name)
    found.take(TEXT, lambda one: (one.text, one.owner) if one.text else None)
    found.take(TEXT, lambda one: one.text, alone=True)
    found.take_places()
    return found.pairs()


class _Matching:
    def __init__(self, old: Sequence[Traits], new: Sequence[Traits]) -> None:
        self.old, self.new = old, new
        self.partner: dict[int, int] = {}
        self.rule: dict[int, str] = {}
        self.taken: set[int] = set()

    def take(self, rule: str, key: Callable[[Traits], Hashable], alone: bool = False) -> None:
        """Pair what has the same key; ``alone``: only where nobody else has it."""
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, items in enumerate((self.old, self.new)):
            for at, item in enumerate(items):
                is_free = at not in (self.taken if side else self.partner)
                if is_free and key(item):
                    groups.setdefault(key(item), ([], []))[side].append(at)
        for olds, news in groups.values():
            if not alone:
                self._take_alike(rule, olds, news)
            if len(olds) == len(news) and (len(olds) == 1 or not alone):
                for a, b in zip(olds, news, strict=True):
                    self._pair(rule, a, b)

    def _take_alike(self, rule: str, olds: list[int], news: list[int]) -> None:
        """Of several with one key, first those that are alike in all but their id."""

        def look(item: Traits) -> tuple[Any, ...]:
            return item.name, item.text, item.owner

        waiting: dict[tuple[Any, ...], list[int]] = {}
        for b in reversed(news):
            waiting.setdefault(look(self.new[b]), []).append(b)
        for a in list(olds):
            if places := waiting.get(look(self.old[a])):
                b = places.pop()
                self._pair(rule, a, b)
                olds.remove(a)
                news.remove(b)

    def take_places(self) -> None:
        if len(self.old) != len(self.new) or self._moved():
            return
        lasting = ID in self.rule.values()
        for at, (a, b) in enumerate(zip(self.old, self.new, strict=True)):
            other_name = a.name and b.name and a.name != b.name
            other_id = lasting and a.id and b.id and a.id != b.id
            if at in self.partner or at in self.taken or other_name or other_id:
                continue
            if a.owner == b.owner:
                self._pair(POSITION, at, at)

    def _pair(self, rule: str, a: int, b: int) -> None:
        self.partner[a] = b
        self.rule[a] = rule
        self.taken.add(b)

    def _moved(self) -> set[int]:
        """Old positions of items outside the longest row of items that kept their order."""
        olds = sorted(self.partner)
        kept = {olds[at] for at in longest_rising([self.partner[one] for one in olds])}
        return set(olds) - kept

    def pairs(self) -> list[Pair]:
        moved = self._moved()
        before = {b: a for a, b in self.partner.items()}
        made: list[Pair] = []
        for b in range(len(self.new)):
            a = before.get(b)
            made.append(Pair(a, b, self.rule[a], a in moved) if a is not None else Pair(None, b))
        for a in range(len(self.old)):
            if a not in self.partner:
                behind = (at for at, one in enumerate(made) if a > 0 and one.old == a - 1)
                made.insert(next(behind, -1) + 1, Pair(a, None))
        return made


def longest_rising(numbers: Sequence[int]) -> list[int]:
    """The places of a longest row of rising numbers, in order."""
    ends: list[int] = []
    ends_at: list[int] = []
    before: list[int] = []
    for at, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(ends_at[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        ends_at[length : length + 1] = [at]
    row: list[int] = []
    at = ends_at[-1] if ends_at else -1
    while at >= 0:
        row.append(at)
        at = before[at]
    return row[::-1]


def task_traits(task: Mapping[str, Any]) -> Traits:
    """The traits of a task of a document."""
    return Traits(
        text(task.get("id")),
        text(task.get("name")) or None,
        text(task.get("checkpoint_original_description")) or text(task.get("description")),
        text(mapping(task.get("agent")).get("role")),
    )


def agent_traits(agent: Mapping[str, Any]) -> Traits:
    """The traits of an agent of a document. Several may have one role, and inputs may be
    filled into it: so it is no name."""
    return Traits(id=text(agent.get("id")), text=text(agent.get("role")), owner="agent")


def entity_traits(entity: Mapping[str, Any]) -> Traits:
    """The traits of a crew, flow or agent among a document's entities."""
    kind = text(entity.get("entity_type"))
    roles = [text(one.get("role")) or "" for one in objects(entity.get("agents"))]
    return Traits(
        text(entity.get("id")),
        text(entity.get("name")) or text(entity.get("role")) or None,
        "\n".join(roles) or None,
        kind,
    )


def fill(template: str, inputs: Mapping[str, Any]) -> str:
    """A template with the inputs in it, as CrewAI fills it; what is not among them stays."""
    for name in placeholders(template):
        if name in inputs:
            template = template.replace("{" + name + "}", str(inputs[name]))
    return template
