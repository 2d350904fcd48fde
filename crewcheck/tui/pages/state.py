"""The state of a flow as it was saved, key by key, and what a person has changed in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from crewcheck.engine.cut import Cut
from crewcheck.model import words
from crewcheck.model.json_path import REMOVED, Path, changed_at, holds, write_path
from crewcheck.tui.layout import Block, Body, Cell, Line, paint_json, widest
from crewcheck.tui.pages.base import Page, Subject, heading, json_body, plain, preview
from crewcheck.tui.typed import kind_of

#: What the row of the whole state is called, and what stands for a key that is no more.
ALL, TAKEN = "the whole state", "taken away"
#: Longer keys are cut in the rows; that of so many is looked at.
MOST_KEY, MEASURED = 30, 200


class StatePage(Page):
    """The first row is the state as a whole, then one for each of its keys.

    What was saved may be ahead of the methods that have finished: the rows are of what a
    fork goes on with.
    """

    tab = "state"
    title = "State"
    share = 0.35

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        state = subject.state
        self.recorded: Any = self.info.state_to_edit if self.info is not None else None
        keys: dict[str, None] = {}
        for one in (self.recorded, state):
            # what is taken away keeps its place, to be brought back
            keys.update(dict.fromkeys(one if isinstance(one, dict) else ()))
        self.keys = list(keys)
        self.count = len(self.keys) + 1 if self.keys else 0

    def key_at(self, index: int) -> str | None:
        """The key of a row, None for the whole state."""
        return self.keys[index - 1] if 0 < index <= len(self.keys) else None

    def key_of(self, index: int) -> object:
        return (self.key_at(index),)

    def heads(self) -> Sequence[Cell]:
        return self._row("", "key", "type", "value", "", "muted", "muted")

    def cells(self, index: int) -> Sequence[Cell]:
        key, glyphs = self.key_at(index), self.subject.glyphs
        if key is None:
            # what is edited in it has its mark at the key
            about = words.many(len(self.subject.state), "key")
            return self._row("", ALL, "object", about, "", "title", "muted")
        edited = self._edits_of(key)
        sign = glyphs.edited if edited else ""
        if key not in self.subject.state:
            return self._row(sign, self.subject.shown(key), "", TAKEN, "edited", "muted", "muted")
        value = self.subject.state[key]
        style = "edited" if edited else ""
        return self._row(sign, self.subject.shown(key), kind_of(value), preview(value), "edited",
                         style or "key", style)  # fmt: skip

    def _row(
        self, mark: str, name: str, kind: str, value: str, mark_style: str, main: str, side: str
    ) -> tuple[Cell, ...]:
        width = self._key_width
        return (
            Cell(mark, mark_style, 1),
            Cell(name, main, least=min(width, len(ALL)), most=width),
            Cell(kind, "muted", 8, rank=1),
            Cell(value, side, least=12),
        )

    @cached_property
    def _key_width(self) -> int:
        keys = self.keys[:MEASURED] if self.keys else ()
        return widest((self.subject.shown(key) for key in keys), len(ALL), MOST_KEY)

    def _edits_of(self, key: str) -> dict[Path, Any]:
        return {path: one for path, one in self.subject.edits.state.items() if path[0] == key}

    def blocks(self, index: int) -> list[Block]:
        loaded = self.subject.loaded
        if loaded is None or loaded.info is None:
            return self.waiting()
        key = self.key_at(index)
        if key is not None:
            return self._of_key(key)
        info = loaded.info
        if self.subject.edits.state:
            return [*self._changes(self.subject.edits.state), json_body(self.subject.state)]
        if info.state is None:
            return [Line(), Line([("  This flow has saved no state.", "muted")])]
        text = loaded.state_text
        state: list[Block] = [Body(text, "", 0, paint_json)]
        if isinstance(text, Cut):
            state = self.long(text)
        if info.behind is None:
            return state
        said = "It is ahead of the methods that are finished. A fork goes on with the state below."
        return [
            *heading("Saved state"), Line([(said, "muted")]), *state, Line(),
            *heading("State after the last finished method"), json_body(info.behind),
        ]  # fmt: skip

    def _of_key(self, key: str) -> list[Block]:
        edited = self._edits_of(key)
        if key not in self.subject.state:
            title = Line([(self.subject.shown(key), "title"), (f"  {TAKEN}", "muted")])
            return [title, Line(), *self._changes(edited)]
        value = self.subject.state[key]
        blocks: list[Block] = [
            Line([(self.subject.shown(key), "title"), (f"  {kind_of(value)}", "muted")]), Line(),
        ]  # fmt: skip
        if not edited:
            return [*blocks, *self._value(value)]
        return [*blocks, *self._changes(edited), *self._value(value)]

    def _value(self, value: Any) -> list[Block]:
        return self.long(value) if value != "" else [Line([("An empty text.", "muted")])]

    def _changes(self, edits: dict[Path, Any]) -> list[Block]:
        """What a person has changed, a line for each place."""
        subject = self.subject
        blocks: list[Block] = [
            Line([(f"{subject.glyphs.edited} ", "edited"), ("Your state", "heading"),
                  ("  not forked yet: f forks, u undoes", "muted")])
        ]  # fmt: skip
        state = self.recorded
        for path, value in edits.items():
            known = holds(state, path)
            state, was = changed_at(state, path, value, "the state")
            blocks.append(
                Line([(f"  {subject.shown(write_path(path))}", "key"),
                      (f"  {TAKEN if value is REMOVED else preview(value, 60)}", "edited"),
                      (f"  was {preview(was, 60)}" if known else "  new", "muted"),
                      (self._retyped(was, value) if known else "", "warn")],
                     hang=4)
            )  # fmt: skip
        return [*blocks, Line()]

    def _retyped(self, was: Any, value: Any) -> str:
        """A word where a value has another type than before: a class may not take it."""
        if value is REMOVED:
            return ""
        kinds = kind_of(was), kind_of(value)
        return f", a {kinds[0]}: now a {kinds[1]}" if len({*kinds, "null"}) == 3 else ""

    def copied(self, index: int) -> tuple[str, str]:
        key = self.key_at(index)
        if key is not None and key not in self.subject.state:
            return "the key", key
        if key is not None:
            return f"the state's {key}", plain(self.whole(self.subject.state[key]))
        loaded = self.subject.loaded
        if self.subject.edits.state:
            return "your state", plain(self.subject.state)
        return "the flow's state", self.whole(loaded.state_text) if loaded is not None else ""
