"""A crew of which CrewAI writes no checkpoint goes on from the outputs that it kept."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.e2e.child.driver import Place, make_place
from tests.fake_model import FakeModel


def called(place: Place, *args: str) -> subprocess.CompletedProcess[str]:
    return place.command(*args, CREWCHECK_STATE_DIR=str(place.folder / "state"))


def test_only_what_had_not_been_done_runs(tmp_path: Path, crewai_python: str) -> None:
    with FakeModel() as model:
        place = make_place(tmp_path, crewai_python, model.url, "kept")
        model.fail("Final touch")
        assert place.run("main.py").returncode != 0
        first, second = (one.key for one in model.requests[:2])
        model.reset()
        assert not (place.project / ".checkpoints").exists()
        told = called(place, "list")
        assert told.returncode == 3
        path = told.stderr.partition("`crewcheck list ")[2].partition("`")[0]
        listed = json.loads(called(place, "list", path, "--json").stdout)
        assert [(one["id"], one["done"]) for one in listed] == [("last-run", 2)]
        done = called(place, "fork", path, "--yes", "--python", place.python, "--branch", "on")
        assert done.returncode == 0, done.stderr
        (request,) = model.requests
        assert f"ANSWER-{first}" in request.user
        assert f"ANSWER-{second}" in request.user
        assert done.stdout.startswith(f"ANSWER-{request.key}")
        model.reset()
        edits = ["-o", "1=My own notes", "--branch", "mine"]
        done = called(place, "fork", path, "--no-run", *edits)
        assert done.returncode == 0, done.stderr
        done = called(place, "resume", "mine", "--yes", "--python", place.python)
        assert done.returncode == 0, done.stderr
        asked = [one.user.partition("Current Task: ")[2][:11] for one in model.requests]
        assert asked == ["Draft on ca", "Final touch"]
        assert all("My own notes" in one.user for one in model.requests)
