"""The methods of a flow in the order in which they ran, and what each gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crewcheck.model import words
from crewcheck.model.flow import Method
from crewcheck.tui.glyphs import style_of
from crewcheck.tui.layout import Block, Cell, Line, Piece
from crewcheck.tui.pages.base import (
    Page,
    Subject,
    heading,
    plain,
    preview,
)
from crewcheck.tui.pages.tasks import chosen_first, joined


class MethodsPage(Page):
    """Methods that have not begun are not in a checkpoint, so they are not here."""

    tab = "work"
    title = "Methods"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.methods: list[Method] = self.info.methods if self.info is not None else []
        self.count = len(self.methods)
        self.start = chosen_first([method.state for method in self.methods])

    def _edit(self, method: Method) -> tuple[str, list[Any]]:
        """The call whose result a person has edited, and that result: one, or none."""
        call = self.info.last_call(method.name) if self.info is not None else None
        edits = self.subject.edits.results
        if call is None or call.index not in edits:
            return "", []
        return call.label, [edits[call.index]]

    def heads(self) -> Sequence[Cell]:
        return _row("", "method", "result", "calls", "took", "", "muted", "muted")

    def cells(self, index: int) -> Sequence[Cell]:
        method = self.methods[index]
        _, mine = self._edit(method)
        if mine:
            return _row(
                self.subject.glyphs.edited,
                self.subject.shown(method.name),
                preview(mine[0], 80),
                f"{method.calls}" if method.calls else "",
                "edited",
                "edited",
                "edited",
                "muted",
            )
        last = method.results[-1] if method.results else None
        return _row(
            self.subject.glyphs.of_state(method.state),
            self.subject.shown(method.name),
            preview(last, 80) if last is not None else "",
            f"{method.calls}" if method.calls else "",
            words.took(method.seconds),
            style_of(method.state),
            "",
            "muted",
        )

    def blocks(self, index: int) -> list[Block]:
        if self.info is None:
            return self.waiting()
        if not self.methods:
            return [Line(), Line([("  No method of this flow has begun yet.", "muted")])]
        method = self.methods[index]
        blocks: list[Block] = [
            Line([(self.subject.shown(method.name), "title")]),
            Line(self._about(method)),
            Line(),
        ]
        label, mine = self._edit(method)
        for value in mine:
            of = f"  of {self.subject.shown(label)}" if label != method.name else ""
            blocks += [
                Line([(f"{self.subject.glyphs.edited} ", "edited"), ("Your result", "heading"),
                      (f"{of}  not forked yet: f forks, u undoes", "muted")]),
                *self._returned(value),
                Line(),
            ]  # fmt: skip
        if method.error:
            blocks += [*heading("Error"), *self.long(method.error), Line()]
        if method.message:
            blocks += [*heading("It asks"), *self.long(method.message), Line()]
        several = len(method.results) > 1
        for number, result in enumerate(method.results, 1):
            notes = [f"of call {number}"] if several else []
            if number == len(method.results) and self._edited_before(method):
                notes.append("edited by a person")
            blocks += heading("Recorded result" if mine else "Result", ", ".join(notes))
            blocks += [*self._returned(result), Line()]
        if not method.results and not method.error and not method.message:
            said = {
                "running": "It had begun when this checkpoint was written.",
                "paused": "It waits for a person.",
            }.get(method.state, "What it returned is not in the checkpoint.")
            blocks.append(Line([(said, "muted")]))
        return blocks

    def _edited_before(self, method: Method) -> bool:
        """Whether the last result is what a person wrote into a fork."""
        call = self.info.last_call(method.name) if self.info is not None else None
        if self.info is None or call is None:
            return False
        return any(one.path == f"methods.{call.label}.result" for one in self.info.edits)

    def _about(self, method: Method) -> list[Piece]:
        parts: list[Piece] = [(method.state, style_of(method.state))]
        if method.calls > 1:
            parts.append((f"called {method.calls} times", ""))
        if method.seconds is not None:
            parts.append((words.took(method.seconds), ""))
        if method.tokens.calls:
            parts.append((words.many(method.tokens.total, "token"), ""))
        return joined(parts, f" {self.subject.glyphs.between} ")

    def _returned(self, result: Any) -> list[Block]:
        if result is None or result == "":
            said = "nothing" if result is None else "an empty text"
            return [Line([(f"It returned {said}.", "muted")])]
        return self.long(result)

    def copied(self, index: int) -> tuple[str, str]:
        if not self.methods:
            return "", ""
        method = self.methods[index]
        _, mine = self._edit(method)
        if mine:
            return "your result", plain(mine[0])
        if method.results:
            return "the method's result", plain(self.whole(method.results[-1]))
        if method.error or method.message:
            return "the method's error", self.whole(method.error or method.message or "")
        return "the method's name", method.name


def _row(
    glyph: str, name: str, result: str, calls: str, took: str, state: str, main: str, side: str
) -> tuple[Cell, ...]:
    return (
        Cell(glyph, state, 1),
        Cell(name, main, least=16, most=40),
        Cell(result, side, rank=3, least=16),
        Cell(calls, side, 5, right=True, rank=2),
        Cell(took, side, 7, right=True, rank=1),
    )
