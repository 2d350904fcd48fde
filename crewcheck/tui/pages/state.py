"""The state of a flow as it was saved."""

from __future__ import annotations

from crewcheck.engine.cut import Cut
from crewcheck.tui.layout import Block, Body, Line, paint_json
from crewcheck.tui.pages.base import Page


class StatePage(Page):
    """Pretty JSON. It may be ahead of the methods that have finished."""

    tab = "state"
    title = "State"

    def blocks(self, index: int) -> list[Block]:
        loaded = self.subject.loaded
        if loaded is None or loaded.info is None:
            return self.waiting()
        if loaded.info.state is None:
            return [Line(), Line([("  This flow has saved no state.", "muted")])]
        text = loaded.state_text
        return self.long(text) if isinstance(text, Cut) else [Body(text, "", 0, paint_json)]

    def copied(self, index: int) -> tuple[str, str]:
        loaded = self.subject.loaded
        return "the flow's state", self.whole(loaded.state_text) if loaded is not None else ""
