"""`diff` in a pipe: unified, as other tools read it, and nothing cut."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from crewcheck.engine import diff_words as said
from crewcheck.engine.diff import Change, Comparison, Item
from crewcheck.engine.diff_rows import Line, Row, hunks, rows, unified
from crewcheck.model.harmless import name

Rows = tuple[dict[str, Any], dict[str, Any]]

_CONTEXT = 3


def print_plain(comparison: Comparison, checkpoints: Rows, *, by_words: bool) -> None:
    """Print a comparison as a unified diff: a hunk for each value that differs."""
    write = sys.stdout.write
    if comparison.same:
        write(said.SAME + "\n")
        return
    for line in _lines(comparison, checkpoints, by_words):
        write(line + "\n")


def _lines(comparison: Comparison, checkpoints: Rows, by_words: bool) -> Iterator[str]:
    for mark, shape in zip(("---", "+++"), checkpoints, strict=True):
        yield f"{mark} {name(shape['id'])}\t{name(shape['branch'])}\t{shape['created_at'] or ''}"
    for note in _notes(comparison):
        yield f"# {name(note)}"
    for item in comparison.items:
        if not item.changes:
            yield "@@ " + " ".join([_where(item, None), item.kind, *said.remarks(item)]) + " @@"
        for change in item.changes:
            yield from _hunks(item, change, by_words)


def _notes(comparison: Comparison) -> list[str]:
    spent = said.spent(comparison.spent_old, "A"), said.spent(comparison.spent_new, "B")
    return [*comparison.notes, *filter(None, spent)]


def _where(item: Item, change: Change | None) -> str:
    what = change.what if change is not None else ""
    if item.section == "document" or (item.path and item.path.endswith(f".{item.label}")):
        where = item.path
    else:
        where = f"{item.section}.{item.label}"
    return name(f"{where}: {what}" if what else where)


def _hunks(item: Item, change: Change, by_words: bool) -> Iterator[str]:
    where = _where(item, change)
    remarks = [*said.remarks(item), *filter(None, [said.edit_remark(change)])]
    ending = " ".join(["@@", where, *(f"({remark})" for remark in remarks)])
    if change.hidden:
        yield f"@@ {where} @@ {said.HIDDEN}"
        return
    short = said.inline(item, change)
    if short is not None:
        yield f"@@ {ending.removeprefix('@@ ')} @@"
        for mark, text, there in zip("-+", short, (change.old, change.new), strict=True):
            if there is not None or text:
                yield mark + said.line_text(text)
        return
    for group in hunks(rows(said.parts(change), _CONTEXT)):
        yield f"@@ -{_span(group, 0)} +{_span(group, 1)} {ending}"
        for mark, line in unified(group):
            yield mark + _text(line, by_words)


def _span(group: list[Row], side: int) -> str:
    count = sum((row.new if side else row.old) is not None for row in group)
    start = group[0].other if side else group[0].number
    return f"{start if count else start - 1},{count}"


def _text(line: Line, by_words: bool) -> str:
    marked = by_words and len(line) > 1
    shown = [(op, said.line_text(text)) for op, text in line]
    return "".join(said.bracketed(op, text) if marked else text for op, text in shown)


def print_two_columns(comparison: Comparison, checkpoints: Rows, *, by_words: bool) -> None:
    """The texts that differ, a line each: the old, a mark, the new, between tabs."""
    write = sys.stdout.write
    if comparison.same:
        write(said.SAME + "\n")
        return
    write("\t\t".join(name(shape["id"]) for shape in checkpoints) + "\n")
    for item, change in texts(comparison):
        write(f"@@ {_where(item, change)} @@\n")
        for row in rows(said.parts(change)):
            mark = "|" if row.old is not None and row.new is not None else "<"
            mark = " " if not row.changed else ">" if row.old is None else mark
            left, right = (name(_text(line or [], False)) for line in (row.old, row.new))
            write(f"{left}\t{mark}\t{right}\n")


def texts(comparison: Comparison) -> Iterator[tuple[Item, Change]]:
    """What is worth to be read side by side: outputs, answers, results."""
    for item in comparison.items:
        for change in item.changes:
            if item.section == "answer" or change.what.startswith("output"):
                yield item, change
