from __future__ import annotations

from pathlib import Path

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.runs_beside import runs_beside
from crewcheck.engine.source import read_source
from tests.build import crew, document, event, ident, task, write


def run(root: Path, letter: str, name: str, began: int, ended: int, branch: str = "main") -> str:
    """A checkpoint of a crew's run; all are of one second, as far as their ids tell."""
    kickoff = f"kickoff of {name}"
    events = [
        event(began, "crew_kickoff_started", event_id=kickoff),
        event(ended, "task_completed"),
    ]
    one = crew(task("A"), name=name, checkpoint_kickoff_event_id=kickoff)
    checkpoint_id = ident(1)[:15] + "_" + letter * 8
    write(root, document(one, events=events, branch=branch), checkpoint_id, None, branch)
    return checkpoint_id


def beside(root: Path, checkpoint_id: str) -> list[str]:
    with open_catalog(str(root)) as catalog:
        return runs_beside(read_source(catalog, catalog.forest.by_id[checkpoint_id][0]))


def test_what_was_under_way_at_the_same_time_is_told(tmp_path: Path) -> None:
    before = run(tmp_path, "a", "before", 1, 9)
    own = run(tmp_path, "b", "own", 10, 20)
    other = run(tmp_path, "c", "other", 12, 40)
    run(tmp_path, "d", "behind", 21, 30)
    run(tmp_path, "e", "elsewhere", 12, 18, branch="what-if")
    assert beside(tmp_path, own) == ["other"]
    assert sorted(beside(tmp_path, other)) == ["behind", "own"]
    assert beside(tmp_path, before) == []
