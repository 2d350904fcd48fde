"""``crewcheck fork``: what if? Edit, and run what depends on it on a new branch."""

from __future__ import annotations

import sys
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from crewcheck.cli.console import Console, common_options, json_text
from crewcheck.cli.run_options import edit_options, edits_from, run_options, wish_from
from crewcheck.engine.refs import find
from crewcheck.errors import Exit, NotFound
from crewcheck.model.harmless import name

if TYPE_CHECKING:
    from crewcheck.engine.running import Wish
    from crewcheck.engine.source import Source


@click.command("fork")
@click.argument("ref", required=False)
@edit_options
@click.option("--into", metavar="STORE", help="Write the fork into another store.")
@click.option("--no-run", is_flag=True, help="Only write the fork; `resume` can run it later.")
@run_options
@common_options
@click.pass_obj
def command(
    console: Console, /, ref: str | None, as_json: bool, no_run: bool, dry_run: bool, yes: bool,
    show_log: bool, **options: Any,
) -> int:  # fmt: skip
    """Edit a checkpoint and run what depends on it, on a new branch.

    The plan says which tasks or methods are kept and which run, and why, and what the
    repeated part cost last time. The source stays as it is. The fork of a flow has a state id
    of its own.

    Of a crew that wrote no checkpoints CrewAI keeps the outputs of the last run in a database
    (`crewcheck list` names it): its fork goes into the project's store.

    \b
    Examples:
      crewcheck fork latest~2 --output research=@notes.md --branch what-if/notes
      crewcheck fork main --input max_words=60 --dry-run
      crewcheck fork 176e579a -o 2="A better draft" --no-run
      crewcheck fork latest --state 'retries=0' --output classify=urgent
      crewcheck fork latest --unset draft
    """
    from crewcheck.cli.running import Started, prepared_for, stream
    from crewcheck.engine.kept_outputs import completed
    from crewcheck.engine.running import FORK
    from crewcheck.engine.source import FLOW, read_source
    from crewcheck.engine.target import store_of_project

    into = options.pop("into")
    found = find(ref, console.location)
    with found.catalog as catalog, stream(console, as_json):
        catalog.read_summaries()
        source = read_source(catalog, found.node)
        wish = wish_from(FORK, options, dry_run=dry_run)
        kept = catalog.store.kind == "task-outputs"
        wish.into = store_of_project() if kept and into is None else into
        if kept:
            source = completed(source, wish.entry)
        wish.edits = edits_from(options, source)
        if no_run:
            return _write_only(console, source, wish, as_json, dry_run)
        try:
            prepared = prepared_for(source, wish, as_json=as_json)
        except NotFound:
            if not dry_run or source.kind != FLOW or wish.entry or wish.script:
                raise
            # a flow's calls and their causes are in its record: that is plan enough
            return _write_only(console, source, wish, as_json, dry_run)
        started = Started(console, prepared, as_json=as_json, show_log=show_log)
        return started.run(dry_run=dry_run, yes=yes)


def _write_only(console: Console, source: Source, wish: Wish, as_json: bool, dry_run: bool) -> int:
    """Plan from data alone, and write the fork unless that is all."""
    from crewcheck.cli.plan_text import plan_lines
    from crewcheck.cli.running import styled
    from crewcheck.engine.data_plan import decide_from_data
    from crewcheck.engine.planning import data_report
    from crewcheck.engine.running import FORK, branch_of, fork_without_run, project_of
    from crewcheck.engine.target import target_of

    checkpoint_id = location = ""
    if dry_run:
        decisions = decide_from_data(source, wish.edits, project_of(source))
        target = target_of(source, wish.into)
        branch = branch_of(source, wish, target) if wish.branch is not None else None
    else:
        checkpoint_id, branch, location, decisions = fork_without_run(
            source, wish.edits, wish.branch, wish.into
        )
    report = console.redactor.value(data_report(source, FORK, wish.edits, decisions, branch))
    if as_json:
        told = {"type": "forked", "checkpoint_id": checkpoint_id, "location": location}
        shape = report if dry_run else {**report, **told, "source_id": source.id}
        sys.stdout.write(json_text(shape) + "\n")
        return Exit.DONE
    for line, style in plan_lines(report):
        click.secho(line, err=not dry_run, **styled(style))
    if not dry_run:
        ref = checkpoint_id if wish.into is None else f"{wish.into}#{checkpoint_id}"
        way = f"run it with `crewcheck resume {quote(ref)}`"
        console.note(f"forked to branch {name(branch or '')}; {way}")
        console.rows([[checkpoint_id, branch, location]])
    return Exit.DONE
