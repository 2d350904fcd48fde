"""What runs of ours had done behind a checkpoint before they came to no good end."""

from __future__ import annotations

import os

from crewcheck.runtimes.follow import runs_of
from crewcheck.runtimes.run_state import FINISHED
from crewcheck.runtimes.spec import read_spec
from crewcheck.runtimes.state_dirs import state_dir
from crewcheck.runtimes.work_file import NAME


def work_behind(store: str, checkpoint_id: str) -> list[str]:
    """The files with finished calls of work under way (`work_file`), the oldest run's first.

    Of a run that has got further than the checkpoint only those count that it was given
    itself: who goes back behind what was done wants it done again.
    """
    paths: dict[str, None] = {}
    for run in reversed(runs_of(store, checkpoint_id)):
        folder = state_dir() / "runs" / run.run_id
        if checkpoint_id in run.written:
            try:
                paths.update(dict.fromkeys(read_spec(folder / "spec.json").work))
            except (OSError, ValueError):
                continue
        if run.newest == checkpoint_id and not run.live and run.state != FINISHED:
            paths[str(folder / NAME)] = None
    return [path for path in paths if os.path.exists(path)]
