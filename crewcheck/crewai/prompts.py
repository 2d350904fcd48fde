"""``input()`` of CrewAI and of the user's program becomes a question to the person.

The child has no terminal: the question goes out as a ``prompt``, and its answer comes back.
What it is about, CrewAI prints to the screen only; it is read from the calls that lead here.
"""

from __future__ import annotations

import asyncio
import builtins
import itertools
import json
import sys
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from types import FrameType
from typing import Any

from crewcheck.crewai.channel import Channel

_HUMAN = "Your feedback on this result (empty: it is fine)"
#: What CrewAI's own prompts say, of no use without what it prints above them.
_OWN = frozenset({"", "Your feedback:", ">>>"})
_DEEPEST = 200

#: What the next question here is about: fields of its ``prompt``, which CrewAI prints or
#: tells by an event before it asks.
about: ContextVar[dict[str, Any] | None] = ContextVar("what a question is about", default=None)

_numbers = itertools.count(1)
_channels: list[Channel] = []
#: How many questions are asked before the answers that were given beforehand are used up.
_prepared = 0


def ask(message: str, fields: Mapping[str, Any]) -> str:
    """Ask the person; ``fields`` are what it is about. Raises `EOFError` where nobody is there."""
    global _prepared
    prompt_id = str(next(_numbers))
    _prepared = max(0, _prepared - 1)
    told = {"kind": "human_input", "task": None, "agent": None, "output": None, **fields}
    _channels[0].send("prompt", id=prompt_id, message=message, **told)
    return _channels[0].answer(prompt_id)


def has_answer() -> bool:
    """Whether an answer that was given beforehand is left for the next question."""
    return _prepared > 0


def install(channel: Channel, prepared: int = 0) -> None:
    """Take the place of `input`. To be called when CrewAI is imported; ``prepared`` is how many
    answers were given beforehand."""
    global _prepared
    _channels[:] = [channel]
    _prepared = prepared

    def ask_for_input(prompt: object = "", /) -> str:
        sys.stdout.flush()
        return ask(*_question(str(prompt).strip(), sys._getframe(1)))

    async def ask_async() -> str:
        sys.stdout.flush()
        return await asyncio.to_thread(ask, *_question("", sys._getframe(1)))

    builtins.input = ask_for_input
    try:
        from crewai.core.providers import human_input
    except ImportError:
        return
    if hasattr(human_input, "_async_readline"):
        human_input._async_readline = ask_async


def _question(own: str, frame: FrameType | None) -> tuple[str, dict[str, Any]]:
    """What is asked, and what it is about; ``own``: what `input` was given."""
    fields = {**_about(frame), **(about.get() or {})}
    about.set(None)
    message = fields.pop("message", None)
    return str(message or _HUMAN) if own in _OWN else own, fields


def _about(frame: FrameType | None) -> dict[str, Any]:
    """What a question of CrewAI's is about, and its ``message``, as far as its calls tell."""
    for values in _calls_of_crewai(frame):
        context: Any = values.get("context")
        answer = values.get("answer", values.get("formatted_answer"))
        if answer is not None and hasattr(context, "task"):
            task, agent = context.task, getattr(context, "agent", None)
            return {
                "task": _one(getattr(task, "name", None) or getattr(task, "description", None)),
                "agent": _one(getattr(agent, "role", None)),
                "output": _text(getattr(answer, "output", None)),
            }
        if hasattr(context, "method_output"):
            return _feedback(vars(context), context.method_output)
        if "method_name" in values and "output" in values and "message" in values:
            return _feedback(values, values["output"])
        if isinstance(values.get("message"), str):
            return {"message": values["message"]}
    return {}


def _feedback(values: Mapping[str, Any], output: Any) -> dict[str, Any]:
    """A flow's question about what one of its methods gave."""
    return {
        "kind": "human_feedback",
        "method": _one(values.get("method_name")),
        "output": _text(output),
        "outcomes": [str(one) for one in values.get("emit") or ()],
        "message": _one(values.get("message")),
    }


def _calls_of_crewai(frame: FrameType | None) -> Iterator[dict[str, Any]]:
    """The local names of CrewAI's calls that lead here without any others between."""
    for _ in range(_DEEPEST):
        if frame is None:
            return
        module = str(frame.f_globals.get("__name__", ""))
        if module != "crewai" and not module.startswith("crewai."):
            return
        yield frame.f_locals
        frame = frame.f_back


def _one(value: Any) -> str | None:
    return str(value) if value else None


def _text(value: Any) -> str | None:
    """A result as text: what is none as JSON, if it can be that."""
    if value is None or isinstance(value, str):
        return value
    dump = getattr(value, "model_dump_json", None)
    if callable(dump):
        return str(dump())
    try:
        return json.dumps(value, ensure_ascii=False, indent=1)
    except (TypeError, ValueError):
        return str(value)
