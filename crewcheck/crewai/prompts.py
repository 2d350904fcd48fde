"""``input()`` of CrewAI and of the user's program becomes a question to the person.

The child has no terminal: the question goes out as a ``prompt``, and its answer comes back.
"""

from __future__ import annotations

import asyncio
import builtins
import itertools
import sys

from crewcheck.crewai.channel import Channel

_HUMAN = "Your feedback on the result above (empty: it is fine)"


def install(channel: Channel) -> None:
    """Take the place of `input`. To be called when CrewAI is imported."""
    numbers = itertools.count(1)

    def ask(prompt: object = "", /) -> str:
        sys.stdout.flush()
        own = str(prompt).strip()
        prompt_id = str(next(numbers))
        channel.send("prompt", id=prompt_id, message=own or _HUMAN, kind="human_input", task=None)
        return channel.answer(prompt_id)

    async def ask_async() -> str:
        return await asyncio.to_thread(ask)

    builtins.input = ask
    try:
        from crewai.core.providers import human_input
    except ImportError:
        return
    if hasattr(human_input, "_async_readline"):
        human_input._async_readline = ask_async
