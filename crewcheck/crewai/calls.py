"""The model calls that had finished, as the events tell them.

What a call is known by is what was asked: the messages that were sent, or a digest of them
where the events come from a run of ours (`recorder`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crewcheck.model.document import mapping, objects, sequence, text

#: What a message is, as far as the model is concerned.
_PARTS = ("role", "content", "tool_call_id", "name")

#: Containers within containers in an event whose contents are still what they were.
_DEEPEST = 4

Plain = list[Any]


@dataclass(frozen=True)
class Call:
    """A finished call. ``response`` is a text, an object, or a list of tool calls; ``tools``
    are the names of those that the model was offered, None where that is not recorded."""

    asked: Plain
    digest: str | None
    response: Any
    tools: frozenset[str] | None = None

    def answers(self, wanted: Plain, tools: frozenset[str] = frozenset()) -> bool:
        """Whether these messages are what was asked, with these tools."""
        if self.tools is not None and self.tools != tools:
            return False
        if self.digest is not None:
            return self.digest == digest_of(wanted)
        # the recorded list may have grown by what came after the call
        rest = self.asked[len(wanted) :]
        return self.asked[: len(wanted)] == wanted and (not rest or self._begins(rest[0]))

    def _begins(self, message: Plain) -> bool:
        """Whether a message is how the conversation went on after this call."""
        role, content = message[:2]
        if isinstance(self.response, list):
            return bool(role == "assistant" and message[-1] == _functions(self.response))
        return bool(role == "assistant" and content == self.response)


def finished_calls(events: Iterable[Mapping[str, Any]]) -> list[Call]:
    """The calls among some events that can be answered from them, in their order."""
    asked: dict[str, Mapping[str, Any]] = {}
    calls = []
    for event in events:
        call_id = text(event.get("call_id")) or ""
        if event.get("type") == "llm_call_started":
            asked[call_id] = event
        elif event.get("type") == "llm_call_completed" and call_id in asked:
            began, response = asked[call_id], event.get("response")
            if _is_whole(event.get("call_type"), response):
                digest = text(began.get("asked"))
                tools = tool_names(began["tools"]) if "tools" in began else None
                calls.append(Call(plain(began.get("messages")), digest, response, tools))
    return calls


def tool_names(tools: Any) -> frozenset[str]:
    """The names of the tools that a model is offered."""
    return frozenset(
        str(mapping(one.get("function")).get("name") or one.get("name")) for one in objects(tools)
    )


def _is_whole(kind: object, response: object) -> bool:
    """Whether an event holds all that the model had said.

    A call that used its tools by itself is told with what the tool gave; and of some
    providers' tool calls more is needed than their names and arguments.
    """
    if _is_cut(response):
        return False
    if kind == "llm_call":
        return bool(response) and isinstance(response, (str, dict))
    if kind != "tool_call" or not isinstance(response, list) or not response:
        return False
    return all(_is_tool_call(one) for one in response)


def _is_tool_call(value: object) -> bool:
    """OpenAI's form, its other API's, or Anthropic's and Bedrock's."""
    call = mapping(value)
    function = mapping(call.get("function"))
    if function:
        return bool(text(function.get("name"))) and isinstance(function.get("arguments"), str)
    return bool(text(call.get("name"))) and ("arguments" in call or "input" in call)


def _is_cut(value: object, depth: int = 0) -> bool:
    """Whether CrewAI may have written something in it as Python would show it: so it does
    with what lies deeper than this."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(depth >= _DEEPEST or _is_cut(one, depth + 1) for one in inner)


def plain(messages: Any) -> Plain:
    """Messages by what a model is told."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return [
        [*(message.get(part) for part in _PARTS), _functions(message.get("tool_calls"))]
        for message in objects(messages)
    ]


def forms(messages: Any) -> list[Plain]:
    """Messages as they are sent, and as CrewAI has them in its events: what lies deep in
    them is written there as Python would show it."""
    found = [plain(messages)]
    try:
        from crewai.utilities.serialization import to_serializable
    except ImportError:
        return found
    told = plain(to_serializable(messages))
    return [*found, told] if told != found[0] else found


def _functions(calls: Any) -> Plain:
    functions = [mapping(one.get("function")) for one in objects(sequence(calls))]
    return [[one.get("name"), one.get("arguments")] for one in functions]


def digest_of(messages: Plain) -> str:
    """What stands for plain messages."""
    data = json.dumps(messages, sort_keys=True, default=str).encode()
    return hashlib.sha256(data).hexdigest()[:32]
