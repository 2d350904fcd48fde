"""The hidden command ``_run``: supervise one run in the foreground.

Runs are started by `crewcheck.runtimes.spawn`, which does the same in the background;
this is for looking at a supervisor at work.
"""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    "_run",
    hidden=True,
    short_help="Supervise a run (crewcheck starts this by itself).",
    epilog="The run's journal tells what happens: RUN_DIR/journal.jsonl.",
)
@click.argument("run_dir", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(run_dir: Path) -> None:
    """Supervise the run whose spec.json is in RUN_DIR, until it ends.

    \b
    Examples:
      crewcheck _run ~/.local/state/crewcheck/runs/20261129T174228_176e57
    """
    from crewcheck.errors import NotFound, Refused
    from crewcheck.runtimes.supervisor import supervise

    try:
        supervise(run_dir.resolve())
    except (BlockingIOError, FileExistsError):
        raise Refused(
            f"{run_dir} has, or has had, its supervisor", "start a new run to go on with its work"
        ) from None
    except (OSError, ValueError) as error:
        raise NotFound(f"{run_dir} holds no run that can be supervised: {error}") from None
