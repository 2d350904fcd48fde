"""``crewcheck diff``: what is different between two checkpoints."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from crewcheck.cli.console import Console, common_options
from crewcheck.engine.rows import row
from crewcheck.errors import Exit, NotFound
from crewcheck.model.harmless import name, one_line

if TYPE_CHECKING:
    from crewcheck.engine.diff import Comparison, Item
    from crewcheck.engine.refs import Found


@click.command("diff")
@click.argument("refs", nargs=-1, metavar="[A] [B]")
@common_options
@click.option("--stat", is_flag=True, help="Only which parts differ, and how much.")
@click.option("--words", "by", flag_value="words", help="Compare texts by words. [terminal]")
@click.option("--lines", "by", flag_value="lines", help="Compare texts by lines. [pipe]")
@click.option("-y", "--side-by-side", is_flag=True, help="Show the outputs side by side.")
@click.option("-t", "--task", "task", metavar="NAME", help="Only this task or method.")
@click.option(
    "-a", "--all", "everything", is_flag=True, help="Also what is another in each run: ids, times."
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there are differences.")
@click.option("--full", is_flag=True, help="Print long texts whole, on a terminal too.")
@click.pass_obj
def command(
    console: Console,
    refs: tuple[str, ...],
    as_json: bool,
    stat: bool,
    by: str | None,
    side_by_side: bool,
    task: str | None,
    everything: bool,
    exit_code: bool,
    full: bool,
) -> int:
    """Show what is different between two checkpoints.

    A is the old one, B the new one, whichever is older. With one reference, it is compared
    with its parent; without any, the latest is. A and B are references as in `info`; a
    branch is its newest checkpoint, and B without a store is looked for in A's. Tasks and
    agents are matched by id, name or text, not by their places.

    \b
    Examples:
      crewcheck diff                          what did the last step do?
      crewcheck diff main exp/hot-soup        compare what two branches have come to
      crewcheck diff main exp/hot-soup -y     the outputs side by side
      crewcheck diff a.db#176e579a b.db       across stores
      crewcheck diff latest~2 latest --exit-code --stat
    """
    from crewcheck.engine.comparing import compare_found, find_two

    if len(refs) > 2:
        raise click.UsageError("give at most two checkpoints")
    chosen = by or ("words" if console.is_terminal else "lines")
    old, new = find_two(refs, console.location)
    with closing(old.catalog), closing(new.catalog):
        comparison, *documents = compare_found(
            old, new, console.redactor, everything=everything, by=chosen
        )
        if task is not None:
            comparison = _only(comparison, task)
        if as_json:
            _print_json(console, comparison, old, new, documents, everything)
        elif stat:
            _print_stat(console, comparison)
        elif console.is_terminal:
            from crewcheck.cli.diff_text import print_diff, print_side_by_side

            show = print_side_by_side if side_by_side else print_diff
            show(console, comparison, _rows(console, old, new), full=full)
        else:
            from crewcheck.cli.diff_plain import print_plain, print_two_columns

            show_plain = print_two_columns if side_by_side else print_plain
            show_plain(comparison, _rows(console, old, new), by_words=chosen == "words")
    return Exit.FAILED if exit_code and not comparison.same else Exit.DONE


def _rows(console: Console, old: Found, new: Found) -> tuple[dict[str, Any], dict[str, Any]]:
    return (
        row(old.node.checkpoint, console.redactor),
        row(new.node.checkpoint, console.redactor),
    )


def _only(comparison: Comparison, wanted: str) -> Comparison:
    """What is different about one task or method. Raises `NotFound`."""
    items = [item for item in comparison.items if item.section in ("tasks", "methods")]
    found = [item for item in items if wanted in (item.label, item.label.rpartition(": ")[2])]
    if not found and wanted.isascii() and wanted.isdigit():
        found = [item for item in items if _number(item) == int(wanted)]
    if not found:
        told = ", ".join(f"{_number(item)} {name(item.label[:40])}" for item in items) or "none"
        raise NotFound(
            f'no task or method "{name(wanted)}" differs', f"those that do: {one_line(told, 300)}"
        )
    return replace(comparison, items=tuple(found))


def _number(item: Item) -> int:
    place = item.new_index if item.new_index is not None else item.old_index
    return (place or 0) + 1


def _print_json(
    console: Console,
    comparison: Comparison,
    old: Found,
    new: Found,
    documents: list[dict[str, Any]],
    everything: bool,
) -> None:
    from crewcheck.engine.diff_report import redacted_patch, report

    patch = redacted_patch(documents[0], documents[1], console.redactor, everything=everything)
    rows = _rows(console, old, new)
    console.json(report(comparison, *rows, patch, everything=everything))


def _print_stat(console: Console, comparison: Comparison) -> None:
    """A line an item: section, kind, path or label, characters that came and went."""
    from crewcheck.engine.diff_words import SAME, TITLES, characters, in_sections

    lines = [
        (section, item.kind, item.label, *characters(item))
        for section, items in in_sections(comparison)
        for item in items
    ]
    if not console.is_terminal:
        console.rows(lines)
        return
    from rich.text import Text

    rich = console.rich()
    width = min(40, max((len(one_line(line[2], 40)) for line in lines), default=0))
    for section, kind, label, came, gone in lines:
        text = Text(f"  {TITLES[section]:<12}{kind:<9}{one_line(label, width):<{width}}  ")
        text.append(f"+{came:,} ", "green")
        text.append(f"-{gone:,}", "red")
        rich.print(text, soft_wrap=True)
    rich.print(
        Text(f"{len(lines):,} differences" if len(lines) > 1 else "1 difference" if lines else SAME)
    )
