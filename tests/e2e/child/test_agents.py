"""Agents that were asked without a crew: by their entry, and in their own program."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.source import read_source
from crewcheck.model.agent import agent_run
from crewcheck.model.document import sorted_events
from tests.e2e.child.conftest import Start
from tests.e2e.child.driver import Place, Written, make_place, written
from tests.fake_model import FakeModel

STARTED, SAID = "lite_agent_execution_started", "agent_logs_execution"
JUDGED, ANSWERED = "llm_guardrail_started", "lite_agent_execution_completed"

Recorded = tuple[Place, list[str], dict[str, str]]


@pytest.fixture(scope="session")
def recorded(
    tmp_path_factory: pytest.TempPathFactory, crewai_python: str, one_model: FakeModel
) -> Recorded:
    """The program's run: its place, requests in order, and what it printed."""
    one_model.reset()
    place = make_place(tmp_path_factory.mktemp("asked"), crewai_python, one_model.url, "asked")
    ended = place.record(one_model, "asked.py", ASKED_WAITS="1")
    assert ended.returncode == 0, ended.stderr
    triggers = [one.document["trigger"] for one in of(place, "Critic")]
    assert set(triggers) == {STARTED, SAID, JUDGED, ANSWERED}
    said = dict(line.split(" ", 1) for line in ended.stdout.splitlines() if " " in line)
    return place, one_model.keys, said


def of(place: Place, role: str, branch: str = "main") -> list[Written]:
    """The checkpoints of an agent, oldest first."""
    found = written(place.project / ".checkpoints", branch)

    def roles(one: Written) -> list[Any]:
        return [entity.get("role") for entity in one.document["entities"] if entity.get("role")]

    return [one for one in found if roles(one)[-1:] == [role]]


@pytest.fixture
def asked(tmp_path: Path, recorded: Recorded, model: FakeModel) -> Place:
    original, _, _ = recorded
    shutil.copytree(original.folder, tmp_path, dirs_exist_ok=True)
    return Place(tmp_path, original.python, original.model_url)


@pytest.fixture
def at(asked: Place) -> Callable[..., Written]:
    """``at(trigger)``: the critic's checkpoint of a trigger, with what CrewAI had let go of."""

    def find(trigger: str) -> Written:
        one = next(one for one in of(asked, "Critic") if one.document["trigger"] == trigger)
        with open_catalog(str(asked.project / ".checkpoints")) as catalog:
            source = read_source(catalog, catalog.forest.by_id[one.id][0])
        path = asked.folder / "document.json"
        path.write_text(json.dumps(source.document), encoding="utf-8")
        return Written(one.id, path, source.document)

    return find


@pytest.mark.parametrize(("trigger", "requests"), [(STARTED, 1), (SAID, 0), (JUDGED, 0)])
def test_an_agent_is_asked_again_and_what_was_said_is_not(
    trigger: str, requests: int, asked: Place, recorded: Recorded, at: Any, start: Start,
    model: FakeModel,
) -> None:  # fmt: skip
    _, keys, said = recorded
    child = start(asked, at(trigger), entry="asked:critic")
    plan = child.plan()
    assert [(one["label"], one["rule"]) for one in plan["items"]] == [("Critic", "under-way")]
    child.go(plan)
    assert child.end()["result"] == said["result"]
    assert model.keys == (keys[1:] if requests else [])
    assert len(model.keys) == requests


def test_new_checkpoints_are_chained_and_the_last_one_is_whole(
    asked: Place, at: Any, start: Start
) -> None:
    source = at(STARTED)
    before = {one.id for one in of(asked, "Critic")}
    child = start(asked, source, entry="asked:critic")
    child.go(child.plan())
    child.end()
    new = [one for one in of(asked, "Critic") if one.id not in before]
    assert [one.document["trigger"] for one in new] == [SAID, JUDGED, ANSWERED]
    chain = [source.id, *(one.id for one in new)]
    assert [one.document["parent_id"] for one in new] == chain[:-1]
    kinds = [node["event"]["type"] for node in new[-1].document["event_record"]["nodes"].values()]
    assert kinds.count(STARTED) == kinds.count(ANSWERED) == 2  # the poet's, and its own
    events = sorted_events(new[-1].document)
    critic = new[-1].document["entities"][0]
    run = agent_run(new[-1].document, critic, events)
    assert str(run.question).startswith("Judge this: ANSWER-")
    assert run.answer is not None


def test_a_finished_agent_gives_its_recorded_answer(
    asked: Place, recorded: Recorded, at: Any, start: Start, model: FakeModel
) -> None:
    child = start(asked, at(ANSWERED), entry="asked:critic")
    last = child.end()
    assert (last["type"], last["nothing_to_run"]) == ("finished", True)
    assert last["result"] == recorded[2]["result"]
    assert model.requests == []


def test_the_program_is_not_asked_what_came_before(
    asked: Place, recorded: Recorded, at: Any, start: Start, model: FakeModel
) -> None:
    """The poet had answered: that is in the record, so it is not asked again."""
    _, keys, said = recorded
    child = start(asked, at(STARTED), script="asked.py")
    child.go(child.plan())
    assert child.end()["result"] == said["result"]
    assert model.keys == keys[1:]
    assert f"poem {said['poem']}" in child.log


def test_another_question_is_asked_anew(
    asked: Place, at: Any, start: Start, model: FakeModel
) -> None:
    edits = {"question": "Is it long?"}
    child = start(
        asked, at(ANSWERED), entry="asked:critic", action="fork", branch="b", inputs=edits
    )
    plan = child.plan()
    assert [one["rule"] for one in plan["items"]] == ["input-changed"]
    child.go(plan, inputs=edits)
    assert child.end()["type"] == "finished"
    assert ["Is it long?" in one.user for one in model.requests] == [True]


def test_another_agent_is_refused_with_what_differs(asked: Place, at: Any, start: Start) -> None:
    message = start(asked, at(STARTED), entry="asked:poet").end()
    assert message["reason"] == "agent-differs"
    assert "role: 'Critic' in the checkpoint, 'Poet' now" in message["differences"]
    several = start(asked, at(STARTED), entry="asked").end()
    assert several["differences"] == ["asked:poet", "asked:critic"]


def test_without_a_question_nothing_is_asked(asked: Place, start: Start) -> None:
    judged = next(one for one in of(asked, "Critic") if one.document["trigger"] == JUDGED)
    message = start(asked, judged, entry="asked:critic").end()
    assert message["reason"] == "no-question"
    assert "--script" in message["hint"]


def test_how_the_program_asks_is_found_in_its_text(
    asked: Place, at: Any, start: Start, model: FakeModel
) -> None:
    """An answer of a class is wanted by the kickoff, which no checkpoint tells."""
    program = asked.project / "asked.py"
    text = program.read_text("utf-8").replace(
        'poem.raw}").raw', 'poem.raw}", response_format=Verdict).raw'
    )
    program.write_text(text, encoding="utf-8")
    model.say("Judge this", '{"good": false}')
    child = start(asked, at(STARTED), entry="asked:critic")
    child.go(child.plan())
    assert child.end()["result"] == '{"good":false}'
