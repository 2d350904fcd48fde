"""What is left to do of a crew whose tasks all have an output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.running import RESUME, Wish, goes_on
from crewcheck.engine.source import read_source
from tests.build import crew, document, event, ident, task, write

CALLED = {"after_kickoff_callbacks": ["project.sign"], "checkpoint_kickoff_event_id": "event-1"}
STARTED = event(2, "task_started", task_id="t0")
DONE = event(3, "task_completed", task_id="t0")
ENDED = event(4, "crew_kickoff_completed", started_event_id="event-1")
OTHERS = event(5, "crew_kickoff_completed", started_event_id="event-9")
FAILED = event(6, "crew_kickoff_failed", started_event_id="event-1")


def pending(root: Path, *events: dict[str, Any], trigger: str, **more: Any) -> bool:
    made = crew(task("a", output="the result", id="t0"), **more)
    write(root, document(made, events=list(events), trigger=trigger), ident(1))
    with open_catalog(str(root)) as catalog:
        return read_source(catalog, catalog.forest.by_id[ident(1)][0]).pending


@pytest.mark.parametrize(
    ("events", "trigger", "is_pending"),
    [
        ([STARTED, DONE], "task_completed", True),
        ([STARTED, DONE, ENDED], "crew_kickoff_completed", False),
        ([], "crew_kickoff_completed", False),
        ([STARTED, DONE, OTHERS], "task_completed", True),
        ([STARTED, DONE, ENDED, FAILED], "crew_kickoff_failed", True),
    ],
)
def test_callbacks_after_the_kickoff(
    tmp_path: Path, events: list[Any], trigger: str, is_pending: bool
) -> None:
    assert pending(tmp_path, *events, trigger=trigger, **CALLED) is is_pending
    assert pending(tmp_path, *events, trigger=trigger) is False  # it has none


def test_what_a_task_does_once_it_has_an_output(tmp_path: Path) -> None:
    trigger = "agent_execution_completed"
    assert pending(tmp_path, STARTED, trigger=trigger)
    assert not pending(tmp_path, STARTED, DONE, trigger=trigger)
    assert not pending(tmp_path, trigger=trigger)  # nothing tells


def test_a_program_goes_on_behind_a_finished_kickoff(tmp_path: Path) -> None:
    store = tmp_path / ".checkpoints"
    write(store, document(crew(task("a", output="x"))), ident(1))
    with open_catalog(str(store)) as catalog:
        source = read_source(catalog, catalog.forest.by_id[ident(1)][0])
        assert not goes_on(source, Wish(RESUME))
        assert goes_on(source, Wish(RESUME, script="main.py"))
        settings = '[tool.crewcheck]\nscript = ["main.py"]\n'
        (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
        assert goes_on(source, Wish(RESUME))
        assert not goes_on(source, Wish(RESUME, entry="main:crew"))
