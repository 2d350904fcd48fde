"""What a program's kickoffs before the checkpoint's are answered with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from crewcheck.crewai.agents import earlier as agents
from crewcheck.crewai.agents.saved import SavedAgent
from crewcheck.crewai.crews import earlier as crews
from crewcheck.crewai.crews import match
from crewcheck.crewai.earlier import Earlier
from crewcheck.crewai.refusal import Refusal
from tests.build import document, event

POET = {"role": "Poet", "goal": "Rhyme", "backstory": "Shy"}


def asked(key: str, question: str, answer: str | None, at: int = 1) -> list[dict[str, Any]]:
    opening = event(at, "lite_agent_execution_started", event_id=key, messages=question)
    if answer is None:
        return [opening]
    ended = {"started_event_id": key, "output": answer, "agent_info": POET}
    return [opening, event(at + 1, "lite_agent_execution_completed", **ended)]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "result", lambda agent, one, _: one.answer)


def of(*events: dict[str, Any], before: Any = ()) -> Earlier:
    entity = {"entity_type": "agent", **POET, "checkpoint_kickoff_event_id": "own"}
    made = document(entity, events=list(events))
    return Earlier(SavedAgent(made, "c1", list(events), entity), before)


def ask(found: Earlier, question: str, role: str = "Poet") -> Any:
    gave = found.find("agent", SimpleNamespace(**{**POET, "role": role}), {"messages": question})
    return None if gave is None else gave[0]


def test_each_kickoff_is_given_once_and_the_checkpoints_own_is_not(given: None) -> None:
    own = asked("own", "Third?", None, at=5)
    others = [
        document(events=asked("a", "First?", "1")),
        document(events=asked("b", "Second?", "2")),
    ]
    found = of(*asked("b", "Second?", "2", at=3), *own, before=others)
    assert ask(found, "First?", "Critic") is None
    assert [ask(found, one) for one in ("First?", "Second?", "Second?", "Third?")] == [
        "1",
        "2",
        None,
        None,
    ]
    assert found.answered == ["Poet", "Poet"]


def test_what_an_agent_asked_within_another_is_no_kickoff_of_the_program(given: None) -> None:
    inner = asked("inner", "Really?", "yes")
    inner[0]["parent_event_id"] = "own"
    found = of(*inner, *asked("own", "What?", None, at=5))
    assert ask(found, "Really?") is None


def test_the_same_question_with_other_answers_is_in_no_known_order(given: None) -> None:
    twice = [document(events=asked("a", "More?", "2")), document(events=asked("b", "More?", "1"))]
    found = of(before=twice)
    assert ask(found, "More?") == "2"
    with pytest.raises(Refusal, match="the same kickoff several times"):
        ask(found, "More?")
    for one in twice[1]["event_record"]["nodes"].values():
        one["event"]["output"] = "2"
    assert [ask(of(before=twice), "More?") for _ in range(2)] == ["2", "2"]


def test_an_answer_of_nothing_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "result", lambda agent, one, _: None)
    found = of(before=[document(events=asked("a", "First?", "1"))])
    assert found.find("agent", SimpleNamespace(**POET), {"messages": "First?"}) == (None,)


def fits(monkeypatch: pytest.MonkeyPatch, given: Any, *saved: Any) -> list[int]:
    """Which of some recorded inputs a kickoff of a crew with callbacks can be."""
    monkeypatch.setattr(crews, "pair", lambda crew, saved: None)
    monkeypatch.setattr(match, "compare", lambda crew, saved, paired: [])
    crew = SimpleNamespace(before_kickoff_callbacks=[print])
    known: Any = [SimpleNamespace(inputs=one) for one in saved]
    found = crews.fitting(crew, known, given)
    return [at for at, one in enumerate(known) if any(one is other for other in found)]


def test_a_crew_whose_callbacks_add_inputs_is_told_by_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    south, north = {"word": "south", "day": 1}, {"word": "north", "day": 1}
    assert fits(monkeypatch, {"word": "north"}, south, north) == [1]
    assert fits(monkeypatch, {"word": "west"}, south, north) == []
    # all that was given is something else now: it can only be the one that there is
    assert fits(monkeypatch, {"word": "SOUTH"}, south, dict(south)) == [0, 1]
    assert fits(monkeypatch, None, south) == [0]


def test_events_whose_ids_are_no_texts_are_of_no_kickoff(given: None) -> None:
    odd = asked("a", "First?", "1")
    odd[1]["started_event_id"] = ["a"]
    found = of(*odd, *asked("own", "What?", None, at=5), before=[document(events=odd)])
    assert ask(found, "Next?") is None


def test_a_damaged_crew_of_an_earlier_run_is_passed_over() -> None:
    damaged = document({"entity_type": "crew", "tasks": True})
    crew = SimpleNamespace(before_kickoff_callbacks=[])
    assert of(before=[damaged]).find("crew", crew, {}) is None
