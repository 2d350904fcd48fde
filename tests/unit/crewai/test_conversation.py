"""A conversation goes on within a turn, and only there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from crewcheck.crewai.flows.conversation import check
from crewcheck.crewai.refusal import Refusal
from tests.build import event
from tests.unit.crewai.test_flow_replay import saved

TALK = SimpleNamespace(_is_conversational_enabled=lambda: True)
TURN = ["turn_started", "message_added", "turn_completed"]


def refused(*kinds: str, by_program: bool = False) -> str | None:
    events = [event(number, f"conversation_{kind}") for number, kind in enumerate(kinds, 2)]
    try:
        check(TALK, saved(*events), by_program=by_program)
    except Refusal as refusal:
        return refusal.rule
    return None


def test_before_the_message_is_known() -> None:
    assert refused() == refused("turn_started") == refused(*TURN, "turn_started") == "turn-unknown"
    assert refused("turn_started", by_program=True) is None


def test_within_a_turn() -> None:
    assert refused("turn_started", "message_added") is None
    assert refused(*TURN, "turn_started", "message_added") is None


@pytest.mark.parametrize("by_program", [False, True])
def test_after_a_turn(by_program: bool) -> None:
    assert refused(*TURN, by_program=by_program) == "turn-over"


def test_another_flow_is_no_conversation() -> None:
    check(SimpleNamespace(), saved(), by_program=False)
    check(SimpleNamespace(_is_conversational_enabled=lambda: False), saved(), by_program=False)
