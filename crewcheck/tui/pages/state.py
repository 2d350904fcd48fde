"""The state of a flow as it was saved, and what a person has changed in it."""

from __future__ import annotations

from crewcheck.engine.cut import Cut
from crewcheck.model.json_path import changed_at, holds, write_path
from crewcheck.tui.layout import Block, Body, Line, paint_json
from crewcheck.tui.pages.base import Page, heading, json_body, plain, preview


class StatePage(Page):
    """Pretty JSON. What was saved may be ahead of the methods that have finished."""

    tab = "state"
    title = "State"

    def blocks(self, index: int) -> list[Block]:
        loaded = self.subject.loaded
        if loaded is None or loaded.info is None:
            return self.waiting()
        info = loaded.info
        if self.subject.edits.state:
            return self._edited()
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

    def _edited(self) -> list[Block]:
        subject = self.subject
        blocks: list[Block] = [
            Line([(f"{subject.glyphs.edited} ", "edited"), ("Your state", "heading"),
                  ("  not forked yet: f forks, u undoes", "muted")])
        ]  # fmt: skip
        state = subject.info.state_to_edit if subject.info is not None else None
        for path, value in subject.edits.state.items():
            known = holds(state, path)
            state, was = changed_at(state, path, value, "the state")
            blocks.append(
                Line([(f"  {subject.shown(write_path(path))}", "key"),
                      (f"  {preview(value, 60)}", "edited"),
                      (f"  was {preview(was, 60)}" if known else "  new", "muted")],
                     hang=4)
            )  # fmt: skip
        return [*blocks, Line(), json_body(subject.state)]

    def copied(self, index: int) -> tuple[str, str]:
        loaded = self.subject.loaded
        if self.subject.edits.state:
            return "your state", plain(self.subject.state)
        return "the flow's state", self.whole(loaded.state_text) if loaded is not None else ""
