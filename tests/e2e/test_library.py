"""`resume` and `fork` in the user's own program, where crewcheck is installed beside CrewAI."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crewcheck.model.document import sorted_events
from tests.e2e.child.conftest import at, model, one_model, zoo, zoo_run
from tests.e2e.child.driver import ROOT, Place, Written, make_place, written
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


def run_beside(place: Place, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the project where crewcheck is installed beside CrewAI."""
    beside = place.folder / "beside"
    beside.mkdir(exist_ok=True)
    if not (beside / "msgspec").exists():
        (beside / "msgspec").symlink_to(Path(msgspec.__file__).parent)
    (place.project / "program.py").write_text(program, encoding="utf-8")
    path = os.pathsep.join([str(ROOT), str(beside)])
    return place.run("program.py", *arguments, PYTHONPATH=path, CREWCHECK_INDEX="off")


@pytest.fixture
def call(zoo: Place) -> Callable[..., list[Any]]:
    """Calls the library in one program, one after the other: what each gave."""

    def run(*calls: dict[str, Any]) -> list[Any]:
        ended = run_beside(zoo, _PROGRAM, json.dumps(calls))
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


def test_the_example_of_the_readme_works(zoo: Place, zoo_run: Run, model: FakeModel) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    section = readme.partition("### In your own program")[2].partition("\n#")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    program = "\n".join(lines).replace("my_project.crew", "zoo")
    assert "resume(crew" in program
    ended = run_beside(zoo, program)
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert zoo_run[2] in ended.stdout
    assert ["Other notes" in one.user for one in model.requests].count(True) >= 1


_FLOW = """
import json
from pathlib import Path
from crewai import Agent, CheckpointConfig, Crew, Task
from crewcheck.crewai import fork, resume
from shop import Shop, llm

def tell(call):
    told, before = [], len(Path("done.txt").read_text().split())
    try:
        made = call(lambda message: told.append(message["type"]))
    except ZeroDivisionError as error:
        made = type(error).__name__
    print(json.dumps([made, Path("done.txt").read_text().split()[before:], told[-1:]]))

tell(lambda on: resume(Shop, "main", on_message=on))
tell(lambda on: fork(Shop, "main", "four", state={"boxes": 4}, on_message=on))
tell(lambda on: resume(Shop, "four", on_message=on))
tell(lambda on: fork(Shop, "four", "hand", outputs={"pack": "PACKED BY HAND"}, on_message=on))
config = CheckpointConfig(on_events=["method_execution_finished"], location="after")
tell(lambda on: Shop(checkpoint=config).kickoff(inputs={"boxes": 3}))
agent = Agent(role="R", goal="G", backstory="B", llm=llm())
task = Task(description="Count", expected_output="x", agent=agent)
config = CheckpointConfig(on_events=["task_completed"], location="crew")
tell(lambda on: Crew(agents=[agent], tasks=[task], checkpoint=config).kickoff().raw)
"""


def test_a_flow_is_resumed_and_forked_and_classes_are_then_as_they_were(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    shop = make_place(tmp_path, crewai_python, model.url, "shop")
    assert shop.record(model, "shop.py").returncode == 1  # it is to fail: there are 0 boxes
    model.reset()
    ended = run_beside(shop, _FLOW)
    assert ended.returncode == 0, ended.stderr[-3000:]
    lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("[")]
    failed, forked, finished, by_hand, plain, crew = lines
    # what the user's own code raises comes through, and what is done is not done again
    assert failed[:2] == ["ZeroDivisionError", ["pack"]]
    assert forked[1:] == [["pack", "send"], ["finished"]]
    assert finished[:2] == [forked[0], []]
    assert by_hand[1:] == [["send"], ["finished"]]
    users = [one.user for one in model.requests]
    assert [user.partition(":")[0].partition(" ANSWER")[0] for user in users[:3]] == [
        "pack 3 into each of 4", "send", "send PACKED BY HAND",
    ]  # fmt: skip
    answers = [f"ANSWER-{one.key}" for one in model.requests]
    assert forked[0].startswith(answers[1])
    assert by_hand[0].startswith(answers[2])
    # afterwards nothing is answered from the record, and nothing of ours is written
    assert plain[1] == ["take", "pack", "send"]
    assert plain[0].startswith(answers[5])
    assert crew[0].startswith(answers[6])
    assert len(model.requests) == 7
    flow = written(shop.project / "after")
    assert [path.name for path in (shop.project / "after").iterdir()] == ["main"]
    assert not [one for one in flow if "crewcheck" in one.document]
    most = max((sorted_events(one.document) for one in flow), key=len)
    done = [one["method_name"] for one in most if one["type"] == "method_execution_finished"]
    assert done == ["take", "pack", "send"]
    (task,) = written(shop.project / "crew")
    assert task.done == [0]
