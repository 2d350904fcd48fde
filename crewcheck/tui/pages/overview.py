"""What a person needs to know of a checkpoint in three seconds."""

from __future__ import annotations

from crewcheck.lineage import Node
from crewcheck.model import words
from crewcheck.model.harmless import one_line
from crewcheck.model.losses import Loss
from crewcheck.model.scan import DELETED, FAILED, FINISHED, PAUSED, RUNNING, STOPPED, Checkpoint
from crewcheck.tui.glyphs import style_of
from crewcheck.tui.layout import Block, Cell, Line, Meter, Piece, Table, widest
from crewcheck.tui.pages.base import Page, Subject, fact, heading, preview
from crewcheck.tui.pages.checks import check_blocks

#: What was written so lately may still be written on; an older one runs if a journal says so.
YOUNG_SECONDS = 60.0
#: How wide the bar of a run's progress is.
BAR = 40
#: Up to so many tasks have a stretch of their own in it.
STRETCHES = 20
#: How many rows of each kind are shown; the tabs show them all.
ROWS = 12
#: Longer names are cut in the rows.
MOST_NAME = 40


class OverviewPage(Page):
    """From the row alone at first; the document adds to it when it has come."""

    tab = "overview"
    title = "Overview"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.node: Node = subject.node
        self.checkpoint: Checkpoint = subject.node.checkpoint
        self.summary = self.info.summary if self.info is not None else self.checkpoint.summary

    def blocks(self, index: int) -> list[Block]:
        parts = [
            self._title(),
            self._work(),
            self._facts(),
            self._agents(),
            self._notes(),
            check_blocks(self.info.checks, ROWS, self.subject.glyphs) if self.info else [],
            self._edits(),
            self._losses(),
        ]
        blocks: list[Block] = []
        for part in parts:
            if part:
                if blocks:
                    blocks.append(Line())
                blocks += part
        return blocks

    def copied(self, index: int) -> tuple[str, str]:
        return "the checkpoint's id", self.checkpoint.id

    # -- the parts

    def _title(self) -> list[Block]:
        summary, shown = self.summary, self.subject.shown
        glyphs = self.subject.glyphs
        kind = summary.kind if summary is not None else None
        name = shown(summary.name) if summary is not None and summary.name else ""
        title = name or kind or shown(self.checkpoint.id)
        process = self.info.process if self.info is not None else None
        about = [
            part for part in (kind if title != kind else "", one_line(process or "", 40)) if part
        ]
        pieces: list[Piece] = [(title, "title")]
        if about:
            pieces.append((f"  {f' {glyphs.between} '.join(about)}", "muted"))
        blocks: list[Block] = [Line(pieces)]
        damage = self.checkpoint.damage
        if self.subject.unreadable:
            loaded = self.subject.loaded
            said = damage.message if damage is not None else ""
            if not said and loaded is not None and loaded.error is not None:
                said = loaded.error.message
            making = damage is not None and damage.rule == "being-written"
            blocks.append(
                Line(
                    [
                        (f"{glyphs.damaged} ", "warn" if making else "bad"),
                        (
                            "being written"
                            if making
                            else "gone"
                            if self.checkpoint.gone
                            else "damaged",
                            "warn" if making else "bad",
                        ),
                        (f"  {one_line(said, 400)}", ""),
                    ],
                    hang=2,
                )
            )
            return blocks
        if self.checkpoint.gone:
            said = f"{DELETED}; this is what was read before"
            blocks.append(Line([(f"{glyphs.damaged} ", "bad"), ("gone", "bad"), (f"  {said}", "")]))
        status = self._status()
        pieces = [
            (f"{glyphs.of_status(status)} {status or 'not read yet'}", style_of(status)),
        ]
        if reason := self._reason(status):
            pieces.append((f"  {reason}", "muted" if status in (FINISHED, STOPPED) else ""))
        blocks.append(Line(pieces, hang=2))
        return blocks

    def _status(self) -> str | None:
        status = self.checkpoint.status
        if status is None and self.info is not None:
            status = self.info.summary.status
        return status

    def _reason(self, status: str | None) -> str:
        """Why it has its status, on one line."""
        info = self.info
        if info is None:
            return ""
        if status == FAILED:
            for task in info.tasks:
                if task.error:
                    return f"{one_line(task.label, 60)}: {one_line(task.error, 300)}"
            for method in info.methods:
                if method.error:
                    return f"{self.subject.shown(method.name)}: {one_line(method.error, 300)}"
            if info.failure:
                return one_line(info.failure, 300)
        if status == PAUSED:
            for method in info.methods:
                if method.state == "paused":
                    asks = one_line(method.message or "", 300)
                    return f"{self.subject.shown(method.name)} waits for a person" + (
                        f": {asks}" if asks else ""
                    )
        if status == RUNNING:
            written = words.epoch(self.checkpoint.header.created_at)
            young = written is not None and self.subject.now - written < YOUNG_SECONDS
            return "written less than a minute ago" if young else "its run goes on"
        if status == STOPPED:
            for task in info.tasks:
                if task.state in ("running", "pending"):
                    word = "under way" if task.state == "running" else "next"
                    return f"{word}: {one_line(task.label, 200)}"
            for method in info.methods:
                if method.error:
                    error = one_line(method.error, 300)
                    return f"{self.subject.shown(method.name)} failed: {error}"
        if status == FINISHED and info.tasks:
            spent = sum(task.seconds or 0.0 for task in info.tasks)
            return f"in {words.took(spent)}" if spent else ""
        return ""

    def _work(self) -> list[Block]:
        """The progress bar, and the tasks or methods with it."""
        summary, info = self.summary, self.info
        if summary is None or self.subject.unreadable:
            return []
        blocks: list[Block] = []
        if summary.total and summary.kind != "agent":
            blocks.append(self._bar(summary.done or 0, summary.total))
        elif summary.kind == "flow" and summary.done is not None:
            blocks.append(Line([(words.many(summary.done, "method"), ""), (" done", "")]))
        if info is None:
            return blocks
        glyphs, shown = self.subject.glyphs, self.subject.shown
        rows: list[tuple[Cell, ...]]
        wide = widest((shown(method.name) for method in info.methods[:ROWS]), 8, MOST_NAME)
        rows = [
            (
                Cell(glyphs.of_state(task.state), style_of(task.state), 1),
                Cell(one_line(task.label, 200), _main(task.state), least=16),
                Cell(shown(task.agent or ""), "muted", 20, rank=2),
                Cell(words.took(task.seconds), "muted", 7, right=True, rank=1),
            )
            for task in info.tasks[:ROWS]
        ] or [
            (
                Cell(glyphs.of_state(method.state), style_of(method.state), 1),
                Cell(shown(method.name), "", least=min(wide, 16), most=wide),
                Cell(preview(method.results[-1]) if method.results else "", "muted",
                     least=12, rank=2),
                Cell(f"{len(method.results)} times" if len(method.results) > 1 else "", "muted",
                     9, right=True, rank=3),
                Cell(words.took(method.seconds), "muted", 7, right=True, rank=1),
            )
            for method in info.methods[:ROWS]
        ]  # fmt: skip
        if rows:
            blocks.append(Table(rows))
        more = max(len(info.tasks), len(info.methods)) - ROWS
        if more > 0:
            blocks.append(Line([(f"  and {more:,} more", "muted")]))
        if info.question is not None:
            blocks.append(fact("Asked", one_line(info.question, 300)))
            answer = info.answer
            blocks.append(
                fact("Answered", one_line(answer, 300))
                if answer is not None
                else fact("Answered", ("not yet", "muted"))
            )
        return blocks

    def _bar(self, done: int, total: int) -> Meter:
        """A stretch for each task in its colour; without the document, done and not done."""
        glyphs = self.subject.glyphs
        states = [task.state for task in self.info.tasks] if self.info is not None else []
        if len(states) != total:
            states = ["done"] * min(done, total) + ["pending"] * (total - min(done, total))
        if total > STRETCHES:
            # too many to be told apart: as many as fit, in proportion
            states = [states[at * total // BAR] for at in range(BAR)]
        return Meter(
            [
                (glyphs.empty, "faint")
                if state in ("pending", "skipped")
                else (glyphs.full, style_of(state))
                for state in states
            ],
            f"{done:,} of {words.many(total, 'task')}",
            BAR,
        )

    def _facts(self) -> list[Block]:
        checkpoint, info, summary = self.checkpoint, self.info, self.summary
        header = checkpoint.header
        shown, between = self.subject.shown, f" {self.subject.glyphs.between} "
        facts: list[Block] = []
        if summary is not None and summary.trigger:
            facts.append(
                fact(
                    "Trigger",
                    words.trigger_words(shown(summary.trigger)),
                    (f"  {one_line(shown(summary.trigger), 60)}", "muted"),
                )
            )
        when = words.moment(header.created_at)
        if when:
            ago = words.ago(header.created_at, self.subject.now)
            facts.append(fact("When", when, (f"{between}{ago}" if ago else "", "muted")))
        facts.append(self._branch())
        facts.append(fact("Id", shown(checkpoint.id)))
        if (parent := self._parent()) is not None:
            facts.append(parent)
        if forks := self._forks():
            facts.append(fact("Forks here", forks))
        if info is not None:
            facts += self._spent()
        if self.subject.loaded is not None and (tried := self.subject.loaded.attempts):
            facts.append(fact("Resumed", (f"{words.many(tried, 'time')}", "warn"),
                              ("  without getting further", "muted")))  # fmt: skip
        if summary is not None and summary.version:
            facts.append(fact("CrewAI", one_line(shown(summary.version), 40)))
        about = [words.size(header.size)] if header.size is not None else []
        if info is not None:
            about.append(words.many(info.event_count, "event"))
        if about:
            facts.append(fact("Size", between.join(about)))
        facts.append(fact("Location", shown(header.location)))
        return facts

    def _branch(self) -> Line:
        checkpoint, node, shown = self.checkpoint, self.node, self.subject.shown
        pieces: list[Piece] = [(shown(checkpoint.branch), "")]
        if node.fork_point is not None:
            branch = shown(node.fork_point.checkpoint.branch)
            pieces.append((f"  forked from {branch}", "muted"))
        return fact("Branch", *pieces)

    def _parent(self) -> Line | None:
        shown, node = self.subject.shown, self.node
        if node.parent is not None:
            return fact("Parent", shown(node.parent.checkpoint.id))
        if node.missing_parent is not None:
            return fact("Parent", shown(node.missing_parent), ("  not in the store", "warn"))
        if node.cut:
            return fact("Parent", shown(self.checkpoint.parent_id or ""), ("  a cycle", "warn"))
        return None

    def _forks(self) -> str:
        """The branches that leave from here."""
        own = self.checkpoint.branch
        branches = [
            child.checkpoint.branch
            for child in self.node.children
            if child.checkpoint.branch != own
        ]
        names = [self.subject.shown(branch) for branch in dict.fromkeys(branches[:6])]
        more = len(branches) - 6
        return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")

    def _spent(self) -> list[Block]:
        info = self.info
        assert info is not None
        facts: list[Block] = []
        tokens = info.tokens
        if tokens.calls:
            calls = words.many(tokens.calls, "model call")
            split = f"  {tokens.prompt:,} in, {tokens.completion:,} out, {calls}"
            facts.append(fact("Tokens", f"{tokens.total:,}", (split, "muted")))
        models = list(dict.fromkeys(agent.model for agent in info.agents if agent.model))
        if models:
            facts.append(
                fact("Model" if len(models) == 1 else "Models",
                     ", ".join(map(self.subject.shown, models[:6])))
            )  # fmt: skip
        endpoints = list(dict.fromkeys(agent.endpoint for agent in info.agents if agent.endpoint))
        if endpoints:
            facts.append(
                fact("Endpoint", (", ".join(map(self.subject.shown, endpoints[:4])), "warn"))
            )
        return facts

    def _agents(self) -> list[Block]:
        info = self.info
        if info is None or not info.agents:
            return []
        shown = self.subject.shown
        blocks = heading("Agents" if len(info.agents) > 1 else "Agent")
        rows = []
        for agent in info.agents[:ROWS]:
            about = one_line(agent.goal, 200)
            if agent.tools:
                tools = ", ".join(map(shown, agent.tools[:8]))
                about = f"{tools} {self.subject.glyphs.between} {about}"
            role = shown(one_line(agent.role, 60)) + (" (manager)" if agent.is_manager else "")
            rows.append((Cell(role, "", 22), Cell(about, "muted")))
        blocks.append(Table(rows))
        if len(info.agents) > ROWS:
            blocks.append(Line([(f"and {len(info.agents) - ROWS:,} more", "muted")]))
        return blocks

    def _notes(self) -> list[Block]:
        info, summary, glyphs = self.info, self.summary, self.subject.glyphs
        notes = info.notes if info is not None else summary.notes if summary is not None else ()
        damage = self.checkpoint.damage
        blocks: list[Block] = []
        if damage is not None and damage.readable:
            blocks.append(
                Line([(f"{glyphs.damaged} ", "warn"), (one_line(damage.message, 400), "")], hang=2)
            )
        if self.subject.unreadable and damage is not None and damage.offset is not None:
            blocks.append(Line([(f"{glyphs.unread} at byte {damage.offset:,}", "muted")]))
        blocks += [
            Line([(f"{glyphs.between} ", "muted"), (one_line(note, 400), "")], hang=2)
            for note in notes
        ]
        return [*heading("Notes"), *blocks] if blocks else []

    def _edits(self) -> list[Block]:
        info = self.info
        if info is None or not info.edits:
            return []
        blocks = heading("Edited by a person")
        for place, fork in info.edited_places()[:ROWS]:
            pieces: list[Piece] = [(f"{self.subject.glyphs.edited} ", "edited")]
            pieces.append((self.subject.shown(one_line(place, 60)), ""))
            pieces.append((f"  in fork {self.subject.shown(fork)}", "muted"))
            blocks.append(Line(pieces, hang=2))
        return blocks

    def _losses(self) -> list[Block]:
        info = self.info
        if info is None or not info.losses:
            return []
        groups: dict[str, list[Loss]] = {}
        for loss in info.losses:
            groups.setdefault(loss.message, []).append(loss)
        blocks = heading("Not in this checkpoint", "a resume takes it from your project")
        for message, group in list(groups.items())[:ROWS]:
            where = [self.subject.shown(one_line(loss.where, 40)) for loss in group if loss.where]
            named = ", ".join(where[:3]) + (f" and {len(where) - 3} more" if len(where) > 3 else "")
            pieces: list[Piece] = [(f"{self.subject.glyphs.skipped} ", "faint")]
            pieces.append((one_line(self.subject.shown(message), 300), "muted"))
            if named:
                pieces.append((f"  {named}", "faint"))
            blocks.append(Line(pieces, hang=2))
        return blocks


def _main(state: str) -> str:
    return "muted" if state in ("pending", "skipped") else ""
