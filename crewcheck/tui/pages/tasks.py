"""The tasks of a crew, and the chosen one in full."""

from __future__ import annotations

from collections.abc import Sequence

from crewcheck.engine.cut import Cut
from crewcheck.model import words
from crewcheck.model.crew import Task
from crewcheck.model.harmless import one_line
from crewcheck.tui.glyphs import style_of
from crewcheck.tui.layout import Block, Cell, Line, Piece
from crewcheck.tui.pages.base import Page, Subject, heading, json_body, plain, text_or_json


class TasksPage(Page):
    """Enter and arrows choose a task; below is what it was asked and what it gave."""

    tab = "work"
    title = "Tasks"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.tasks: list[Task] = self.info.tasks if self.info is not None else []
        self.count = len(self.tasks)
        self.start = chosen_first([task.state for task in self.tasks])

    def heads(self) -> Sequence[Cell]:
        return _row("", "task", "agent", "took", "tokens", "", "muted", "muted")

    def cells(self, index: int) -> Sequence[Cell]:
        task = self.tasks[index]
        if index in self.subject.edits.outputs:
            return _row(
                self.subject.glyphs.edited,
                one_line(task.label, 200),
                self.subject.shown(task.agent or ""),
                "",
                "edited",
                "edited",
                "edited",
                "muted",
            )
        return _row(
            self.subject.glyphs.of_state(task.state),
            one_line(task.label, 200),
            self.subject.shown(task.agent or ""),
            words.took(task.seconds),
            f"{task.tokens.total:,}" if task.tokens.calls else "",
            style_of(task.state),
            "muted" if task.state in ("pending", "skipped") else "",
            "muted",
        )

    def blocks(self, index: int) -> list[Block]:
        if self.info is None:
            return self.waiting()
        if not self.tasks:
            return [Line(), Line([("  This crew has no tasks.", "muted")])]
        task = self.tasks[index]
        glyphs = self.subject.glyphs
        blocks: list[Block] = [
            Line([(one_line(task.label, 400), "title")]),
            Line(self._about(task)),
            Line(),
        ]
        if task.error:
            blocks += [*heading("Error"), *self.long(task.error), Line()]
        edited = self.subject.edits.outputs.get(index)
        if edited is not None:
            blocks += [
                Line([(f"{glyphs.edited} ", "edited"), ("Your output", "heading"),
                      ("  not forked yet: f forks, u undoes", "muted")]),
                text_or_json(edited) if edited.strip() else Line([("It is empty.", "muted")]),
                Line(),
            ]  # fmt: skip
        if task.output is not None:
            kind = task.output_format if task.output_format not in (None, "raw") else ""
            blocks += heading("Output" if edited is None else "Recorded output", kind or "")
            if task.structured is not None:
                if isinstance(task.structured, Cut):
                    blocks += self.long(task.structured)
                else:
                    blocks.append(json_body(task.structured))
            elif task.output.strip():
                blocks += self.long(task.output)
            else:
                blocks.append(Line([("The output is empty.", "muted")]))
            blocks.append(Line())
        elif not task.error and edited is None:
            said = {
                "pending": "Not begun yet: it has no output.",
                "skipped": "Skipped: its condition did not hold.",
                "running": "It had begun when this checkpoint was written.",
                "failed": "It failed: it has no output.",
            }.get(task.state, "It has no output.")
            blocks += [Line([(f"{glyphs.of_state(task.state)} ", style_of(task.state)),
                             (said, "muted")]), Line()]  # fmt: skip
        blocks += [*heading("Description"), *self.long(task.description), Line()]
        if task.expected_output:
            blocks += [*heading("Expected output"), *self.long(task.expected_output), Line()]
        return blocks

    def _about(self, task: Task) -> list[Piece]:
        """One line under the name: state, agent, time, tokens, tools."""
        parts = [(task.state, style_of(task.state))]
        if task.agent:
            parts.append((self.subject.shown(task.agent), ""))
        if task.seconds is not None:
            parts.append((words.took(task.seconds), ""))
        if task.tokens.calls:
            parts.append((words.many(task.tokens.total, "token"), ""))
        if task.tools:
            tools = ", ".join(map(self.subject.shown, task.tools))
            parts.append((f"{'tool' if len(task.tools) == 1 else 'tools'} {tools}", ""))
        if task.is_async:
            parts.append(("asynchronous", ""))
        if task.human_input:
            parts.append(("asks a person", ""))
        return joined(parts, f" {self.subject.glyphs.between} ")

    def copied(self, index: int) -> tuple[str, str]:
        if not self.tasks:
            return "", ""
        task = self.tasks[index]
        if index in self.subject.edits.outputs:
            return "your output", self.subject.edits.outputs[index]
        if task.output is not None:
            return "the task's output", self.whole(task.output)
        if task.error:
            return "the task's error", plain(self.whole(task.error))
        return "the task's description", self.whole(task.description)


def chosen_first(states: list[str]) -> int:
    """The row to begin with: what failed or runs, else what was done last."""
    for wanted in ("failed", "running", "paused"):
        if wanted in states:
            return states.index(wanted)
    done = [at for at, state in enumerate(states) if state == "done"]
    return done[-1] if done else 0


def joined(parts: list[Piece], between: str) -> list[Piece]:
    pieces: list[Piece] = []
    for part in parts:
        if pieces:
            pieces.append((between, "faint"))
        pieces.append(part)
    return pieces


def _row(
    glyph: str, label: str, agent: str, took: str, tokens: str, state: str, main: str, side: str
) -> tuple[Cell, ...]:
    return (
        Cell(glyph, state, 1),
        Cell(label, main, least=16),
        Cell(agent, side, 20, rank=3),
        Cell(took, side, 7, right=True, rank=1),
        Cell(tokens, side, 7, right=True, rank=2),
    )
