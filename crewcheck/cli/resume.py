"""``crewcheck resume``: really run the rest, in the user's own project."""

from __future__ import annotations

import sys
from typing import Any

import click

from crewcheck.cli.console import Console, common_options
from crewcheck.cli.run_options import run_options, wish_from
from crewcheck.engine.refs import find
from crewcheck.errors import Exit
from crewcheck.model.harmless import harmless


@click.command("resume")
@click.argument("ref", required=False)
@run_options
@common_options
@click.pass_obj
def command(
    console: Console, /, ref: str | None, as_json: bool, dry_run: bool, yes: bool, show_log: bool,
    **options: Any,
) -> int:  # fmt: skip
    """Run the rest of a crew from a checkpoint.

    Your own crew is started from the beginning, and what the checkpoint says is done answers
    from the recording; the rest is real, on the same branch. The plan is shown first. With
    --json each message is an object on a line, the last one finished, failed, refused,
    paused or interrupted.

    \b
    Examples:
      crewcheck resume
      crewcheck resume latest --entry my_project.crew:crew --yes
      crewcheck resume main~1 --script main.py --arg --fast
      crewcheck resume 176e579a --dry-run
    """  # fmt: skip
    from crewcheck.cli.running import Started, stream
    from crewcheck.engine.running import RESUME, prepare
    from crewcheck.engine.source import read_source

    found = find(ref, console.location)
    with found.catalog as catalog, stream(console, as_json):
        source = read_source(catalog, found.node)
        if not source.pending:
            return _finished(console, source.id, source.checkpoint.branch, source.result, as_json)
        prepared = prepare(source, wish_from(RESUME, options))
        started = Started(console, prepared, as_json=as_json, show_log=show_log)
        return started.run(dry_run=dry_run, yes=yes)


def _finished(console: Console, id: str, branch: str, result: str, as_json: bool) -> int:
    """A finished run runs nothing: its recorded result is given."""
    if as_json:
        import json

        told = {
            "type": "finished",
            "result": console.redactor.text(result),
            "checkpoint_id": id,
            "branch": branch,
            "nothing_to_run": True,
        }
        sys.stdout.write(json.dumps(told) + "\n")
    else:
        console.note("finished, nothing to resume; this is the recorded result")
        sys.stdout.write(harmless(console.redactor.text(result)) + "\n")
    return Exit.DONE
