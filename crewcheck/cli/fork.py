"""``crewcheck fork``: what if? Edit, and run what depends on it on a new branch."""

from __future__ import annotations

from typing import Any

import click

from crewcheck.cli.console import Console, common_options
from crewcheck.cli.run_options import edit_options, edits_from, run_options, wish_from
from crewcheck.engine.refs import find
from crewcheck.errors import Exit
from crewcheck.model.harmless import name


@click.command("fork")
@click.argument("ref", required=False)
@edit_options
@click.option("--no-run", is_flag=True, help="Only write the fork; `resume` can run it later.")
@run_options
@common_options
@click.pass_obj
def command(
    console: Console, /, ref: str | None, as_json: bool, no_run: bool, dry_run: bool, yes: bool,
    show_log: bool, **options: Any,
) -> int:  # fmt: skip
    """Edit a checkpoint and run what depends on it, on a new branch.

    The plan says which tasks are kept and which run, and why. The source stays as it is.

    \b
    Examples:
      crewcheck fork latest~2 --output research=@notes.md --branch what-if/notes
      crewcheck fork main --input max_words=60 --dry-run
      crewcheck fork 176e579a -o 2="A better draft" --no-run
    """
    from crewcheck.cli.running import Started, stream
    from crewcheck.engine.running import FORK, prepare, read_source

    found = find(ref, console.location)
    with found.catalog as catalog, stream(console, as_json):
        catalog.read_summaries()
        source = read_source(catalog, found.node)
        wish = wish_from(FORK, options)
        wish.edits = edits_from(options, source)
        if no_run:
            return _write_only(console, source, wish, as_json, dry_run)
        started = Started(console, prepare(source, wish), as_json=as_json, show_log=show_log)
        return started.run(dry_run=dry_run, yes=yes)


def _write_only(console: Console, source: Any, wish: Any, as_json: bool, dry_run: bool) -> int:
    from crewcheck.engine.running import decide_from_data, fork_without_run
    from crewcheck.runtimes.project import find_project

    if dry_run:
        decisions = decide_from_data(
            source, wish.edits, find_project(source.catalog.store.location)
        )
    else:
        checkpoint_id, branch, location, decisions = fork_without_run(
            source, wish.edits, wish.branch
        )
    if as_json:
        import json
        import sys

        told: dict[str, Any] = {"type": "plan" if dry_run else "forked"}
        if not dry_run:
            told |= {"checkpoint_id": checkpoint_id, "branch": branch, "location": location}
        told["items"] = [one.as_dict() for one in decisions]
        sys.stdout.write(json.dumps(console.redactor.value(told)) + "\n")
        return Exit.DONE
    for one in decisions:
        click.echo(
            f"  {one.action:<4}  {one.index + 1:>2} {name(one.label)}  {one.reason}", err=True
        )
    if not dry_run:
        console.note(
            f"forked to branch {name(branch)}; run it with `crewcheck resume {checkpoint_id}`"
        )
        console.rows([[checkpoint_id, branch, location]])
    return Exit.DONE
