"""What is different from the marked checkpoint, or from the parent."""

from __future__ import annotations

from collections.abc import Sequence

from crewcheck.engine import diff_words as said
from crewcheck.engine.diff import ADDED, CHANGED, MOVED, REMOVED, Change, Comparison, Item
from crewcheck.engine.diff_rows import unified
from crewcheck.lineage import Node
from crewcheck.model import words
from crewcheck.model.harmless import one_line
from crewcheck.tui.compared import MOST_LINES, Hunks
from crewcheck.tui.layout import Block, Cell, Line, Pieces
from crewcheck.tui.pages.base import Page, Subject
from crewcheck.tui.pages.diff_block import DiffText

_KINDS = {ADDED: ("+", "ok"), REMOVED: ("-", "bad"), CHANGED: ("~", "warn"), MOVED: ("^", "accent")}


class DiffPage(Page):
    """A row for each thing that differs, and first one for all of them."""

    tab = "diff"
    title = "Diff"
    share = 0.35

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        found = subject.compared
        self.comparison: Comparison | None = found.comparison if found is not None else None
        self.items: tuple[Item, ...] = self.comparison.items if self.comparison else ()
        self.count = len(self.items) + 1 if self.items else 0

    @property
    def waits(self) -> bool:
        return self.subject.compared is None and self.subject.base is not None

    def heads(self) -> Sequence[Cell]:
        return _row("", "part", "what", "how", "", *["muted"] * 4)

    def cells(self, index: int) -> Sequence[Cell]:
        if index == 0:
            many = words.many(len(self.items), "difference")
            return _row("", "all", many, "", "", "muted", "muted", "title", "muted")
        item = self.items[index - 1]
        sign, style = _KINDS[item.kind]
        label = one_line(item.label, 80)
        edited = any(change.edited for change in item.changes)
        mark = self.subject.glyphs.edited if edited else ""
        title = said.TITLES[item.section].lower()
        return _row(sign, title, label, self._how(item), mark, style, "muted", "", "muted")

    def _how(self, item: Item) -> str:
        remarks = said.remarks(item)
        for change in item.changes:
            short = None if change.hidden else said.inline(item, change)
            what = one_line(change.what, 40)
            if not change.what and short is not None:
                remarks.append(self._arrow(*short))
            elif not change.what:
                remarks.append(said.HIDDEN if change.hidden else "differs")
            elif short is not None and change.what in ("status", "agent", "model"):
                remarks.append(f"{what} {self._arrow(*short)}")
            else:
                remarks.append(what)
        return ", ".join(remarks)

    def _arrow(self, old: str, new: str) -> str:
        arrow = " → " if self.subject.glyphs.again == "▸" else " -> "
        return (arrow if old and new else "").join(one_line(text, 60) for text in (old, new))

    def blocks(self, index: int) -> list[Block]:
        subject = self.subject
        if subject.base is None:
            missing = subject.node.missing_parent
            why = "Its parent is not in the store." if missing else "It has no parent."
            return [
                Line(),
                Line([(f"  There is nothing to compare it with. {why}", "muted")], hang=2),
                Line([("  Mark another checkpoint with ", "muted"), ("space", "key"),
                      (", come back, and press ", "muted"), ("d", "key"), (".", "muted")], hang=2),
            ]  # fmt: skip
        found = subject.compared
        if found is None:
            return [Line(), Line([("  comparing…", "muted")])]
        if found.error is not None:
            return [Line(), Line([(f"  {one_line(str(found.error), 500)}", "bad")], hang=2)]
        if index and index <= len(self.items):
            return self._item(index - 1)
        blocks = self._heading(found.old, found.new)
        section = ""
        for place, item in enumerate(self.items):
            if item.section != section:
                section = item.section
                blocks += [Line(), Line([(said.TITLES[section], "heading")])]
            blocks += self._item(place)
        return blocks

    def _heading(self, old: Node, new: Node) -> list[Block]:
        assert self.comparison is not None
        shown = self.subject.shown
        blocks: list[Block] = []
        base = "its parent" if old is new.parent else "marked"
        for side, node, style, role in (("A", old, "bad", base), ("B", new, "ok", "this one")):
            checkpoint = node.checkpoint
            blocks.append(
                Line(
                    [
                        (f"{side}  ", style),
                        (f"{role:<12}", "muted"),
                        (shown(checkpoint.id), "title"),
                        (f"  {shown(checkpoint.branch)}", ""),
                        (f"  {words.moment(checkpoint.header.created_at)}", "muted"),
                    ],
                    hang=15,
                )
            )
        made = self.comparison
        spent = said.spent(made.spent_old, "A"), said.spent(made.spent_new, "B")
        for note in (*made.notes, *filter(None, spent)):
            blocks.append(Line([(f"   {one_line(note, 300)}", "muted")], hang=3))
        if made.same:
            blocks += [Line(), Line([(said.SAME.capitalize(), "title")])]
        return blocks

    def _item(self, place: int) -> list[Block]:
        item = self.items[place]
        sign, style = _KINDS[item.kind]
        head: Pieces = [(f"{sign} ", style), (one_line(item.label, 200), "title")]
        head += [(f"  {remark}", "muted") for remark in said.remarks(item)]
        blocks: list[Block] = []
        for at, change in enumerate(item.changes):
            line = head if not change.what else [(f"  {one_line(change.what, 200)}", "label")]
            if change.what and not at:
                blocks.append(Line(head, hang=2))
            blocks += self._change(line, item, change, self._hunks(place, at))
        return blocks or [Line(head, hang=2)]

    def _hunks(self, place: int, at: int) -> Hunks:
        found = self.subject.compared
        return found.hunks[place][at] if found is not None else []

    def _change(self, line: Pieces, item: Item, change: Change, hunks: Hunks) -> list[Block]:
        remark = said.edit_remark(change)
        edited: Pieces = [(f"  {self.subject.glyphs.edited} {remark}", "edited")] if remark else []
        if change.hidden:
            return [Line([*line, (f"  {said.HIDDEN}", "warn"), *edited], hang=4)]
        short = said.inline(item, change)
        if short is not None:
            old, new = (one_line(text) for text in short)
            arrow = self._arrow("x", "x")[1:-1] if old and new else ""
            values: Pieces = [("  ", ""), (old, "bad"), (arrow, "muted"), (new, "ok")]
            return [Line([*line, *values, *edited], hang=4)]
        sized = said.replaced(change)
        size: Pieces = [(f"  {sized}", "muted")] if sized else []
        blocks: list[Block] = [Line([*line, *size, *edited], hang=4)]
        gap = Line([("    ⋮" if self.subject.glyphs.again == "▸" else "    ...", "muted")])
        for number, group in enumerate(hunks):
            blocks += [gap] if number else []
            blocks.append(DiffText(group, indent=4))
        if sum(map(len, hunks)) >= MOST_LINES:
            blocks.append(Line([("    … and more: `crewcheck diff` prints all of it", "muted")]))
        return blocks

    def copied(self, index: int) -> tuple[str, str]:
        chosen = range(len(self.items)) if index == 0 else [index - 1]
        lines: list[str] = []
        for place in chosen if self.items else ():
            item = self.items[place]
            for at, change in enumerate(item.changes):
                what = f": {change.what}" if change.what else ""
                lines.append(f"@@ {item.section} {item.label}{what} @@")
                short = None if change.hidden else said.inline(item, change)
                if change.hidden:
                    lines.append(said.HIDDEN)
                elif short is not None:
                    lines += [mark + text for mark, text in zip("-+", short, strict=True) if text]
                for group in self._hunks(place, at):
                    lines += [
                        mark + "".join(part.text for part in line) for mark, line in unified(group)
                    ]
        return "the differences", "\n".join(lines)


def _row(
    sign: str,
    part: str,
    what: str,
    how: str,
    edited: str,
    style: str,
    side: str,
    main: str,
    last: str,
) -> tuple[Cell, ...]:
    return (
        Cell(sign, style, 1),
        Cell(part, side, 10, rank=2),
        Cell(what, main, least=12, most=30),
        Cell(edited, "edited", 1),
        Cell(how, last, least=12, rank=1),
    )
