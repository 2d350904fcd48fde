"""``crewcheck list``: one line a checkpoint, newest first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from crewcheck.cli import marks, piped
from crewcheck.cli.console import Console, common_options, unicode_output
from crewcheck.cli.selecting import checkpoint_filters, listing_options, selected
from crewcheck.engine.catalog import Catalog
from crewcheck.engine.rows import row
from crewcheck.model import words
from crewcheck.model.harmless import name, one_line
from crewcheck.model.scan import Checkpoint

if TYPE_CHECKING:
    from rich.text import Text

#: Columns that are cut on a narrow terminal, and how far.
_GIVE_WAY, _NARROWEST = ("BRANCH", "WHAT", "TRIGGER", "STATUS"), 8


@click.command("list")
@click.argument("store", required=False)
@common_options
@checkpoint_filters
@listing_options
@click.pass_obj
def command(console: Console, /, store: str | None, as_json: bool, **options: Any) -> None:
    """List the checkpoints of a store, newest first.

    Piped, the columns are separated by tabs: id, created_at, branch, trigger, kind, name,
    done, total, status, parent_id, size, damage.

    All filters given must fit; of one given several times, any value. Ties are sorted newest
    first, and what is unknown comes last.

    \b
    Examples:
      crewcheck list
      crewcheck list --status failed --since 2h
      crewcheck list --branch main --limit 20 --sort size
      crewcheck list --descendants-of 176e579a --leaf
      crewcheck list runs.db --json | jq -r '.[] | select(.status == "failed") | .id'
      crewcheck list ./.checkpoints | cut -f 1,9
    """
    with selected(console, store, options) as (catalog, checkpoints):
        if as_json:
            console.json_list(row(checkpoint, console.redactor) for checkpoint in checkpoints)
        elif console.is_terminal:
            _print_table(console, checkpoints)
        else:
            console.lines(piped.lines(checkpoints, console.redactor))
        remark(console, catalog, checkpoints)


def remark(console: Console, catalog: Catalog, shown: list[Checkpoint] | None = None) -> None:
    """Say on stderr what the listing itself does not: nothing there, or things left out.

    ``shown`` are the listed ones, if not all.
    """
    where = name(catalog.store.location)
    count = len(catalog.checkpoints)
    for problem in catalog.problems:
        console.note(f"{where}: {problem}")
    if catalog.foreign:
        files = "1 file" if catalog.foreign == 1 else f"{catalog.foreign} files"
        console.note(f"{where}: left out {files} that are no checkpoints")
    if not count:
        console.note(
            f"no checkpoints in {where} yet; run a crew with checkpoint=CheckpointConfig(...), "
            "or try `crewcheck demo`"
        )
    listed = catalog.checkpoints if shown is None else shown
    damaged = sum(1 for one in listed if one.damage and not one.damage.readable)
    if damaged:
        of = f"{len(listed)} checkpoints"
        console.note(f"{where}: {damaged} of {of} are damaged, see their reasons")


def _print_table(console: Console, checkpoints: list[Checkpoint]) -> None:
    """Aligned and fitted to the terminal; the id is never cut."""
    from rich.segment import Segment, Segments
    from rich.text import Text

    if not checkpoints:
        return
    rich = console.rich()
    unicode = unicode_output()
    now = time.time()
    wide = rich.width >= 110
    lines = [_cells(console, checkpoint, now, unicode, wide) for checkpoint in checkpoints]
    heads = ["", "ID", "WHEN", "DONE", "BRANCH", "WHAT"]
    heads += ["TRIGGER", "SIZE", "STATUS"] if wide else ["STATUS"]
    widest = [
        max(len(head), *(line[place].cell_len for line in lines))
        for place, head in enumerate(heads)
    ]
    widths = fit(widest, [head in _GIVE_WAY for head in heads], rich.width - 2 * len(heads) + 2)
    columns = [(width, head in ("DONE", "SIZE")) for width, head in zip(widths, heads, strict=True)]
    lines.insert(0, [Text(head, style="bold") for head in heads])
    # one segment a cell: a table of rich would take longer than all the rest
    segments = []
    for line in lines:
        for text, (width, right) in zip(line, columns, strict=True):
            text.truncate(width, overflow="ellipsis")
            blanks = " " * (width - text.cell_len)
            shown = blanks + text.plain if right else text.plain + blanks
            segments.append(Segment(f"{shown}  ", rich.get_style(text.style)))
        segments[-1] = Segment(segments[-1].text.rstrip() + "\n", segments[-1].style)
    rich.print(Segments(segments), end="")


def fit(widest: list[int], gives: list[bool], room: int) -> list[int]:
    """Column widths for ``room`` cells: what gives way shares what the others leave.

    What does not give way keeps its width, though a terminal may be too narrow for it.
    """
    rest = room - sum(width for width, give in zip(widest, gives, strict=True) if not give)
    widths = list(widest)
    sharing = sorted((place for place, give in enumerate(gives) if give), key=widest.__getitem__)
    for left, place in zip(range(len(sharing), 0, -1), sharing, strict=True):
        widths[place] = min(widest[place], max(_NARROWEST, rest // left))
        rest -= widths[place]
    return widths


def _cells(
    console: Console, checkpoint: Checkpoint, now: float, unicode: bool, wide: bool
) -> list[Text]:
    """The cells of one line, in the order of the heads."""
    from rich.text import Text

    damage = checkpoint.damage
    broken = damage is not None and not damage.readable
    status = "damaged" if broken else checkpoint.status
    shape = row(checkpoint, console.redactor)
    what = " ".join(filter(None, (shape["kind"], one_line(shape["name"] or "", 60))))
    said = damage.message if damage is not None and broken else checkpoint.status or ""
    cells = [
        Text(marks.symbol(status, unicode), style=marks.style(status)),
        Text(name(checkpoint.id)),
        Text(words.ago(checkpoint.header.created_at, now), style="dim"),
        Text(marks.progress(shape["done"], shape["total"])),
        Text(name(shape["branch"]), style="cyan" if shape["branch"] != "main" else ""),
        Text(what),
    ]
    if wide:
        cells += [
            Text(one_line(words.trigger_words(shape["trigger"]))),
            Text(words.size(shape["size"]), style="dim"),
        ]
    cells.append(Text(one_line(said), style=marks.style(status)))
    return cells
