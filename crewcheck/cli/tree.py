"""``crewcheck tree``: runs, branches and forks, each checkpoint exactly once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import click

from crewcheck.cli import marks
from crewcheck.cli.console import Console, common_options, unicode_output
from crewcheck.cli.listing import remark
from crewcheck.cli.selecting import remark_runs, run_filters, run_limit, selection_from
from crewcheck.engine.catalog import Catalog, open_catalog, run_status
from crewcheck.engine.choosing import choose_runs
from crewcheck.engine.rows import row
from crewcheck.engine.selection import Selection
from crewcheck.lineage import Node, Segment
from crewcheck.model import words
from crewcheck.model.harmless import name, one_line

_GUIDES = {True: ("├─ ", "└─ ", "│  "), False: ("|- ", "`- ", "|  ")}


@click.command("tree")
@click.argument("store", required=False)
@common_options
@run_filters
@run_limit
@click.pass_obj
def command(
    console: Console, /, store: str | None, as_json: bool, limit: int | None, **options: Any
) -> None:
    """Show runs, branches and forks as a tree.

    The newest run comes first. Within a run the checkpoints go from the first to the last;
    a fork hangs under the checkpoint it left from. With --json: the segments (runs and
    forks), each with its checkpoints and the id of the fork point.

    Filters choose runs, which are shown whole: those of which the run itself or one of its
    forks fits. Either has the status of its newest checkpoint.

    \b
    Examples:
      crewcheck tree
      crewcheck tree --status failed --since yesterday
      crewcheck tree --limit 3
      crewcheck tree runs.db --json | jq '.segments[] | {branch, status}'
    """
    if store is not None:
        console.location = store
    print_tree(console, selection_from(options), limit, as_json=as_json)


def print_tree(
    console: Console,
    selection: Selection | None = None,
    limit: int | None = None,
    *,
    as_json: bool = False,
) -> None:
    """Print the tree of the console's store, or the runs of it that are wanted."""
    selection = Selection() if selection is None else selection
    index = console.use_index
    with open_catalog(console.location, use_index=index, ordered_later=True) as catalog:
        runs = choose_runs(catalog, selection, limit)
        if as_json:
            console.json(tree_report(console, catalog, runs))
        else:
            _print_lines(console, runs)
        remark(console, catalog)
        remark_runs(console, catalog, selection, len(runs), limit)


def tree_report(console: Console, catalog: Catalog, runs: list[Segment]) -> dict[str, Any]:
    """Runs flat, so that no depth of forks is too deep; the counts are the store's."""
    segments = []
    for run in runs:
        segments += [_segment_report(console, segment) for segment in run.walk()]
    return {
        "store": catalog.store.location,
        "checkpoints": len(catalog.checkpoints),
        "foreign": catalog.foreign,
        "segments": segments,
    }


def _segment_report(console: Console, segment: Segment) -> dict[str, Any]:
    rows = [row(node.checkpoint, console.redactor) for node in segment.nodes]
    return {
        "type": "run" if segment.is_run else "fork",
        "branch": rows[0]["branch"],
        "fork_point": segment.fork_point.checkpoint.id if segment.fork_point else None,
        "status": run_status(segment),
        "kind": rows[-1]["kind"],
        "name": rows[-1]["name"],
        "checkpoints": rows,
    }


def _print_lines(console: Console, runs: list[Segment]) -> None:
    if not console.is_terminal:
        for line, _ in tree_lines(console, runs, time.time(), unicode=unicode_output()):
            click.echo(line)
        return
    from rich.text import Text

    rich = console.rich()
    for line, style in tree_lines(console, runs, time.time(), unicode=unicode_output()):
        text = Text(line, style=style)
        text.truncate(rich.width, overflow="ellipsis")
        rich.print(text, soft_wrap=True)


def tree_lines(
    console: Console, runs: list[Segment], now: float, *, unicode: bool
) -> Iterator[tuple[str, str]]:
    """The lines of the tree and their styles. Forks of any depth, without recursion."""
    tee, corner, bar = _GUIDES[unicode]
    for run in runs:
        yield _segment_line(console, run, now, unicode), f"bold {_style(run)}".strip()
        # what is still to be drawn: (checkpoint or fork, guide of its line, of those below)
        stack: list[tuple[Node | Segment, str, bool]] = []
        _push(stack, run, "")
        while stack:
            item, guide, last = stack.pop()
            head = guide + (corner if last else tee)
            below = guide + ("   " if last else bar)
            if isinstance(item, Segment):
                yield head + _segment_line(console, item, now, unicode), f"bold {_style(item)}"
                _push(stack, item, below)
            else:
                yield head + _checkpoint_line(console, item, unicode), ""


def _push(stack: list[tuple[Node | Segment, str, bool]], segment: Segment, guide: str) -> None:
    """A segment's checkpoints, each with the forks that left from it right after it."""
    forks: dict[int, list[Segment]] = {}
    for fork in segment.forks:
        forks.setdefault(id(fork.fork_point), []).append(fork)
    items: list[Node | Segment] = []
    for node in segment.nodes:
        items.append(node)
        items += forks.get(id(node), [])
    stack.extend((item, guide, place == 0) for place, item in enumerate(reversed(items)))


def _style(segment: Segment) -> str:
    return marks.style(run_status(segment))


def _segment_line(console: Console, segment: Segment, now: float, unicode: bool) -> str:
    status = run_status(segment)
    shape = row(segment.newest.checkpoint, console.redactor)
    count = len(segment.nodes)
    what = " ".join(filter(None, (shape["kind"], one_line(shape["name"] or "", 60))))
    parts = [
        f"{marks.symbol(status, unicode)} {name(shape['branch'])}",
        what,
        marks.progress(shape["done"], shape["total"]),
        status or "",
        "1 checkpoint" if count == 1 else f"{count} checkpoints",
        words.ago(shape["created_at"], now),
    ]
    return ("fork " if not segment.is_run else "") + "  ".join(filter(None, parts))


def _checkpoint_line(console: Console, node: Node, unicode: bool) -> str:
    checkpoint = node.checkpoint
    damage = checkpoint.damage
    broken = damage is not None and not damage.readable
    shape = row(checkpoint, console.redactor)
    parts = [
        marks.symbol("damaged" if broken else checkpoint.status, unicode)
        + f" {name(checkpoint.id)}",
        marks.progress(shape["done"], shape["total"]),
        one_line(words.trigger_words(shape["trigger"])),
    ]
    if damage is not None:
        parts.append(f"[{one_line(damage.message)}]")
    return "  ".join(filter(None, parts))
