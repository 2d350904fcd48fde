"""``crewcheck runs``: what was started from here, how it stands, and getting back to it."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from crewcheck.cli import marks
from crewcheck.cli.console import Console
from crewcheck.errors import Exit, UsageProblem
from crewcheck.model import words
from crewcheck.model.harmless import name, one_line

if TYPE_CHECKING:
    from crewcheck.runtimes.run_state import RunState


@click.command("runs")
@click.argument("run_id", required=False)
@click.option("--cancel", is_flag=True, help="Stop this run.")
@click.option(
    "--answer", "answers", metavar="TEXT", multiple=True, help="Answers what this run asks."
)
@click.option("-n", "--limit", type=click.IntRange(1), default=20, help="How many are listed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(
    console: Console, run_id: str | None, cancel: bool, answers: tuple[str, ...], limit: int,
    as_json: bool,
) -> int:  # fmt: skip
    """List the runs that crewcheck has started, newest first.

    With RUN_ID (or an unmistakable part of it) the run is followed to its end, as it would
    be by the command that started it: a run goes on without its command.

    \b
    Examples:
      crewcheck runs
      crewcheck runs 7b2f63
      crewcheck runs 7b2f63 --cancel
      crewcheck runs 7b2f63 --answer "Shorter, please"
    """
    if run_id is None and (cancel or answers):
        raise UsageProblem("--cancel and --answer are for one run", "name it: RUN_ID")
    if run_id is None:
        return _list(console, limit, as_json)
    from crewcheck.cli.running import attach
    from crewcheck.runtimes.spawn import open_run

    with open_run(run_id) as handle:
        if cancel:
            handle.cancel()
        return attach(console, handle, as_json=as_json, answers=answers)


def _list(console: Console, limit: int, as_json: bool) -> int:
    from crewcheck.runtimes.follow import list_runs

    # what was looked at and not confirmed never ran
    states = [state for state in list_runs() if state.state != "aborted"][:limit]
    shapes = [console.redactor.value(state.as_dict()) for state in states]
    if as_json:
        console.json(shapes)
        return Exit.DONE
    if not states:
        console.note("no runs yet; start one with `crewcheck resume` or `crewcheck fork`")
        return Exit.DONE
    now = time.time()
    if not console.is_terminal:
        console.rows([_row(state, shape) for state, shape in zip(states, shapes, strict=True)])
        return Exit.DONE
    for state, shape in zip(states, shapes, strict=True):
        when = words.ago(f"{(state.created_at or '')[:19]}Z", now)
        progress = marks.progress(len(state.done), state.total)
        how = "asks you" if state.prompts else state.state
        line = f"{state.run_id}  {how:<11}  {state.action:<6}  {when:<8}  "
        line += f"{one_line(shape['name'] or '', 30)}  {progress}  {name(shape['branch'] or '')}"
        click.echo(line)
        if state.prompts:
            asked = one_line(str(shape["prompts"][0].get("message") or ""), 60)
            way = f"answer with `crewcheck runs {state.run_id}`"
            click.secho(f"    {asked}; {way}", fg="yellow")
        if state.message and not state.live and state.state != "finished":
            click.secho(f"    {one_line(shape['message'], 120)}", dim=True)
    sys.stdout.flush()
    return Exit.DONE


def _row(state: RunState, shape: dict[str, Any]) -> list[Any]:
    return [
        state.run_id,
        state.created_at,
        state.state,
        state.action,
        shape["store"],
        state.checkpoint_id,
        shape["branch"],
        shape["name"],
        len(state.done),
        state.total,
        state.newest,
        json.dumps(shape["message"]) if state.message else None,
    ]
