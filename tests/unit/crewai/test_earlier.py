"""What a program's kickoffs before the checkpoint's are answered with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from crewcheck.crewai.agents import earlier as agents
from crewcheck.crewai.agents.saved import SavedAgent
from crewcheck.crewai.earlier import Earlier
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
    return found.find("agent", SimpleNamespace(**{**POET, "role": role}), {"messages": question})


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
