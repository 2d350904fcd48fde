"""``crewcheck resume``: really run the rest, in the user's own project."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from crewcheck.cli.console import Console, common_options, json_text
from crewcheck.cli.run_options import run_options, wish_from
from crewcheck.engine.attempts import MOST
from crewcheck.engine.refs import Found, find
from crewcheck.errors import Exit, Refused
from crewcheck.model import words
from crewcheck.model.harmless import harmless

if TYPE_CHECKING:
    from crewcheck.engine.fallback import Choice, Skipped
    from crewcheck.engine.source import Source


@click.command("resume")
@click.argument("ref", required=False)
@click.option(
    "--strict", is_flag=True, help="Without REF: refuse where the newest checkpoint is not valid."
)
@click.option(
    "--max-attempts",
    type=click.IntRange(1),
    default=MOST,
    show_default=True,
    help="Refuse after so many resumes that got no further.",
)
@run_options
@common_options
@click.pass_obj
def command(
    console: Console, /, ref: str | None, as_json: bool, dry_run: bool, yes: bool, show_log: bool,
    strict: bool, max_attempts: int, **options: Any,
) -> int:  # fmt: skip
    """Run the rest of a crew or flow from a checkpoint.

    Your own crew or flow is started from the beginning, and what the checkpoint says is done
    answers from the recording; the rest is real, on the same branch. The plan is shown first. With
    --json each message is an object on a line, the last one finished, failed, refused,
    paused or interrupted.

    Without REF the newest checkpoint of the newest run that is valid is taken, and what had to
    be passed over is named. A REF that is not valid is refused.

    \b
    Examples:
      crewcheck resume
      crewcheck resume latest --entry my_project.crew:crew --yes
      crewcheck resume main~1 --script main.py --arg --fast
      crewcheck resume 176e579a --dry-run
    """  # fmt: skip
    from crewcheck.cli.running import Started, prepared_for, stream
    from crewcheck.engine.running import RESUME, check_attempts, goes_on

    found = find(ref, console.location)
    wish = wish_from(RESUME, options, dry_run=dry_run)
    wish.max_attempts = max_attempts
    with found.catalog as catalog, stream(console, as_json):
        for source in _sources(console, found, ref, strict, as_json):
            if not goes_on(source, wish):
                branch = source.checkpoint.branch
                note = words.AFTER_KICKOFF if source.ends_with_callbacks else None
                return _finished(console, source.id, branch, source.result, as_json, note)
            if not dry_run:
                check_attempts(source, wish.max_attempts)
            prepared = prepared_for(source, wish, as_json=as_json)
            started = Started(console, prepared, as_json=as_json, show_log=show_log)
            started.passes_over = ref is None and not strict
            code = started.run(dry_run=dry_run, yes=yes)
            if started.passed_over is None:
                return code
            _say_skipped(console, _refused(source, started.passed_over), as_json)
        raise Refused(
            f"the project's own check refused all checkpoints that were tried in "
            f"{catalog.store.location}",
            "name one with REF, or correct `validate` in pyproject.toml",
        )


def _sources(console: Console, found: Found, ref: str | None, strict: bool, as_json: bool) -> Any:
    """What can be gone on with: the checkpoint that was named, or valid ones, newest first."""
    from crewcheck.engine import fallback
    from crewcheck.engine.source import read_source

    catalog, node = found.catalog, found.node
    if ref is not None:
        fallback.insist(catalog, node)
        yield read_source(catalog, node)
        return
    for _ in range(fallback.TRIES):
        choice = fallback.choose(catalog, node, strict=strict)
        _say_choice(console, choice, choice.loss(catalog), as_json)
        yield read_source(catalog, choice.node)
        before = list(
            fallback.candidates(catalog, catalog.forest.by_key[choice.node.checkpoint.key])
        )
        if len(before) < 2:
            return
        node = before[1]


def _say_choice(console: Console, choice: Choice, loss: str, as_json: bool) -> None:
    for one in choice.skipped:
        _say_skipped(console, one, as_json)
    if loss:
        console.note(loss)


def _say_skipped(console: Console, skipped: Skipped, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json_text(console.redactor.value(skipped.as_dict())) + "\n")
        sys.stdout.flush()
    else:
        console.note(skipped.said)


def _refused(source: Source, message: str) -> Skipped:
    """A checkpoint that the user's own check has refused."""
    from crewcheck.engine.fallback import Skipped

    created = source.checkpoint.header.created_at
    return Skipped(source.id, created, "not-valid", message, source.done, source.total)


def _finished(
    console: Console, id: str, branch: str, result: str, as_json: bool, note: str | None
) -> int:
    """A finished run runs nothing: its recorded result is given. ``note``: what that is not."""
    if note is not None:
        console.note(note)
    if as_json:
        told = {
            "type": "finished",
            "result": result,
            "checkpoint_id": id,
            "branch": branch,
            "nothing_to_run": True,
            "notes": [note] if note is not None else [],
        }
        sys.stdout.write(json_text(console.redactor.value(told)) + "\n")
    else:
        console.note("finished, nothing to resume; this is the recorded result")
        sys.stdout.write(harmless(console.redactor.text(result)) + "\n")
    return Exit.DONE
