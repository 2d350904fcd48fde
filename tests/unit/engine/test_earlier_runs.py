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


def test_an_agents_kickoffs_before_have_their_questions(tmp_path: Path) -> None:
    def asked(number: int, key: str, question: str, answer: str) -> None:
        opening = event(1, "lite_agent_execution_started", event_id=key, messages=question)
        closing = event(2, "lite_agent_execution_completed", started_event_id=key, output=answer)
        entity = {"entity_type": "agent", "role": "Poet", "checkpoint_kickoff_event_id": key}
        for at, one in enumerate((opening, closing)):
            # the record begins anew when the work is done
            made = document(entity, events=[one], trigger=one["type"])
            write(tmp_path, made, ident(number + at))

    asked(1, "k1", "Of rain?", "Rain.")
    asked(3, "k2", "Of snow?", "Snow.")
    asked(5, "k3", "Of hail?", "Hail.")
    found_ones = found(tmp_path, ident(5))
    told = [
        [node["event"].get("messages") or node["event"].get("output") for node in nodes.values()]
        for nodes in (one["event_record"]["nodes"] for one in found_ones)
    ]
    assert told == [["Of snow?", "Snow."], ["Of rain?", "Rain."]]
