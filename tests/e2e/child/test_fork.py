"""A fork asks again exactly what its edits concern, with the new values everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.e2e.child.conftest import Start
from tests.e2e.child.driver import Place, Written, written
from tests.fake_model import FakeModel

At = Callable[..., Written]
Run = tuple[Place, list[str], str]


def test_an_edited_output_reaches_only_its_dependents(
    zoo: Place, zoo_run: Run, at: At, start: Start, model: FakeModel
) -> None:
    """``describe`` names ``watch``, ``count`` names nothing, ``report`` names both others."""
    source = at(4)
    child = start(
        zoo, source, entry="zoo:crew", action="fork", branch="eels", outputs={"0": "only eels"}
    )
    plan = child.plan()
    assert [(item["action"], item["rule"]) for item in plan["items"]] == [
        ("keep", "edited"),
        ("keep", "recorded"),
        ("run", "depends-on-changed"),
        ("run", "depends-on-changed"),
    ]
    assert plan["items"][3]["reason"] == "it depends on describe, which changes"
    child.go(plan, outputs={"0": "only eels"})
    ended = child.end()
    assert ended["type"] == "finished"
    assert ended["result"] != zoo_run[2]
    assert len(model.requests) == 2
    describe, report = model.requests
    assert "only eels" in describe.user
    assert f"ANSWER-{describe.key}" in report.user
    assert f"ANSWER-{zoo_run[1][1]}" in report.user
    assert f"ANSWER-{zoo_run[1][0]}" not in describe.user
    new = written(zoo.project / ".checkpoints", "eels")
    assert new[0].document["parent_id"] == source.id
    assert new[-1].crew["tasks"][0]["output"]["raw"] == "only eels"
    assert new[-1].done == [0, 1, 2, 3]


def test_edited_inputs_reach_tasks_and_agents_and_keep_their_types(
    zoo: Place, zoo_run: Run, at: At, start: Start, model: FakeModel
) -> None:
    changed = {"animal": "eel", "number": [1, {"two": None}]}
    child = start(zoo, at(2), entry="zoo:crew", action="fork", branch="eel", inputs=changed)
    plan = child.plan()
    assert [item["rule"] for item in plan["items"]] == [
        "input-changed",
        "input-changed",
        *[plan["items"][2]["rule"], "pending"],
    ]
    assert plan["items"][0]["inputs"] == ["animal"]
    child.go(plan, inputs=changed)
    assert child.end()["type"] == "finished"
    watch, count, describe, _ = model.requests
    assert "Watch the eel" in watch.user
    assert "You are Observer of eels" in watch.system
    assert "Count to [1, {'two': None}]" in count.user
    assert "Write in 2031" in describe.system
    newest = written(zoo.project / ".checkpoints", "eel")[-1]
    assert newest.crew["checkpoint_inputs"] == {"year": 2031, **changed}


def test_an_input_that_nothing_done_names_keeps_what_is_done(
    zoo: Place, zoo_run: Run, at: At, start: Start, model: FakeModel
) -> None:
    child = start(zoo, at(1), entry="zoo:crew", action="fork", inputs={"year": "2040"})
    plan = child.plan()
    assert plan["items"][0]["action"] == "keep"
    child.go(plan, branch="later", inputs={"year": "2040"})
    assert child.end()["type"] == "finished"
    assert ["Write in 2040" in request.system for request in model.requests] == [True] * 3


def test_a_person_decides_at_last(zoo: Place, at: At, start: Start, model: FakeModel) -> None:
    """What ``go`` says counts, whatever the plan was."""
    child = start(
        zoo, at(4), entry="zoo:crew", action="fork", outputs={"0": "eels"}, keep=[2], rerun=[1]
    )
    plan = child.plan()
    assert [item["rule"] for item in plan["items"]] == [
        "edited",
        "rerun-by-wish",
        "kept-by-wish",
        "depends-on-changed",
    ]
    child.send("go", branch="mine", keep=[0, 1, 2], outputs={"0": "eels"}, inputs=None)
    assert child.end()["type"] == "finished"
    assert len(model.requests) == 1
    assert "Report on all" in model.requests[0].user


def test_an_edit_that_leaves_nothing_to_run(
    zoo: Place, at: At, start: Start, model: FakeModel
) -> None:
    child = start(zoo, at(4), entry="zoo:crew", action="fork", outputs={"3": "The end."})
    plan = child.plan()
    assert plan["nothing_to_run"] is True
    child.go(plan, branch="ended", outputs={"3": "The end."})
    assert child.end()["result"] == "The end."
    assert model.requests == []


def test_a_result_for_a_task_that_was_never_run(
    zoo: Place, at: At, start: Start, model: FakeModel
) -> None:
    edits = {"1": "I counted: 3"}
    child = start(zoo, at(1), entry="zoo:crew", action="fork", branch="by-hand", outputs=edits)
    plan = child.plan()
    assert [item["action"] for item in plan["items"]] == ["keep", "keep", "run", "run"]
    child.go(plan, outputs=edits)
    assert child.end()["type"] == "finished"
    assert len(model.requests) == 2
    assert "I counted: 3" in model.requests[1].user


def test_the_forks_own_document_is_gone_on_with(
    zoo: Place, at: At, start: Start, model: FakeModel
) -> None:
    """Its event record has no invalidated work; so the next checkpoints have none either."""
    source = at(4)
    keep = {
        key: node
        for key, node in source.document["event_record"]["nodes"].items()
        if node["event"].get("task_name") in (None, "watch", "count")
        and not node["event"]["type"].startswith(("crew_kickoff_c", "checkpoint_"))
    }
    forked = {**source.document, "event_record": {"nodes": keep}}
    path = zoo.folder / "fork.json"
    path.write_text(json.dumps(forked), encoding="utf-8")
    child = start(zoo, source, entry="zoo:crew", action="fork", branch="b", rerun=[2])
    child.go(child.plan(), document=str(path), checkpoint_id="20260101T000000_0a0b0c0d")
    assert child.end()["type"] == "finished"
    first, *_, last = written(zoo.project / ".checkpoints", "b")
    assert first.document["parent_id"] == "20260101T000000_0a0b0c0d"
    events = [node["event"] for node in last.document["event_record"]["nodes"].values()]
    done = [one["task_name"] for one in events if one["type"] == "task_completed"]
    assert sorted(done) == ["count", "describe", "report", "watch"]
