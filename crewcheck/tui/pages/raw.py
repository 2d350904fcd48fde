"""The document itself, as it is stored but for masked secrets."""

from __future__ import annotations

from crewcheck.tui.layout import Block, Body, Line, paint_json
from crewcheck.tui.pages.base import Page


class RawPage(Page):
    """Indented JSON; only the lines that are looked at are laid out."""

    tab = "raw"
    title = "Raw"
    needs_whole = True

    def blocks(self, index: int) -> list[Block]:
        whole = self.subject.whole
        if whole is None:
            return self.waiting()
        if whole.error is not None:
            return [Line(), Line([(f"  {whole.error.message}", "bad")])]
        return [Body(whole.document, "", 0, paint_json)]

    def copied(self, index: int) -> tuple[str, str]:
        whole = self.subject.whole
        return ("the document", whole.document) if whole is not None else ("", "")
