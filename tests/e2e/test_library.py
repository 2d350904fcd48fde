"""`resume` and `fork` in the user's own program, where crewcheck is installed beside CrewAI."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.e2e.child.conftest import at, model, one_model, zoo, zoo_run
from tests.e2e.child.driver import ROOT, Place, Written, written
from tests.fake_model import FakeModel

__all__ = ["at", "model", "one_model", "zoo", "zoo_run"]  # fixtures

_PROGRAM = """
import json, sys
from zoo import crew
from crewcheck.crewai import fork, resume
from crewcheck.errors import CrewcheckError
ids = [str(one.id) for one in (crew, *crew.tasks)]
for call in json.loads(sys.argv[1]):
    do = fork if call.pop("do") == "fork" else resume
    told = []
    try:
        made = do(crew, on_message=lambda message: told.append(message["type"]), **call)
        said = [type(made).__name__, made.raw, len(made.tasks_output)]
    except CrewcheckError as error:
        said = [type(error).__name__, str(error)]
    print(json.dumps([*said, sorted(set(told))]))
print(json.dumps(ids == [str(one.id) for one in (crew, *crew.tasks)]))
print(json.dumps([crew.checkpoint.location, crew.before_kickoff_callbacks]))
"""

Run = tuple[Place, list[str], str]


@pytest.fixture
def call(zoo: Place) -> Callable[..., list[Any]]:
    """Calls the library in one program, one after the other: what each gave."""
    beside = zoo.folder / "beside"
    beside.mkdir()
    (beside / "msgspec").symlink_to(Path(msgspec.__file__).parent)
    (zoo.project / "program.py").write_text(_PROGRAM, encoding="utf-8")

    def run(*calls: dict[str, Any]) -> list[Any]:
        path = os.pathsep.join([str(ROOT), str(beside)])
        ended = zoo.run("program.py", json.dumps(calls), PYTHONPATH=path, CREWCHECK_INDEX="off")
        assert ended.returncode == 0, ended.stderr[-3000:]
        lines = [line for line in ended.stdout.splitlines() if line.startswith(("[", "t", "f"))]
        return [json.loads(line) for line in lines]

    return run


def test_a_crew_is_resumed_forked_and_then_as_it_was(
    call: Any, zoo: Place, zoo_run: Run, at: Callable[..., Written], model: FakeModel
) -> None:
    two = at(2).id
    _, keys, result = zoo_run
    resumed, done, forked, taken, same, crew = call(
        {"do": "resume", "ref": two},
        {"do": "resume"},
        {"do": "fork", "ref": two, "branch": "b", "outputs": {"watch": "An otter."}},
        {"do": "fork", "ref": two, "branch": "b"},
    )
    everything = ["checkpoint", "event", "finished", "loaded", "plan", "started"]
    assert resumed == ["CrewOutput", result, 4, everything]
    assert done[:3] == ["CrewOutput", result, 4]
    assert model.keys[:2] == keys[2:]
    assert forked[0] == "CrewOutput"
    assert ["An otter." in one.user for one in model.requests[2:]] == [True, False]
    assert len(written(zoo.project / ".checkpoints", "b")) > 1
    assert taken[:2] == [
        "Refused",
        'branch "b" exists already in this store; give another --branch, or none for a new name',
    ]
    assert same is True
    assert crew == ["./.checkpoints", []]


def test_what_cannot_be_is_an_error_of_crewchecks(call: Any, model: FakeModel) -> None:
    said = call(
        {"do": "resume", "ref": "nowhere"},
        {"do": "fork", "ref": "main", "outputs": {"nothing": "x"}},
        {"do": "fork", "ref": "main", "outputs": {"9": "x"}},
        {"do": "fork", "ref": "main", "state": {"a": 1}},
        {"do": "resume", "ref": "main", "response_format": "x"},
    )[:5]
    assert [one[0] for one in said] == [
        "NotFound", "NotFound", "NotFound", "UsageProblem", "Refused",
    ]  # fmt: skip
    assert "there are: 1 watch, 2 count, 3 describe, 4 report" in said[1][1]
    assert said[3][1] == "state is for flows, and this is a crew"
    assert model.requests == []


def test_the_example_of_the_readme_works(
    call: Any, zoo: Place, zoo_run: Run, model: FakeModel
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    section = readme.partition("### In your own program")[2].partition("\n#")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    program = "\n".join(lines).replace("my_project.crew", "zoo")
    assert "resume(crew" in program
    (zoo.project / "example.py").write_text(program, encoding="utf-8")
    path = os.pathsep.join([str(ROOT), str(zoo.folder / "beside")])
    ended = zoo.run("example.py", PYTHONPATH=path, CREWCHECK_INDEX="off")
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert zoo_run[2] in ended.stdout
    assert ["Other notes" in one.user for one in model.requests].count(True) >= 1
