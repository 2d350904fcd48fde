"""What an agent without a crew was asked, and what it answered."""

from __future__ import annotations

from crewcheck.model.agent import QUESTION
from crewcheck.tui.layout import Block, Line
from crewcheck.tui.pages.base import Page, heading


class AnswerPage(Page):
    """Question and answer, one below the other."""

    tab = "work"
    title = "Answer"

    def blocks(self, index: int) -> list[Block]:
        info = self.info
        if info is None:
            return self.waiting()
        blocks: list[Block] = []
        edited = self.subject.edits.inputs.get(QUESTION)
        if edited is not None:
            blocks += [
                Line([(f"{self.subject.glyphs.edited} ", "edited"), ("Your question", "heading"),
                      ("  not forked yet: f forks, u undoes", "muted")]),
                *self.long(edited), Line(),
            ]  # fmt: skip
        if info.question is not None:
            said = "Question" if edited is None else "Recorded question"
            blocks += [*heading(said), *self.long(info.question), Line()]
        if info.answer is not None:
            blocks += [*heading("Answer")]
            if info.answer.strip():
                blocks += self.long(info.answer)
            else:
                blocks.append(Line([("The answer is empty.", "muted")]))
        else:
            blocks.append(Line([("It has not answered yet.", "muted")]))
        return blocks

    def copied(self, index: int) -> tuple[str, str]:
        info = self.info
        if info is None:
            return "", ""
        if info.answer is not None:
            return "the answer", self.whole(info.answer)
        return "the question", self.whole(info.question or "")
