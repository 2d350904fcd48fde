"""What a store holds the answers of, where agents were asked without a crew.

CrewAI begins an agent's record anew when its work is done: what is written afterwards lacks
what was said before. That is in the checkpoints before it, so it counts as recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.fake_model import Request
from tests.fidelity.answered import answered, events_of, owners, seconds_of

Document = Mapping[str, Any]
_ASKED = "lite_agent_execution_started"


def whole(documents: Sequence[Document]) -> list[dict[str, Any]]:
    """The documents of a run, each with all that was recorded until its newest event."""
    nodes: dict[str, Any] = {}
    for document in documents:
        nodes.update(document["event_record"]["nodes"])
    made: list[dict[str, Any]] = []
    for document in documents:
        until = max((one["timestamp"] for one in events_of(document)), default="")
        known = {key: one for key, one in nodes.items() if one["event"]["timestamp"] <= until}
        made.append({**document, "event_record": {"nodes": known}})
    return made


def answered_of_agent(
    requests: Sequence[Request], document: Document, last: Document, kickoff: str, finished: bool
) -> list[str]:
    """The keys of the requests that need not be made: those whose answers are recorded, those
    of what ran before the agent, and of a finished run all."""
    began = next(
        # 1.14.1 names no kickoff
        (seconds_of(one) for one in events_of(last) if one["event_id"] == kickoff),
        0.0,
    )
    before = [one.key for one in requests if finished or one.at < began]
    rest = [one for one in requests if not finished and one.at >= began]
    return before + answered(rest, owners(rest, [last]), document)
