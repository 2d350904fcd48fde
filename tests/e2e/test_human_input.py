"""A task that asks a person, with the real CrewAI: what is asked about, several rounds, a pipe."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.child.driver import Child, Place, make_place, written
from tests.fake_model import FakeModel


@pytest.fixture(scope="module")
def model() -> Iterator[FakeModel]:
    with FakeModel() as model:
        yield model


@pytest.fixture
def desk(tmp_path: Path, crewai_python: str, model: FakeModel) -> Place:
    """The desk's project with a run that failed at its second task."""
    model.reset()
    place = make_place(tmp_path, crewai_python, model.url, "desk")
    model.fail("Draft a letter")
    assert place.record(model, "desk.py").returncode != 0
    model.reset()
    assert written(place.project / ".checkpoints")[-1].done == [0]
    return place


def called(place: Place, *args: str) -> subprocess.CompletedProcess[str]:
    """A command in the project's folder, in a pipe."""
    return place.command(*args, CREWCHECK_STATE_DIR=str(place.folder / "state"))


def stream(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def users(model: FakeModel) -> list[str]:
    """What the model was asked last in each request."""
    return [" ".join(one.user.split()) for one in model.requests]


def test_answers_judge_result_after_result(desk: Place, model: FakeModel) -> None:
    model.say("Shorter, please", "A shorter letter.")
    done = called(
        desk, "resume", "--yes", "--json", "--python", desk.python,
        "--answer", "Shorter, please", "--answer", "",
    )  # fmt: skip
    told = stream(done)
    assert done.returncode == 0, done.stderr
    plan = next(one for one in told if one["type"] == "plan")
    assert plan["asks"] == [1]
    prompts = [one for one in told if one["type"] == "prompt"]
    assert [(one["task"], one["agent"]) for one in prompts] == [("draft", "Writer")] * 2
    assert prompts[0]["output"].startswith("ANSWER-")
    assert prompts[1]["output"] == "A shorter letter."
    asked = users(model)
    assert len(asked) == 3
    assert "Draft a letter" in asked[0]
    assert "Shorter, please" in asked[1]
    assert "Send the letter" in asked[2]
    assert "A shorter letter." in asked[2]
    newest = max(written(desk.project / ".checkpoints"), key=lambda one: len(one.done))
    assert newest.crew["tasks"][1]["output"]["raw"] == "A shorter letter."


def test_a_pipe_without_answers_asks_the_model_nothing(desk: Place, model: FakeModel) -> None:
    done = called(desk, "resume", "--yes", "--python", desk.python)
    assert done.returncode == 5
    assert "a person is asked about draft, and there is no terminal" in done.stderr
    assert model.requests == []
    # what is done was judged already: a fork after it asks nobody
    done = called(
        desk, "fork", "--yes", "--python", desk.python, "--branch", "x", "-o", "draft=My letter"
    )
    assert done.returncode == 0, done.stderr
    assert [one.partition("Current Task: ")[2][:15] for one in users(model)] == ["Send the letter"]


def child_of(place: Place, **spec: Any) -> Child:
    newest = written(place.project / ".checkpoints")[-1]
    values = {
        "store": str(place.project / ".checkpoints"),
        "checkpoint_id": newest.id,
        "document_path": str(newest.path),
        "python": place.python,
        "cwd": str(place.project),
        **spec,
    }
    return Child(place, values)


def test_an_asynchronous_kickoff_asks_too(desk: Place, model: FakeModel) -> None:
    child = child_of(desk, script=str(desk.project / "desk.py"), args=["async"])
    try:
        child.go(child.plan())
        prompt = child.until("prompt")
        assert (prompt["task"], prompt["output"][:7]) == ("draft", "ANSWER-")
        child.send("answer", id=prompt["id"], text="")
        assert child.end()["type"] == "finished"
    finally:
        child.close()


def test_a_flow_asks_about_what_a_method_gave(
    tmp_path: Path, crewai_python: str, model: FakeModel
) -> None:
    model.reset()
    place = make_place(tmp_path, crewai_python, model.url, "desk")
    ended = place.record(model, "desk.py", "flow")
    assert ended.returncode != 0  # nobody is there to judge the page
    asked = len(model.requests)
    done = called(place, "resume", "--yes", "--json", "--python", place.python, "--answer", "Fine")
    told = stream(done)
    assert done.returncode == 0, (done.stderr, told[-1])
    (prompt,) = [one for one in told if one["type"] == "prompt"]
    assert (prompt["kind"], prompt["method"], prompt["message"]) == (
        "human_feedback", "check", "Is the page fine?",
    )  # fmt: skip
    assert prompt["output"].startswith("to be judged: ANSWER-")
    assert "Fine" in told[-1]["result"]
    assert len(model.requests) == asked  # the page was written before
