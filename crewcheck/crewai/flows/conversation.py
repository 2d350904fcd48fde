"""A flow that talks with a person, turn by turn: one turn is one kickoff, and it alone has
the message that it answers."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.flows.saved import SavedFlow
from crewcheck.crewai.refusal import Refusal
from crewcheck.model.document import text


def is_conversation(flow: Any) -> bool:
    """Whether a flow is a conversation."""
    enabled = getattr(flow, "_is_conversational_enabled", None)
    return callable(enabled) and bool(enabled())


def check(flow: Any, saved: SavedFlow, *, by_program: bool) -> None:
    """Raises `Refusal` where there is no turn to go on with. ``by_program``: the user's own
    program kicks it off, with its message."""
    if not is_conversation(flow):
        return
    said = over = False
    for event in saved.events:
        kind = text(event.get("type"))
        if kind == "conversation_turn_started":
            said = over = False
        elif kind == "conversation_message_added":
            said = True
        elif kind in ("conversation_turn_completed", "conversation_turn_failed"):
            over = kind == "conversation_turn_completed"
    if over:
        raise Refusal(
            "turn-over",
            "the turn of the conversation that this checkpoint is of is over, and was answered",
            "go on with your next message, in your own program",
        )
    if not said and not by_program:
        raise Refusal(
            "turn-unknown",
            "the checkpoint was written before the conversation knew the message of this turn",
            "say it again in your own program, or go on from a later checkpoint",
        )
