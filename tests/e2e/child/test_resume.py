"""A resume repeats nothing that is done, and ends as if nothing had happened."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.child.conftest import Start
from tests.e2e.child.driver import Place, Written, make_place, written
from tests.fake_model import FakeModel

At = Callable[..., Written]
Run = tuple[Place, list[str], str]


@pytest.mark.parametrize(
    ("done", "trigger"),
    [(0, "task_started"), (1, "task_completed"), (2, "task_started"), (3, "task_completed")],
)
def test_only_what_is_pending_is_asked(
    zoo: Place, zoo_run: Run, at: At, start: Start, model: FakeModel, done: int, trigger: str
) -> None:
    _, baseline, final = zoo_run
    checkpoint = at(done, trigger)
    child = start(zoo, checkpoint, entry="zoo:crew")
    child.go(child.plan())
    assert child.end()["result"] == final
    assert child.process.returncode == 0
    assert model.keys == baseline[done:]
    replayed = [m["task"] for m in child.of("event") if m["replayed"]]
    assert replayed == list(range(done))
    assert child.of("finished")[0]["tokens"] == 15 * (4 - done)


def test_the_messages_come_in_their_order(zoo: Place, at: At, start: Start) -> None:
    child = start(zoo, at(3), entry="zoo:crew")
    child.go(child.plan())
    child.end()
    kinds = [message["type"] for message in child.messages]
    assert kinds[:4] == ["hello", "loaded", "plan", "started"]
    assert kinds[-1] == "finished"
    hello, loaded, plan = child.messages[:3]
    assert hello["crewai"]
    assert hello["pid"] == child.process.pid
    assert [task["depends_on"] for task in loaded["tasks"]] == [[], [], [0], [1, 2]]
    assert [task["names"] for task in loaded["tasks"]] == [
        ["animal"],
        ["number", "year"],
        ["year"],
        ["year"],
    ]
    assert [task["state"] for task in loaded["tasks"]] == ["done", "done", "done", "pending"]
    assert loaded["inputs"] == {"animal": "otter", "year": 2031, "number": 3}
    assert loaded["model"] == "gpt-4o-mini"
    assert [item["rule"] for item in plan["items"]] == ["recorded"] * 3 + ["pending"]
    events = [(m["event"], m["task"]) for m in child.of("event") if not m["replayed"]]
    assert ("task_started", 3) in events
    closing_event = next(m for m in child.of("event") if m["event"] == "llm_call_completed")
    assert closing_event["tokens"] == 15
    assert closing_event["seconds"] >= 0
    assert closing_event["task"] == 3


def test_new_checkpoints_follow_the_old_one(zoo: Place, at: At, start: Start) -> None:
    source = at(2)
    store = zoo.project / ".checkpoints"
    before = {one.id for one in written(store)}
    child = start(zoo, source, entry="zoo:crew")
    child.go(child.plan())
    child.end()
    new = [one for one in written(store) if one.id not in before]
    assert [one.document["parent_id"] for one in new] == [source.id, *(one.id for one in new[:-1])]
    assert [m["id"] for m in child.of("checkpoint")] == [one.id for one in new]
    last = new[-1]
    assert last.done == [0, 1, 2, 3]
    assert last.crew["id"] == source.crew["id"]
    kept = ("output", "start_time", "end_time", "prompt_context", "id")
    for old, task in zip(source.crew["tasks"][:2], last.crew["tasks"][:2], strict=True):
        assert {key: task[key] for key in kept} == {key: old[key] for key in kept}
    assert set(source.document["event_record"]["nodes"]) <= set(
        last.document["event_record"]["nodes"]
    )


def test_crewai_itself_can_restore_them(zoo: Place, at: At, start: Start) -> None:
    child = start(zoo, at(3), entry="zoo:crew")
    child.go(child.plan(), branch="what/if")
    child.end()
    newest = written(zoo.project / ".checkpoints", "what/if")[-1]
    code = (
        "import sys; from crewai import Crew, CheckpointConfig;"
        "crew = Crew.from_checkpoint(CheckpointConfig(restore_from=sys.argv[1]));"
        "print(len(crew.tasks), sum(task.output is not None for task in crew.tasks))"
    )
    assert zoo.run("-c", code, str(newest.path)).stdout.split() == ["4", "4"]


def test_a_finished_run_runs_nothing(zoo: Place, zoo_run: Run, at: At, start: Start) -> None:
    (zoo.project / "zoo.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    child = start(zoo, at(4, "crew_kickoff_completed"), entry="zoo:crew")
    ended = child.end()
    assert ended == {
        "type": "finished",
        "result": zoo_run[2],
        "nothing_to_run": True,
        "tokens": 0,
    }
    assert child.process.returncode == 0


def test_work_under_way_is_not_paid_twice(
    tmp_path: Path, crewai_python: str, model: FakeModel, start: Start
) -> None:
    """The model had answered, and the task was not done yet."""
    place = make_place(tmp_path, crewai_python, model.url, "zoo")
    events = {"ZOO_EVENTS": "agent_execution_completed", "ZOO_SECONDS": "1"}
    assert place.record(model, "zoo.py", **events).returncode == 0
    baseline = model.keys
    checkpoint = next(
        one
        for one in written(place.project / ".checkpoints")
        if one.done == [0] and _answered(one) == 2
    )
    model.reset()
    child = start(place, checkpoint, entry="zoo:crew")
    plan = child.plan()
    assert plan["items"][1]["rule"] == "under-way"
    child.go(plan)
    assert child.end()["type"] == "finished"
    assert model.keys == baseline[2:]
    answered = [
        m for m in child.of("event") if m["event"] == "llm_call_completed" and m["replayed"]
    ]
    assert [m["task"] for m in answered] == [1]


def _answered(checkpoint: Written) -> int:
    nodes = checkpoint.document["event_record"]["nodes"].values()
    return sum(node["event"]["type"] == "llm_call_completed" for node in nodes)


def test_a_sqlite_store(zoo: Place, zoo_run: Run, at: At, start: Start, tmp_path: Path) -> None:
    """Written as text where this SQLite has no JSONB, else as JSONB."""
    source, store = at(2), tmp_path / "elsewhere" / "runs.db"
    child = start(zoo, source, entry="zoo:crew", store=str(store), store_kind="sqlite")
    child.go(child.plan())
    assert child.end()["result"] == zoo_run[2]
    assert not [message for message in child.of("checkpoint") if message.get("lost")]
    code = (
        "import sys; from contextlib import closing;"
        "from crewai.state.provider import sqlite_provider as p;"
        "print(p.SqliteProvider().from_checkpoint(sys.argv[1]))"
    )
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT id, parent_id, branch FROM checkpoints").fetchall()
    assert [row[1] for row in rows] == [source.id, *(row[0] for row in rows[:-1])]
    assert {row[2] for row in rows} == {"main"}
    read = zoo.run("-c", code, f"{store}#{rows[-1][0]}")
    assert json.loads(read.stdout)["branch"] == "main"


def test_a_failure_is_told_and_can_be_resumed(
    zoo: Place, zoo_run: Run, at: At, start: Start, model: FakeModel
) -> None:
    model.fail("Report on all", status=401)
    child = start(zoo, at(2), entry="zoo:crew")
    child.go(child.plan())
    failed = child.end()
    assert failed["type"] == "failed"
    assert child.process.returncode == 1
    assert "401" in failed["error"]
    assert "key" in failed["hint"]
    assert "Traceback" in failed["traceback"]
    newest = written(zoo.project / ".checkpoints")[-1]
    assert failed["checkpoint_id"] == newest.id
    assert newest.done == [0, 1, 2]
    model.reset()
    again = start(zoo, newest, entry="zoo:crew")
    plan = again.plan()
    assert plan["items"][3]["rule"] in ("under-way", "failed")
    again.go(plan)
    assert again.end()["result"] == zoo_run[2]
    assert model.keys == zoo_run[1][3:]


def test_a_crew_base_project(
    tmp_path: Path, crewai_python: str, model: FakeModel, start: Start
) -> None:
    """Its inputs are what its callback had made of them; its first checkpoint has them in
    an event only."""
    place = make_place(tmp_path, crewai_python, model.url, "press")
    ran = place.record(model, "-m", "press.main", PYTHONPATH="src")
    assert ran.returncode == 0, ran.stderr
    baseline = model.keys
    store = place.project / ".checkpoints"
    checkpoints = written(store)
    assert checkpoints[0].document["trigger"] == "crew_kickoff_started"
    for checkpoint, left in ((checkpoints[0], 2), (checkpoints[1], 1)):
        model.reset()
        child = start(place, checkpoint, entry="press.crew:Press")
        assert child.until("loaded")["inputs"] == {"topic": "salt", "year": "2031!"}
        plan = child.plan()
        assert [loss["rule"] for loss in plan["losses"]] == ["before-kickoff"]
        child.go(plan)
        assert child.end()["type"] == "finished"
        assert model.keys == baseline[-left:]
