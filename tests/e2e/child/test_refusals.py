"""What cannot be done rightly is refused before anything runs, and says why."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.child.conftest import Start
from tests.e2e.child.driver import Place, Written, make_place
from tests.fake_model import FakeModel

At = Callable[..., Written]


def refused(start: Start, place: Place, checkpoint: Written, **spec: Any) -> dict[str, Any]:
    child = start(place, checkpoint, **spec)
    message = child.end()
    assert message["type"] == "refused", message
    assert child.process.returncode == 5
    return message


@pytest.mark.parametrize(
    ("entry", "rule", "said"),
    [
        ("nowhere:crew", "module-not-found", "there is no module nowhere"),
        ("nowhere.py:crew", "module-not-found", "there is no file"),
        ("zoo:carw", "attribute-not-found", "zoo:crew"),
        ("zoo:first", "no-crew", "an object of Task"),
        ("several:make_for", "entry-needs-arguments", "animal"),
        ("several:broken", "entry-failed", "a secret place"),
        ("several:later", "entry-is-async", "async"),
        ("several:Story", "wrong-kind", "is a flow"),
        ("several:other", "changed", "4 in the checkpoint, 2 in the project"),
        ("several", "several-found", "several:other"),
        ("runs:crew", "runs-on-import", "kicks off a crew"),
        ("changed:crew", "changed", "Report on everything"),
        ("changed_early:crew", "changed", "Watch the {animal} closely"),
    ],
)
def test_entries(
    zoo: Place, at: At, start: Start, model: FakeModel, entry: str, rule: str, said: str
) -> None:
    message = refused(start, zoo, at(2), entry=entry)
    assert message["reason"] == rule
    assert said in json.dumps(message, ensure_ascii=False)
    assert model.requests == []


def test_a_change_behind_what_is_done_can_be_allowed(
    zoo: Place, at: At, start: Start, model: FakeModel
) -> None:
    child = start(zoo, at(2), entry="changed:crew", allow_changed=True)
    plan = child.plan()
    assert len(plan["changed"]) == 1
    assert "Report on everything" in plan["changed"][0]
    warned = {(one["rule"], one["where"]) for one in plan["warnings"]}
    assert warned == {("model-changed", "describe, report")}
    child.go(plan)
    assert child.end()["type"] == "finished"
    assert "Report on everything" in model.requests[1].user


def test_a_crew_that_has_grown_is_told_by_its_tasks(
    zoo: Place, at: At, start: Start, model: FakeModel
) -> None:
    """One task is new and another gone: what is done of the others answers, wherever it is."""
    code = (
        "from crewai import Task\nfrom zoo import crew, first, fourth, pen, second\n"
        "new = Task(name='feed', description='Feed them', expected_output='food', agent=pen)\n"
        "first.context = []\n"
        "crew.tasks.insert(0, new)\ncrew.tasks.remove(second)\n"
        "fourth.context = [crew.tasks[1], crew.tasks[2]]\n"
    )
    (zoo.project / "grown.py").write_text(code, encoding="utf-8")
    child = start(zoo, at(3), entry="grown:crew", allow_changed=True)
    plan = child.plan()
    told = [(one["label"], one["action"], one["rule"], one["saved"]) for one in plan["items"]]
    assert told == [
        ("feed", "run", "pending", None),
        ("watch", "keep", "recorded", 0),
        ("describe", "keep", "recorded", 2),
        ("report", "run", "pending", 3),
    ]
    assert [one["rule"] for one in plan["losses"]] == ["task-gone"]
    child.go(plan)
    assert child.end()["type"] == "finished"
    assert [request.user.split("Task: ")[1][:9] for request in model.requests] == [
        "Feed them",
        "Report on",
    ]


@pytest.mark.parametrize("entry", ["several:make", "zoo.py:crew", "zoo.py"])
def test_other_ways_to_name_the_crew(zoo: Place, at: At, start: Start, entry: str) -> None:
    child = start(zoo, at(3), entry=entry)
    assert child.plan()["items"][3]["action"] == "run"
    child.send("abort")
    assert child.end()["reason"] == "aborted"


def test_nobody_says_go(zoo: Place, at: At, start: Start, model: FakeModel) -> None:
    child = start(zoo, at(3), entry="zoo:crew")
    child.plan()
    child.hang_up()
    assert child.end()["reason"] == "aborted"
    assert child.process.returncode == 5
    assert model.requests == []


@pytest.mark.parametrize(
    ("go", "rule"),
    [
        ({"keep": [0, 1, 3]}, "nothing-to-keep"),
        ({"keep": [9]}, "no-such-task"),
        ({"branch": "../out"}, "branch-name"),
        ({"keep": [0], "outputs": {"9": "x"}}, "no-such-task"),
    ],
)
def test_a_go_that_cannot_be(
    zoo: Place, at: At, start: Start, model: FakeModel, go: dict[str, Any], rule: str
) -> None:
    child = start(zoo, at(2), entry="zoo:crew")
    child.go(child.plan(), **go)
    assert child.end()["reason"] == rule
    assert model.requests == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"tasks": []}, "nothing-in-it"),
    ],
)
def test_kinds_that_cannot_be_resumed_are_told_at_once(
    zoo: Place, at: At, start: Start, change: dict[str, Any], rule: str
) -> None:
    """Before crewai is even imported."""
    source = at(2)
    path = zoo.folder / "other.json"
    entity = {**source.crew, **change}
    path.write_text(json.dumps({**source.document, "entities": [entity]}), encoding="utf-8")
    message = refused(start, zoo, replace(source, path=path), entry="zoo:crew")
    assert message["reason"] == rule


def test_a_python_without_crewai(zoo: Place, at: At, start: Start) -> None:
    place = replace(zoo, python=sys.executable)
    message = refused(start, place, at(2), entry="zoo:crew")
    assert message["reason"] == "no-crewai"
    assert sys.executable in message["message"]
    assert "--python" in message["hint"]


def test_no_checkpoint(zoo: Place, at: At, start: Start) -> None:
    path = zoo.folder / "cut.json"
    path.write_text('{"entities": [', encoding="utf-8")
    message = refused(start, zoo, replace(at(2), path=path), entry="zoo:crew")
    assert message["reason"] == "unreadable"


def test_an_edited_output_must_fit_its_class(
    tmp_path: Path, crewai_python: str, zoo: Place, at: At, start: Start, model: FakeModel
) -> None:
    code = (
        "from pydantic import BaseModel\nfrom zoo import crew\n"
        "class Notes(BaseModel):\n    seen: int\n"
        "crew.tasks[0].output_pydantic = Notes\n"
    )
    (zoo.project / "typed.py").write_text(code, encoding="utf-8")
    edit = {"0": '{"seen": "many"}'}
    message = refused(
        start, zoo, at(2), entry="typed:crew", action="fork", outputs=edit, allow_changed=True
    )
    assert message["reason"] == "output-class"
    assert "watch" in message["message"]
    assert message["differences"][0].startswith("seen: ")
    fits = {"0": '{"seen": 7}'}
    child = start(zoo, at(2), entry="typed:crew", allow_changed=True, action="fork", outputs=fits)
    child.go(child.plan(), outputs=fits, branch="typed")
    assert child.end()["type"] == "finished"
    assert '{"seen": 7}' in model.requests[0].user


def test_inputs_that_are_missing(zoo: Place, at: At, start: Start) -> None:
    source = at(2)
    path = zoo.folder / "no-inputs.json"
    entity = {**source.crew, "checkpoint_inputs": {"animal": "otter"}}
    path.write_text(json.dumps({**source.document, "entities": [entity]}), encoding="utf-8")
    message = refused(
        start, zoo, replace(source, path=path), entry="zoo:crew", inputs={"animal": "eel"}
    )
    assert message["reason"] == "inputs-missing"
    assert "year" in message["message"]


def test_our_packages_are_not_seen(zoo: Place, at: At, start: Start) -> None:
    """Neither ours in the user's program, nor our folder as `crewai`."""
    code = (
        "import sys, crewai\nfrom zoo import crew\n"
        "import os\nprint('PATHS', [p for p in sys.path if os.path.exists(p + '/crewcheck')])\n"
        "print('CREWAI', crewai.__file__)\n"
        "print('HEAVY', [m for m in ('msgspec', 'textual', 'watchfiles') if m in sys.modules])\n"
    )
    (zoo.project / "looks.py").write_text(code, encoding="utf-8")
    child = start(zoo, at(3), entry="looks:crew")
    child.plan()
    child.send("abort")
    child.end()
    lines = dict(line.split(" ", 1) for line in child.log.splitlines() if line[:5].isupper())
    assert lines["PATHS"] == "[]"
    assert "site-packages" in lines["CREWAI"]
    assert lines["HEAVY"] == "[]"


def test_a_project_in_src(
    tmp_path: Path, crewai_python: str, model: FakeModel, at: At, start: Start
) -> None:
    """Its packages are found without PYTHONPATH; its crew is another one."""
    place = make_place(tmp_path / "press-place", crewai_python, model.url, "press")
    message = refused(start, place, at(2), entry="press.crew")
    assert message["reason"] == "different-crew"
