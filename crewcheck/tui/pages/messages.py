"""What was said to the models and by them: a row a task and agent, below it the messages."""

from __future__ import annotations

from collections.abc import Sequence

from crewcheck.model import words
from crewcheck.model.harmless import one_line
from crewcheck.model.messages import Conversation, Message
from crewcheck.tui.layout import Block, Cell, Line
from crewcheck.tui.pages.base import Page, Subject, heading, json_body, plain, text_or_json


class MessagesPage(Page):
    """The conversations in the order in which they began."""

    tab = "messages"
    title = "Messages"
    share = 0.3
    needs_whole = True

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.talks: tuple[Conversation, ...] = ()
        if subject.whole is not None:
            self.talks = subject.whole.conversations
        self.count = len(self.talks)
        self.start = max(0, self.count - 1)

    def heads(self) -> Sequence[Cell]:
        return _row("about", "agent", "said", "took", "tokens", "muted", "muted")

    def cells(self, index: int) -> Sequence[Cell]:
        talk = self.talks[index]
        number = f"{talk.task + 1}. " if talk.task is not None else ""
        return _row(
            number + one_line(talk.label, 200),
            one_line(talk.agent or "", 80),
            f"{len(talk.messages):,}",
            words.took(talk.seconds),
            f"{talk.tokens.total:,}" if talk.tokens.calls else "",
            "bad" if talk.error else "",
            "muted",
        )

    def blocks(self, index: int) -> list[Block]:
        whole = self.subject.whole
        if whole is None:
            return self.waiting()
        if whole.error is not None:
            return [Line(), Line([(f"  {one_line(whole.error.message)}", "bad")])]
        if not self.talks:
            return [Line(), Line([("  No messages are recorded in this checkpoint.", "muted")])]
        talk = self.talks[index]
        between = f" {self.subject.glyphs.between} "
        spent = words.spent_talking(
            talk.agent, talk.model, talk.calls, talk.seconds, talk.tokens.total
        )
        blocks: list[Block] = [
            Line([(one_line(talk.label, 400), "title")]),
            Line([(between.join(spent), "muted")]),
            Line(),
        ]
        for message in talk.messages:
            blocks += _said(message)
        if talk.error:
            blocks += [*heading("Error"), text_or_json(talk.error)]
        return blocks

    def copied(self, index: int) -> tuple[str, str]:
        if not self.talks:
            return "", ""
        parts = []
        for message in self.talks[index].messages:
            calls = [f"{call.name} {plain(call.arguments)}" for call in message.tool_calls]
            texts = [plain(message.content)] if message.content else []
            parts.append("\n".join([f"{message.role}:", *texts, *calls]))
        return "the messages", "\n\n".join(parts)


def _said(message: Message) -> list[Block]:
    blocks: list[Block] = [
        *heading(one_line(message.role, 40) or "?", one_line(message.name or "", 80))
    ]
    if message.content:
        blocks.append(text_or_json(message.content, indent=2))
    for call in message.tool_calls:
        blocks.append(Line([("  calls ", "muted"), (one_line(call.name, 200), "key")]))
        blocks.append(
            text_or_json(call.arguments, indent=4)
            if isinstance(call.arguments, str)
            else json_body(call.arguments, indent=4)
        )
    if not message.content and not message.tool_calls:
        blocks.append(Line([("  (an empty text)", "muted")]))
    return [*blocks, Line()]


def _row(
    about: str, agent: str, said: str, took: str, tokens: str, main: str, side: str
) -> tuple[Cell, ...]:
    return (
        Cell(about, main, least=16),
        Cell(agent, side, 20, rank=3),
        Cell(said, side, 5, right=True, rank=2),
        Cell(took, side, 7, right=True, rank=1),
        Cell(tokens, side, 7, right=True, rank=2),
    )
