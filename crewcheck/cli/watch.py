"""``crewcheck watch``: what happens in a store, a line each, as it happens."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

import click

from crewcheck.cli import marks
from crewcheck.cli.console import Console, common_options, json_text, unicode_output
from crewcheck.cli.piped import cells
from crewcheck.engine.rows import row
from crewcheck.errors import Exit
from crewcheck.model import words
from crewcheck.model.harmless import name, one_line

if TYPE_CHECKING:
    from crewcheck.engine.changes import Change

#: type -> (sign, style)
_SIGNS = {"added": ("+", "green"), "changed": ("~", "yellow"), "removed": ("-", "red")}


def _no_nan(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    """No number at all would be waited for without end: it passes every range."""
    if value is not None and value != value:
        raise click.BadParameter("nan is no time")
    return value


@click.command("watch")
@click.argument("store", required=False)
@click.option("--existing", is_flag=True, help="Begin with what is there, as added.")
@click.option("-n", "--limit", type=click.IntRange(1), help="End after so many lines.")
@click.option(
    "--until-idle",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    callback=_no_nan,
    help="End when nothing has happened for so long.",
)
@common_options
@click.pass_obj
def command(
    console: Console,
    store: str | None,
    existing: bool,
    limit: int | None,
    until_idle: float | None,
    as_json: bool,
) -> int:
    """Print what happens in a store as it happens.

    A line for each checkpoint that is added, changed or removed. A store that is not there
    yet is waited for. Ctrl+C ends it. Piped, the columns are separated by tabs: added,
    changed or removed, then those of `crewcheck list`. With --json: an object a line.

    \b
    Examples:
      crewcheck watch
      crewcheck watch runs.db --json | jq -r 'select(.status == "failed") | .id'
      crewcheck watch --limit 1 > /dev/null && echo "there is a new one"
    """
    from crewcheck.engine.following import follow

    where = store if store is not None else console.location
    told = 0
    last = time.monotonic()
    for changes in follow(where, threading.Event(), console.note, existing=existing):
        for change in changes:
            _print(console, change, as_json)
            told += 1
            if limit is not None and told >= limit:
                return Exit.DONE
        if changes:
            last = time.monotonic()
            continue
        idle = until_idle is not None and time.monotonic() - last > until_idle
        if idle or _nobody_reads():
            return Exit.DONE
    return Exit.DONE


def _print(console: Console, change: Change, as_json: bool) -> None:
    if as_json:
        shape = {"type": change.type} | row(change.checkpoint, console.redactor)
        sys.stdout.write(json_text(shape) + "\n")
    elif console.is_terminal:
        _print_line(console, change)
    else:
        line = "\t".join([change.type, *cells(change.checkpoint, console.redactor)])
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _print_line(console: Console, change: Change) -> None:
    """``17:42:38 + 20261129T174228_176e579a  main  crew newsroom  2/3  task done  running``."""
    from rich.text import Text

    checkpoint = change.checkpoint
    shape = row(checkpoint, console.redactor)
    damage = checkpoint.damage
    broken = damage is not None and not damage.readable
    status = "damaged" if broken else checkpoint.status
    sign, style = _SIGNS[change.type]
    what = " ".join(filter(None, (shape["kind"], one_line(shape["name"] or "", 40))))
    said = damage.message if damage is not None and broken else checkpoint.status or ""
    branch = name(shape["branch"])
    parts = [
        (time.strftime("%H:%M:%S"), "dim"),
        (f" {sign} ", style),
        (name(checkpoint.id), ""),
        (branch, "cyan" if branch != "main" else ""),
        (what, ""),
        (marks.progress(shape["done"], shape["total"]), ""),
        (one_line(words.trigger_words(shape["trigger"])), "dim"),
        (f"{marks.symbol(status, unicode_output())} {one_line(said)}".rstrip(),
         marks.style(status)),
    ]  # fmt: skip
    text = Text()
    for place, (part, of) in enumerate(parts):
        if part:
            text.append("  " if place > 2 else "").append(part, of)
    rich = console.rich()
    text.truncate(rich.width, overflow="ellipsis")
    rich.print(text, no_wrap=True, crop=False)


def _nobody_reads() -> bool:
    """Whether the other end of the pipe is closed: while nothing happens no write tells."""
    import select

    if not hasattr(select, "poll"):
        return False
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))
    except (OSError, ValueError):
        return False
