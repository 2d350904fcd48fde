"""Which tasks of a crew can come to run, and which were passed over by a condition."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.crews.plan import edits_of
from crewcheck.engine.invalidation import DONE, FAILED, PENDING, SKIPPED, UNDER_WAY
from crewcheck.model.document import text
from crewcheck.model.status import dropped_tasks
from crewcheck.runtimes.spec import RunSpec


def may_run(saved: Any, spec: RunSpec) -> frozenset[int]:
    """The tasks that can come to run: those that are pending, and all behind an edit."""
    edits = edits_of(spec, saved)
    running = {place for place, one in enumerate(saved.states) if one not in (DONE, SKIPPED)}
    changed = {*edits.outputs, *edits.rerun, *([0] if edits.inputs else [])}
    if changed:
        running |= set(range(min(changed), len(saved.tasks)))
    return frozenset(running - set(edits.outputs))


def passed_over(saved: Any, index: int) -> bool:
    """Whether a task was skipped, or has not begun although one behind it has or the kickoff
    has ended: tasks are begun in their order."""
    state = saved.states[index]
    if state != PENDING or index in dropped_tasks(saved.document):
        return bool(state == SKIPPED)
    ended = any(
        event.get("type") == "crew_kickoff_completed"
        and text(event.get("started_event_id")) == saved.kickoff_id
        for event in saved.events
    )
    return ended or any(one in (UNDER_WAY, FAILED) for one in saved.states[index + 1 :])
