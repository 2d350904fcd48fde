"""Crews and flows that are written down as data, as `crewai create` makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.child.driver import Place, make_place
from tests.fake_model import FakeModel

CREW = "from crewai.project.crew_loader import load_crew_and_kickoff as run; run('crew.jsonc')"
FLOW = "from crewai.flow.flow import Flow; Flow.from_declaration(path='flow.yaml').kickoff()"


@pytest.fixture
def place(tmp_path: Path, crewai_python: str) -> Place:
    return make_place(tmp_path, crewai_python, "", "declared")


def run(place: Place, model: FakeModel, program: str) -> list[str]:
    """What the program asks the model for: with the environment that a `.env` gives it."""
    address = f"OPENAI_API_KEY=sk-none\nOPENAI_API_BASE={model.url}\n"
    (place.project / ".env").write_text(address)
    place.record(model, "-c", program, **dict(line.split("=", 1) for line in address.split()))
    return model.keys


def command(place: Place, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    ended = place.command(*arguments, "--json")
    return ended.returncode, [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize(
    ("program", "file", "fault", "asked"),
    [(CREW, "crew.jsonc", "Find a title", 3), (FLOW, "flow.yaml", "Cut this", 3)],
)
def test_what_is_declared_is_found_and_gone_on_with(
    program: str, file: str, fault: str, asked: int, place: Place
) -> None:
    with FakeModel() as model:
        model.fail(fault, status=400)
        keys = list(dict.fromkeys(run(place, model, program)))  # what fails is tried again
        assert len(keys) == asked
        model.reset()
        code, said = command(place, "resume", "--yes", "--python", place.python)
        assert (code, said[-1]["type"]) == (0, "finished")
        assert model.keys == keys[-1:]
        assert keys[-1] in said[-1]["result"]
    plan = next(one for one in said if one["type"] == "plan")
    assert plan["entry"] == str(place.project / file)
