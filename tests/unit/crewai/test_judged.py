"""What a model need not judge again."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.agents.judged import passed

GUARDRAIL = "It names a tree"


def events(**completed: Any) -> list[dict[str, Any]]:
    ended = {"success": True, "result": "An oak", "started_event_id": "s", **completed}
    return [
        {"type": "llm_guardrail_started", "event_id": "s", "guardrail": f" {GUARDRAIL}\n"},
        {"type": "llm_guardrail_completed", "event_id": "c", **ended},
    ]


def test_an_answer_that_a_guardrail_let_pass_is_known_with_it() -> None:
    assert passed(events()) == {(GUARDRAIL, "An oak")}


def test_its_name_tells_which_it_was_where_its_beginning_is_gone() -> None:
    named = {"guardrail_name": GUARDRAIL, "guardrail_type": "llm"}
    assert passed(events(**named)[1:]) == {(GUARDRAIL, "An oak")}
    assert passed(events(**{**named, "guardrail_type": "function"})[1:]) == frozenset()


def test_what_did_not_pass_is_judged_again() -> None:
    assert passed(events(success=False, result=None)) == frozenset()
    assert passed(events(success="true")) == frozenset()
    assert passed(events(result={"valid": True})) == frozenset()
    assert passed(events(started_event_id="another")) == frozenset()
