"""What runs of ours had done behind a checkpoint before they came to no good end."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice

from crewcheck.runtimes.follow import list_runs, same_store
from crewcheck.runtimes.run_state import FINISHED, RunState
from crewcheck.runtimes.spec import read_spec
from crewcheck.runtimes.state_dirs import state_dir
from crewcheck.runtimes.work_file import NAME

#: How many checkpoints a run can have written without a word of it, when it was killed.
_UNTOLD = 50


def work_behind(store: str, line: Iterable[str]) -> list[str]:
    """The files with finished calls of work under way (`work_file`), the oldest run's first.

    ``line`` are the ids of the checkpoint and of those before it: what a run had written
    when it was killed need not be in its journal. Of a run that has got further than the
    checkpoint only those files count that it was given itself: who goes back behind what was
    done wants it done again.
    """
    runs = [one for one in reversed(list_runs()) if same_store(one.store, store)]
    for checkpoint_id in islice(line, _UNTOLD) if runs else ():
        known = [
            one
            for one in runs
            if one.checkpoint_id == checkpoint_id or checkpoint_id in one.written
        ]
        if known:
            return _behind(known, checkpoint_id)
    return []


def _behind(runs: Iterable[RunState], checkpoint_id: str) -> list[str]:
    paths: dict[str, None] = {}
    for run in runs:
        folder = state_dir() / "runs" / run.run_id
        if checkpoint_id in run.written:
            try:
                paths.update(dict.fromkeys(read_spec(folder / "spec.json").work))
            except (OSError, ValueError):
                continue
        if run.newest == checkpoint_id and not run.live and run.state != FINISHED:
            paths[str(folder / NAME)] = None
    return [path for path in paths if os.path.exists(path)]
