"""Long texts of a checkpoint that stay where it was read, until somebody looks at them.

A `Cut` is the beginning of a text and says how long the whole is and where to ask for it.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from typing import Any

from crewcheck.engine.inspect import Info
from crewcheck.model.scan import Summary

#: Longer texts are cut to `HEAD` characters.
LONGEST, HEAD = 8_192, 2_048
#: Values of objects and lists whose JSON is longer are cut as texts of JSON.
_VALUES = frozenset({"inputs", "settings"})


class Cut(str):
    """The beginning of a long text. ``number`` is its place among the texts of its
    checkpoint, ``length`` that of the whole, ``kind`` ``text``, or ``object`` or ``list``
    where it is the pretty JSON of such a value."""

    number: int
    length: int
    kind: str

    def __new__(cls, head: str, number: int, length: int, kind: str = "text") -> Cut:
        made = super().__new__(cls, head)
        made.number, made.length, made.kind = number, length, kind
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Cut, (str(self), self.number, self.length, self.kind)

    @property
    def missing(self) -> int:
        """How many characters are not here."""
        return self.length - len(self)


class Cutter:
    """Cuts what is long out of views of a document, and keeps it in ``texts``."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def text(self, text: str, kind: str = "text", longest: int = LONGEST) -> str:
        if len(text) <= longest:
            return text
        self.texts.append(text)
        return Cut(text[: min(HEAD, longest)], len(self.texts) - 1, len(text), kind)

    def value(self, value: Any, longest: int = LONGEST) -> Any:
        """A JSON value: where it is long as a whole, the text of it."""
        if isinstance(value, str):
            return self.text(value, longest=longest)
        if not isinstance(value, (dict, list)) or not _is_long(value):
            return value
        said = pretty(value)
        if len(said) <= LONGEST:
            return value
        return self.text(said, "object" if isinstance(value, dict) else "list")

    def part(self, part: Any, longest: int = LONGEST) -> Any:
        """A view (a task, say) with what is long in it cut."""
        changes = {}
        for field in fields(part):
            value = getattr(part, field.name)
            cut: Any
            if field.name == "results":
                cut = [self.value(one, longest) for one in value]
            elif is_dataclass(value):
                continue
            elif isinstance(value, tuple):
                cut = tuple(self.value(one, longest) for one in value)
            else:
                cut = self.value(value, longest)
            if cut is not value:
                changes[field.name] = cut
        return replace(part, **changes) if changes else part


def pretty(value: Any) -> str:
    """A JSON value as a person reads it."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _is_long(value: Any) -> bool:
    """Whether a value may be long as JSON; a look at some of it is enough."""
    stack = [value]
    weight = 0
    while stack and weight <= LONGEST // 8:
        one = stack.pop()
        if isinstance(one, dict):
            weight += len(one)
            stack += one.keys()
            stack += one.values()
        elif isinstance(one, list):
            weight += len(one)
            stack += one
        elif isinstance(one, str):
            weight += len(one) // 8 + 1
    return bool(stack) or weight > LONGEST // 8


def cut_values(cutter: Cutter, values: dict[str, Any] | None) -> dict[str, Any] | None:
    """Inputs or settings, each value cut on its own."""
    if values is None:
        return None
    return {str(cutter.text(key)): cutter.value(value) for key, value in values.items()}


def cut_summary(summary: Summary, cutter: Cutter) -> Summary:
    for name in ("kind", "name", "trigger", "version"):
        said = getattr(summary, name)
        if said is not None:
            setattr(summary, name, str(cutter.text(said)))
    return summary


def cut_info(info: Info, cutter: Cutter) -> Info:
    """All of a checkpoint but for its events and what is long."""
    changes: dict[str, Any] = {"events": []}
    for field in fields(info):
        name, value = field.name, getattr(info, field.name)
        if name in ("checkpoint", "events", "tokens"):
            continue
        if name == "summary":
            changes[name] = cut_summary(value, cutter)
        elif name in _VALUES:
            changes[name] = cut_values(cutter, value)
        elif name == "state":
            changes[name] = None if value is None else cutter.value(value)
        elif isinstance(value, (list, tuple)):
            changes[name] = type(value)(
                cutter.part(one) if is_dataclass(one) else cutter.value(one) for one in value
            )
        else:
            changes[name] = cutter.value(value)
    return replace(info, **changes)
