"""``input()`` of CrewAI and of the user's program becomes a question to the person.

The child has no terminal: the question goes out as a ``prompt``, and its answer comes back.
"""

from __future__ import annotations

import asyncio
import builtins
import itertools
import sys
from contextvars import ContextVar
from typing import Any

from crewcheck.crewai.channel import Channel

_HUMAN = "Your feedback on the result above (empty: it is fine)"

#: What the next question here is about: fields of its ``prompt``, which CrewAI prints or
#: tells by an event before it asks.
about: ContextVar[dict[str, Any] | None] = ContextVar("what a question is about", default=None)

_numbers = itertools.count(1)
_channels: list[Channel] = []


def ask(message: str, **fields: Any) -> str:
    """Ask the person. Raises `EOFError` where nobody is there."""
    prompt_id = str(next(_numbers))
    told = {"kind": "human_input", "task": None, **fields}
    _channels[0].send("prompt", id=prompt_id, message=message, **told)
    return _channels[0].answer(prompt_id)


def install(channel: Channel) -> None:
    """Take the place of `input`. To be called when CrewAI is imported."""
    _channels[:] = [channel]

    def ask_for_input(prompt: object = "", /) -> str:
        sys.stdout.flush()
        fields = dict(about.get() or {})
        about.set(None)
        own = fields.pop("message", None) or str(prompt).strip()
        return ask(own or _HUMAN, **fields)

    async def ask_async() -> str:
        return await asyncio.to_thread(ask_for_input)

    builtins.input = ask_for_input
    try:
        from crewai.core.providers import human_input
    except ImportError:
        return
    if hasattr(human_input, "_async_readline"):
        human_input._async_readline = ask_async
