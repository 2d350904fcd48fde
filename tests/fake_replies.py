"""What the model for tests says, and how a text of a prompt can steer it.

A directive is in the last user message; several of them, and tools in their order:

    <<tool NAME {"arg": 1}>>   call that tool, then go on
    <<say TEXT>>               say exactly TEXT
    <<empty>>                  say nothing
    <<sleep SECONDS>>          wait before the answer
    <<choose VALUE>>           where a schema has an enum, take VALUE
    <<items N>>                put N items into each list of a schema

A tool is called natively where the request offers it, else as ``Action:``. Where a schema
is asked for, the answer is made of it. Anything else is ``ANSWER-KEY for: TASK``, with the
key of the request.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_DIRECTIVE = re.compile(r"<<(tool|say|empty|sleep|choose|items)\b ?(.*?)>>", re.DOTALL)

Json = dict[str, Any]


@dataclass
class Reply:
    """What is said, after ``seconds``."""

    content: str | None = None
    tool_calls: list[Json] = field(default_factory=list)
    seconds: float = 0.0


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, whatever its content's form."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def key_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """A short name for a list of messages: a hash of their roles, texts and tool calls."""
    plain: list[Any] = []
    for one in messages:
        calls = [call.get("function") or {} for call in one.get("tool_calls") or []]
        made = [[call.get("name"), call.get("arguments")] for call in calls]
        plain.append([one.get("role"), text_of(one), *([made] if made else [])])
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:8]


def reply_to(body: Json, key: str) -> Reply:
    """The reply to a request of the chat API."""
    messages = body.get("messages") or []
    place = _steered(messages)
    user, after = text_of(messages[place]) if place >= 0 else "", messages[place + 1 :]
    found = [(one[1], one[2].strip()) for one in _DIRECTIVE.finditer(user)]
    said = dict(found)
    reply = Reply(seconds=float(said.get("sleep") or 0))
    offered = {(one.get("function") or {}).get("name"): one for one in body.get("tools") or []}
    how = _How(key, said.get("choose"), int(said.get("items") or 1))
    forced = body.get("tool_choice")
    if isinstance(forced, dict) and forced.get("function", {}).get("name") in offered:
        name = forced["function"]["name"]
        schema = offered[name]["function"].get("parameters") or {}
        reply.tool_calls = [_call(key, name, json.dumps(how.value(schema, schema, name)))]
        return reply
    wanted = [value for kind, value in found if kind == "tool"][_called(after) :]
    if wanted:
        name, _, arguments = wanted[0].partition(" ")
        arguments = arguments.strip() or "{}"
        if name in offered:
            reply.tool_calls = [_call(key, name, arguments)]
            return reply
        if "Action Input:" in "".join(map(text_of, messages[:2])):
            reply.content = f"Thought: use it\nAction: {name}\nAction Input: {arguments}\n"
            return reply
    reply.content = _plain(body, key, user, said, how)
    whole = "".join(map(text_of, messages[:2]))
    if "Final Answer:" in whole and not offered and not body.get("response_format"):
        reply.content = f"Thought: I now can give a great answer\nFinal Answer: {reply.content}"
    return reply


def _plain(body: Json, key: str, user: str, said: Mapping[str, str], how: _How) -> str:
    if "empty" in said:
        return ""
    if "say" in said:
        return said["say"]
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        schema = (wanted.get("json_schema") or {}).get("schema") or {}
        return json.dumps(how.value(schema, schema, "value"))
    if wanted.get("type") == "json_object":
        return json.dumps({"answer": f"ANSWER-{key}"})
    task = _DIRECTIVE.sub("", user.partition("Current Task:")[2] or user)
    return f"ANSWER-{key} for: {' '.join(task.split())[:40]}"


def _steered(messages: Sequence[Mapping[str, Any]]) -> int:
    """The place of the user's message that is answered: the last one, or the one whose
    tools are being used (CrewAI asks in between to look at what they gave)."""
    users = [place for place, one in enumerate(messages) if one.get("role") == "user"]
    if not users:
        return -1
    for place in reversed(users):
        if "<<tool" in text_of(messages[place]) and _called(messages[place + 1 :]):
            return place
    return users[-1]


def _called(after: Sequence[Mapping[str, Any]]) -> int:
    """How many tools were called in some messages."""
    native = sum(len(one.get("tool_calls") or []) for one in after)
    return native + sum(
        text_of(one).count("Action Input:") for one in after if one.get("role") == "assistant"
    )


def _call(key: str, name: str, arguments: str) -> Json:
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{key}", "type": "function", "function": function}


@dataclass(frozen=True)
class _How:
    """Values that fit a schema: always the same for the same request."""

    key: str
    choose: str | None
    items: int

    def value(self, schema: Json, root: Json, name: str) -> Any:
        if "$ref" in schema:
            at: Any = root
            for part in schema["$ref"].lstrip("#/").split("/"):
                at = at.get(part, {})
            return self.value(at, root, name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.choose if self.choose in schema["enum"] else schema["enum"][0]
        for word in ("anyOf", "oneOf", "allOf"):
            real = [one for one in schema.get(word) or [] if one.get("type") != "null"]
            if real:
                return self.value(real[0], root, name)
        kind = schema.get("type")
        number = int(hashlib.sha256(f"{self.key}/{name}".encode()).hexdigest()[:4], 16)
        if kind == "object" or "properties" in schema:
            parts = schema.get("properties") or {}
            return {part: self.value(one, root, f"{name}.{part}") for part, one in parts.items()}
        if kind == "array":
            one = schema.get("items") or {}
            return [self.value(one, root, f"{name}.{place}") for place in range(self.items)]
        if kind in ("integer", "number"):
            low = schema.get("minimum", 1)
            return low + number % int(schema.get("maximum", low + 8) - low + 1)
        if kind == "boolean":
            return True
        return None if kind == "null" else f"{name.rpartition('.')[2]}-{number:04x}"


def vector_of(text: str, size: int = 64) -> list[float]:
    """An embedding: numbers that only equal texts have in common."""
    digest = b"".join(hashlib.sha256(f"{n}:{text}".encode()).digest() for n in range(size // 32))
    return [(byte - 127.5) / 127.5 for byte in digest]
