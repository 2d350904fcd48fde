"""`diff` for a person: a section each for inputs, tasks, state, ..., changed words in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from crewcheck.cli import marks
from crewcheck.cli.console import Console, unicode_output
from crewcheck.cli.diff_plain import texts
from crewcheck.engine import diff_words as said
from crewcheck.engine.diff import ADDED, CHANGED, MOVED, REMOVED, Change, Comparison, Item
from crewcheck.engine.diff_rows import Line, clipped, hunks, rows, unified
from crewcheck.engine.diff_text import GONE, NEW, SAME
from crewcheck.model import words
from crewcheck.model.harmless import name, one_line

if TYPE_CHECKING:
    from rich.console import Console as Rich

Rows = tuple[dict[str, Any], dict[str, Any]]

#: Of a text so many lines are printed, unless all of it is asked for; of a line so many
#: characters around what has changed.
_LINES, _AROUND, _MOST = 40, 80, 600
_CONTEXT = 1
_STYLES = {SAME: "", GONE: "red", NEW: "green"}
_STRONG = {SAME: "", GONE: "bold red", NEW: "bold green"}
_KINDS = {
    ADDED: ("+", "green"),
    REMOVED: ("-", "red"),
    CHANGED: ("~", "yellow"),
    MOVED: ("^", "cyan"),
}


def print_diff(console: Console, comparison: Comparison, checkpoints: Rows, *, full: bool) -> None:
    """Print a comparison, section by section."""
    page = _Page(console, full)
    page.heading(comparison, checkpoints)
    for section, items in said.in_sections(comparison):
        page.print(Text(f"\n{said.TITLES[section]}", "bold"))
        for item in items:
            page.item(item)
    page.ending(comparison)


def print_side_by_side(
    console: Console, comparison: Comparison, checkpoints: Rows, *, full: bool
) -> None:
    """Print the outputs that differ in two columns, as wide as the terminal allows."""
    page = _Page(console, full)
    page.heading(comparison, checkpoints)
    shown = False
    for item, change in texts(comparison):
        shown = True
        page.print(Text(f"\n{one_line(item.label, 60)}  {one_line(change.what, 40)}", "bold"))
        page.columns(change)
    if not shown and not comparison.same:
        page.print(Text("\nno output differs: leave --side-by-side out for the rest", "dim"))
    page.ending(comparison)


class _Page:
    def __init__(self, console: Console, full: bool) -> None:
        self.rich: Rich = console.rich()
        self.full = full
        self.unicode = unicode_output()
        self.arrow = " → " if self.unicode else " -> "
        # without colour the changed words need signs
        self.bracketed = self.rich.no_color or self.rich.color_system is None

    def print(self, text: Text) -> None:
        self.rich.print(text, soft_wrap=True)

    def heading(self, comparison: Comparison, checkpoints: Rows) -> None:
        wide = [max(len(name(shape[key])) for shape in checkpoints) for key in ("id", "branch")]
        for mark, side, shape in zip("-+", "AB", checkpoints, strict=True):
            line = Text(f"{mark} {side}  ", _STYLES[mark])
            line.append(f"{name(shape['id']):<{wide[0]}}  ", "bold")
            line.append(f"{name(shape['branch']):<{wide[1]}}  ")
            line.append(f"{marks.progress(shape['done'], shape['total']):<6} ")
            line.append(words.moment(shape["created_at"]), "dim")
            self.print(line)
        spent = said.spent(comparison.spent_old, "A"), said.spent(comparison.spent_new, "B")
        for note in (*comparison.notes, *filter(None, spent)):
            self.print(Text(f"     {one_line(note)}", "dim"))

    def ending(self, comparison: Comparison) -> None:
        if comparison.same:
            self.print(Text(said.SAME))

    def item(self, item: Item) -> None:
        mark, style = _KINDS[item.kind]
        line = Text("  ")
        line.append(f"{mark} ", style)
        line.append(self._label(item), "bold")
        unnamed = [change for change in item.changes if not change.what]
        for remark in said.remarks(item):
            line.append(f"  {remark}", "dim")
        if unnamed:
            self._value(line, item, unnamed[0], indent=6)
        else:
            self.print(line)
        for change in item.changes:
            if change.what:
                self._value(Text(f"      {one_line(change.what, 60)}", "dim"), item, change, 8)

    def _label(self, item: Item) -> str:
        number = item.new_index if item.new_index is not None else item.old_index
        place = f"{number + 1}. " if item.section == "tasks" and number is not None else ""
        return place + one_line(item.label, 60)

    def _value(self, line: Text, item: Item, change: Change, indent: int) -> None:
        remark = said.edit_remark(change)
        short = None if change.hidden else said.inline(item, change)
        if short is not None:
            old, new = (one_line(text) for text in short)
            line.append("  ")
            line.append(old, "red")
            line.append(self.arrow if old and new else "", "dim")
            line.append(new, "green")
        elif change.hidden:
            line.append(f"  {said.HIDDEN}", "yellow")
        elif sized := said.replaced(change):
            line.append(f"  {sized}", "dim")
        line.append(f"  {remark}" if remark else "", "magenta")
        self.print(line)
        if short is None and not change.hidden:
            self.text(change, indent)

    def text(self, change: Change, indent: int) -> None:
        """The lines of two texts that differ, each old one above its new one."""
        printed = left = 0
        for place, group in enumerate(hunks(rows(said.parts(change, self.unicode), _CONTEXT))):
            if place and printed < _LINES:
                self.print(Text(" " * indent + ("⋮" if self.unicode else "..."), "dim"))
            for mark, line in unified(group):
                if printed >= _LINES and not self.full:
                    left += mark != SAME
                    continue
                printed += 1
                self._line(mark, line, indent)
        if left:
            more = words.many(left, "more line")
            self.print(Text(f"{' ' * indent}… {more}: use --full, or a pipe", "dim"))

    def _line(self, mark: str, line: Line, indent: int) -> None:
        text = Text(f"{mark} ", _STYLES[mark])
        text.append_text(self._words(mark, line))
        if len(text) > 4 * _MOST:
            self.print(Text(" " * indent).append_text(text))
        else:
            text.overflow = "fold"
            self.rich.print(Padding(text, (0, 0, 0, indent)))

    def _words(self, mark: str, line: Line) -> Text:
        text = Text()
        several = len(line) > 1
        for op, part in line if self.full else clipped(line, _AROUND, _MOST):
            shown = said.line_text(part)
            if several and self.bracketed:
                shown = said.bracketed(op, shown)
            style = (_STRONG if several else _STYLES)[op] or ("dim" if mark == SAME else "")
            text.append(shown, style)
        return text

    def columns(self, change: Change) -> None:
        table = Table.grid(padding=(0, 1))
        table.expand = True
        table.add_column(ratio=1, overflow="fold")
        table.add_column(width=1)
        table.add_column(ratio=1, overflow="fold")
        made = rows(said.parts(change, self.unicode), None if self.full else 3)
        for row in made if self.full else made[: 3 * _LINES]:
            mark = "|" if row.old is not None and row.new is not None else "<"
            mark = " " if not row.changed else ">" if row.old is None else mark
            sides = [
                self._words(op if row.changed else SAME, line or [])
                for op, line in ((GONE, row.old), (NEW, row.new))
            ]
            table.add_row(sides[0], Text(mark, "yellow"), sides[1])
        self.rich.print(Padding(table, (0, 0, 0, 2)))
        if not self.full and len(made) > 3 * _LINES:
            more = words.many(len(made) - 3 * _LINES, "more line")
            self.print(Text(f"  … {more}: use --full, or a pipe", "dim"))
