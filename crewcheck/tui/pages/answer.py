"""What an agent without a crew was asked, and what it answered."""

from __future__ import annotations

from crewcheck.tui.layout import Block, Line
from crewcheck.tui.pages.base import Page, heading, text_or_json


class AnswerPage(Page):
    """Question and answer, one below the other."""

    tab = "work"
    title = "Answer"

    def blocks(self, index: int) -> list[Block]:
        info = self.info
        if info is None:
            return self.waiting()
        blocks: list[Block] = []
        if info.question is not None:
            blocks += [*heading("Question"), text_or_json(info.question), Line()]
        if info.answer is not None:
            blocks += [*heading("Answer")]
            blocks.append(
                text_or_json(info.answer)
                if info.answer.strip()
                else Line([("The answer is empty.", "muted")])
            )
        else:
            blocks.append(Line([("It has not answered yet.", "muted")]))
        return blocks

    def copied(self, index: int) -> tuple[str, str]:
        info = self.info
        if info is None:
            return "", ""
        if info.answer is not None:
            return "the answer", info.answer
        return "the question", info.question or ""
