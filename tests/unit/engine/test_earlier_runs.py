from __future__ import annotations

from pathlib import Path
from typing import Any

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.earlier_runs import earlier_runs
from crewcheck.engine.source import read_source
from tests.build import crew, document, event, ident, task, write


def run(root: Path, number: int, name: str, *outputs: str | None, **more: Any) -> str:
    """A checkpoint of a crew of that name, of a run of its own."""
    branch = more.get("branch", "main")
    made = [task(f"{name}{at}", output=raw) for at, raw in enumerate(outputs)]
    events = [event(1, "llm_call_completed", response="said"), event(2, "task_completed")]
    kickoff = more.pop("kickoff", f"kickoff of {name}")
    one = crew(*made, name=name, checkpoint_kickoff_event_id=kickoff)
    write(root, document(one, events=events, **more), ident(number), more.get("parent"), branch)
    return ident(number)


def found(root: Path, checkpoint_id: str) -> list[Any]:
    with open_catalog(str(root)) as catalog:
        source = read_source(catalog, catalog.forest.by_id[checkpoint_id][0])
        return earlier_runs(source)


def test_each_finished_run_before_counts_once_the_nearest_first(tmp_path: Path) -> None:
    run(tmp_path, 1, "oldest", "A")
    run(tmp_path, 2, "first", "B", None)  # of the same run: not at its end yet
    run(tmp_path, 3, "first", "B", "C")
    run(tmp_path, 4, "broken off", "D", None)
    run(tmp_path, 5, "elsewhere", "E", branch="what-if")
    start = run(tmp_path, 6, "second", None, None)
    here = run(tmp_path, 7, "second", "F", None, parent=start)
    run(tmp_path, 8, "after", "G")
    documents = found(tmp_path, here)
    assert [one["entities"][0]["name"] for one in documents] == ["first", "oldest"]
    assert [one["output"]["raw"] for one in documents[0]["entities"][0]["tasks"]] == ["B", "C"]
    events = [node["event"]["type"] for node in documents[0]["event_record"]["nodes"].values()]
    assert events == ["llm_call_completed"]


def test_a_fork_comes_after_what_its_run_came_after(tmp_path: Path) -> None:
    run(tmp_path, 1, "first", "A")
    start = run(tmp_path, 2, "second", None)
    run(tmp_path, 3, "first", "Z", kickoff="another time")
    fork = run(tmp_path, 4, "second", None, parent=start, branch="what-if")
    documents = found(tmp_path, fork)
    assert [one["entities"][0]["tasks"][0]["output"]["raw"] for one in documents] == ["A"]
