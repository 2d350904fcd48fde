"""The inputs of the kickoff with their types, and what the templates ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crewcheck.model.crew import placeholders
from crewcheck.model.harmless import one_line
from crewcheck.tui.layout import Block, Cell, Line
from crewcheck.tui.pages.base import Page, Subject, heading, plain, preview
from crewcheck.tui.typed import kind_of as type_name


@dataclass(frozen=True, slots=True)
class Input:
    """``given`` is false for a name that a template asks for and nobody gave.

    ``edited``: the value is a person's, ``was`` the recorded one (``new``: there was none).
    """

    name: str
    value: Any
    given: bool
    used_by: tuple[str, ...]
    unused: bool
    edited: bool = False
    was: Any = None
    new: bool = False


class InputsPage(Page):
    """A row for each input; names that only a template knows come last."""

    tab = "inputs"
    title = "Inputs"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.inputs = self._collected()
        self.count = len(self.inputs)

    def _collected(self) -> list[Input]:
        info = self.info
        if info is None:
            return []
        given = info.inputs or {}
        asked = info.placeholders
        users: dict[str, list[str]] = {}
        for task in info.tasks:
            template = task.template or task.description
            expected = task.expected_template or task.expected_output
            for name in placeholders(template, expected):
                users.setdefault(name, []).append(one_line(task.label, 60))
        # without the texts before the inputs were filled in nobody knows what is used
        knows = any(task.template for task in info.tasks)
        edits = self.subject.edits.inputs
        rows = [
            Input(
                name,
                edits.get(name, value),
                True,
                tuple(users.get(name, ())),
                knows and name not in asked,
                name in edits,
                value,
            )
            for name, value in given.items()
        ]
        rows += [
            Input(name, value, True, tuple(users.get(name, ())), False, True, new=True)
            for name, value in edits.items()
            if name not in given
        ]
        rows += [
            Input(name, None, False, tuple(users.get(name, ())), False)
            for name in asked
            if name not in given and name not in edits
        ]
        return rows

    def key_of(self, index: int) -> object:
        return self.inputs[index].name

    def heads(self) -> Sequence[Cell]:
        return _row("", "name", "type", "value", "", "muted", "muted")

    def cells(self, index: int) -> Sequence[Cell]:
        one = self.inputs[index]
        glyphs = self.subject.glyphs
        name = self.subject.shown(one.name)
        if not one.given:
            return _row(
                glyphs.damaged, name, "missing", "a template asks for it", "warn", "", "warn"
            )
        if one.edited:
            kind = type_name(one.value)
            return _row(glyphs.edited, name, kind, preview(one.value), "edited", "edited", "")
        if one.unused:
            return _row(
                glyphs.unread,
                name,
                type_name(one.value),
                preview(one.value),
                "muted",
                "muted",
                "muted",
            )
        return _row("", name, type_name(one.value), preview(one.value), "", "key", "")

    def blocks(self, index: int) -> list[Block]:
        info = self.info
        if info is None:
            return self.waiting()
        if not self.inputs:
            said = (
                "The kickoff was given no inputs."
                if info.inputs is None
                else "The kickoff was given an empty set of inputs."
            )
            can_add = info.summary.kind == "crew" or (
                info.summary.kind == "flow" and (info.inputs is not None or not info.calls)
            )
            more = "  a adds one, for a fork." if can_add else ""
            return [Line(), Line([(f"  {said}{more}", "muted")])]
        one = self.inputs[index]
        note = type_name(one.value) if one.given else "missing"
        blocks: list[Block] = [
            Line([(self.subject.shown(one.name), "title"), (f"  {note}", "muted")])
        ]
        if one.used_by:
            blocks.append(Line([("used by ", "label"), (", ".join(one.used_by), "")], hang=8))
        elif one.unused:
            blocks.append(Line([("No task's text asks for it.", "muted")]))
        blocks.append(Line())
        if one.edited:
            blocks.append(
                Line([(f"{self.subject.glyphs.edited} ", "edited"), ("Your value", "heading"),
                      ("  not forked yet: f forks, u undoes", "muted")])
            )  # fmt: skip
            blocks += [*self._value(one.value), Line()]
            if not one.new:
                blocks += [*heading("Recorded value", type_name(one.was)), *self._value(one.was)]
        elif one.given:
            blocks += heading("Value")
            blocks += self._value(one.value)
        else:
            blocks.append(
                Line(
                    [
                        (f"{self.subject.glyphs.damaged} ", "warn"),
                        ("A task's text asks for this name, and the kickoff did not give it.", ""),
                    ],
                    hang=2,
                )
            )
        return blocks

    def _value(self, value: Any) -> list[Block]:
        return self.long(value) if value != "" else [Line([("An empty text.", "muted")])]

    def copied(self, index: int) -> tuple[str, str]:
        if not self.inputs:
            return "", ""
        one = self.inputs[index]
        return (
            ("the input's value", plain(self.whole(one.value)))
            if one.given
            else ("its name", one.name)
        )


def _row(
    mark: str, name: str, kind: str, value: str, mark_style: str, main: str, side: str
) -> tuple[Cell, ...]:
    return (
        Cell(mark, mark_style, 1),
        Cell(name, main, 18),
        Cell(kind, "warn" if mark_style == "warn" else "muted", 8, rank=1),
        Cell(value, side, least=12),
    )
