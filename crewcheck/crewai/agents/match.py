"""Whether the user's agent is the one of the checkpoint, and in what it is not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.crews.facts import endpoint_of, model_of
from crewcheck.model.agent import question_text
from crewcheck.model.crew import agent as saved_agent

_TEXTS = ("role", "goal", "backstory")
_WIDTH = 60


def differences(agent: Any, old: Mapping[str, Any]) -> list[str]:
    """What differs in the texts that a model is told who it is by, a line each.

    ``old`` is the agent as it was saved, or what an event says of it.
    """
    lines = []
    for field in _TEXTS:
        before, now = old.get(field), getattr(agent, field, None)
        if isinstance(before, str) and before != now:
            lines.append(f"{field}: {_cut(before)} in the checkpoint, {_cut(str(now))} now")
    return lines


def question_differs(before: Any, now: Any) -> list[str]:
    """What differs in what the agent is asked; nothing where that is not known."""
    if before is None or plain(before) == plain(now):
        return []
    was, asked = question_text(before), question_text(now)
    return [f"question: {_cut(was or '')} in the checkpoint, {_cut(asked or '')} in the program"]


def plain(question: Any) -> Any:
    """A question as far as JSON can tell."""
    return json.loads(json.dumps(question, default=str))


def warnings(agent: Any, old: Mapping[str, Any], where: str) -> list[dict[str, str]]:
    """What differs otherwise, and is the project's now."""
    before = saved_agent(old)
    found = []

    def warn(rule: str, message: str) -> None:
        found.append({"rule": rule, "where": where, "message": message})

    model, endpoint = model_of(agent), endpoint_of(agent)
    if before.model and model and before.model.rsplit("/", 1)[-1] != model.rsplit("/", 1)[-1]:
        warn("model-changed", f"it asks {model}; the checkpoint was made with {before.model}")
    if before.model and before.endpoint != endpoint:
        warn(
            "endpoint-changed",
            f"it asks at {endpoint or 'the usual address'}; the checkpoint was made with "
            f"{before.endpoint or 'the usual address'}",
        )
    if set(before.tools) != set(tool_names(agent)):
        warn("tools-changed", "its tools are not those of the checkpoint")
    if getattr(agent, "memory", None):
        warn("memory-ahead", "its memory may hold what it has learned since the checkpoint")
    return found


def tool_names(agent: Any) -> list[str]:
    """The tools that an agent has been given."""
    return [str(getattr(tool, "name", tool)) for tool in getattr(agent, "tools", None) or []]


def _cut(value: str) -> str:
    return repr(value[:_WIDTH]) + ("…" if len(value) > _WIDTH else "")
