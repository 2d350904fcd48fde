"""``crewcheck info``: one checkpoint in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from crewcheck.cli.console import Console, common_options
from crewcheck.engine.refs import find
from crewcheck.engine.rows import info_row
from crewcheck.errors import Exit
from crewcheck.stores.base import DamagedDocument

if TYPE_CHECKING:
    from crewcheck.engine.inspect import Info
    from crewcheck.lineage import Node


@click.command("info")
@click.argument("ref", required=False)
@common_options
@click.option("--full", is_flag=True, help="Print long texts whole, on a terminal too.")
@click.pass_obj
def command(console: Console, ref: str | None, as_json: bool, full: bool) -> int:
    """Show one checkpoint in full.

    Without REF the latest. REF is a path, STORE#ID, an id or a part of one, `latest`, or a
    branch, each with ~N for the Nth ancestor. Piped, each line is a key, a tab and a value.

    \b
    Examples:
      crewcheck info
      crewcheck info latest~2
      crewcheck info runs.db#20261129T174228_176e579a --json
      crewcheck info 176e579a | grep -P '^tasks.1.output'
    """
    from crewcheck.engine.inspect import inspect

    found = find(ref, console.location)
    with found.catalog as catalog:
        checkpoint = found.node.checkpoint
        catalog.read_summaries([checkpoint])
        # reading may have shown that it belongs elsewhere
        node = catalog.forest.by_key[checkpoint.key]
        info: Info | None = None
        problem: DamagedDocument | None = None
        try:
            info = inspect(catalog, checkpoint, console.redactor, with_events=False)
        except DamagedDocument as error:
            problem = error
            if checkpoint.summary is not None:
                checkpoint.summary.damage = error.damage
        damage = checkpoint.damage
        if problem is None and damage is not None and not damage.readable:
            # JSON, but no checkpoint
            problem = DamagedDocument(checkpoint.header, damage)
        _print(console, info, node, as_json, full)
        if problem is not None:
            raise problem
    return Exit.DONE


def _print(console: Console, info: Info | None, node: Node, as_json: bool, full: bool) -> None:
    shape = info_row(info, node, console.redactor)
    if as_json:
        console.json(shape)
    elif console.is_terminal:
        from crewcheck.cli.info_text import print_info

        print_info(console, info, node, shape, full=full)
    else:
        console.rows(flatten(shape))


def flatten(shape: dict[str, Any]) -> list[tuple[str, Any]]:
    """Keys and values of nested JSON, one line a leaf: ``tasks.0.output``."""
    lines: list[tuple[str, Any]] = []
    stack: list[tuple[str, Any]] = [(key, value) for key, value in reversed(shape.items())]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict) and value:
            stack += [(f"{path}.{key}", item) for key, item in reversed(value.items())]
        elif isinstance(value, list) and value:
            stack += [(f"{path}.{place}", value[place]) for place in reversed(range(len(value)))]
        elif value not in (None, [], {}):
            lines.append((path, value))
    return lines
