"""``crewcheck attempts``: how often runs were resumed without getting further."""

from __future__ import annotations

import time
from typing import Any

import click

from crewcheck.cli.console import Console, common_options
from crewcheck.engine import attempts
from crewcheck.errors import Exit, UsageProblem
from crewcheck.model import words
from crewcheck.model.harmless import name
from crewcheck.model.words import many

#: The piped columns, in this order. They are promises.
COLUMNS = (
    "checkpoint_id",
    "branch",
    "attempts",
    "done",
    "last_at",
    "last_outcome",
    "run_id",
    "store",
)


@click.group("attempts")
def command() -> None:
    """Show or reset how often checkpoints were resumed.

    A resume counts before it starts; past --max-attempts `crewcheck resume` refuses. A run that
    finishes begins the count anew, and what was not confirmed or was refused does not count.

    \b
    Examples:
      crewcheck attempts list
      crewcheck attempts list --all --json
      crewcheck attempts reset latest
      crewcheck attempts reset --all
    """


@command.command("list")
@click.argument("store", required=False)
@click.option("--all", "everywhere", is_flag=True, help="Of all stores, not of one.")
@common_options
@click.pass_obj
def list_(console: Console, store: str | None, everywhere: bool, as_json: bool) -> int:
    """List the checkpoints that were resumed, the newest resume first.

    Piped, the columns are separated by tabs: checkpoint_id, branch, attempts, done, last_at,
    last_outcome, run_id, store.

    \b
    Examples:
      crewcheck attempts list
      crewcheck attempts list runs.db --json
    """
    if everywhere and store is not None:
        raise UsageProblem("--all and a store exclude each other")
    places = attempts.stores() if everywhere else [_store(console, store)]
    rows = [row for place in places for row in _rows(place)]
    rows = [console.redactor.value(row) for row in rows]
    if as_json:
        console.json(rows)
    elif not console.is_terminal:
        console.rows([row[column] for column in COLUMNS] for row in rows)
    else:
        now = time.time()
        for row in rows:
            line = f"{name(row['checkpoint_id'])}  {many(row['attempts'], 'attempt'):<12}"
            line += f"  {row['last_outcome']:<11}  {words.ago(row['last_at'], now):<9}"
            line += f"  {name(row['branch'])}"
            click.echo(f"{line}  {name(row['store'])}" if everywhere else line)
    if not rows:
        console.note("no attempts: nothing was resumed without finishing")
    return Exit.DONE


@command.command("reset")
@click.argument("ref", required=False)
@click.option("--all", "everything", is_flag=True, help="Of all checkpoints of the store.")
@common_options
@click.pass_obj
def reset(console: Console, ref: str | None, everything: bool, as_json: bool) -> int:
    """Begin the count of a checkpoint anew, or of all of a store.

    \b
    Examples:
      crewcheck attempts reset 176e579a
      crewcheck attempts reset --all --location runs.db
    """
    if everything == (ref is not None):
        raise UsageProblem("name a checkpoint, or say --all", "see `crewcheck attempts list`")
    if ref is None:
        number = attempts.reset(_store(console, None))
    else:
        from crewcheck.engine.refs import find

        found = find(ref, console.location)
        with found.catalog as catalog:
            number = attempts.reset(catalog.store.location, attempts.line(found.node))
    if as_json:
        console.json({"reset": number})
    console.note(f"counted anew: {many(number, 'checkpoint')}")
    return Exit.DONE


def _store(console: Console, store: str | None) -> str:
    from crewcheck.engine.catalog import open_catalog

    with open_catalog(store if store is not None else console.location) as catalog:
        return catalog.store.location


def _rows(store: str) -> list[dict[str, Any]]:
    """A row a checkpoint; `attempts_of` has the newest first."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for one in attempts.attempts_of(store):
        row = rows.setdefault(
            (one.checkpoint_id, one.branch),
            {
                "checkpoint_id": one.checkpoint_id,
                "branch": one.branch,
                "attempts": 0,
                "done": one.done,
                "last_at": one.at,
                "last_outcome": one.outcome,
                "run_id": one.run_id,
                "store": one.store,
            },
        )
        row["attempts"] += 1
    return list(rows.values())
