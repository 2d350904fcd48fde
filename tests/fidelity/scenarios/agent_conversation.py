# mypy: ignore-errors
"""An agent that is given a conversation, asynchronously."""

import asyncio

from _common import checkpoint, llm
from crewai import Agent

KIND = "agent"
MESSAGES = [
    {"role": "user", "content": "Which fish is blue?"},
    {"role": "assistant", "content": "The blue tang."},
    {"role": "user", "content": "And which one is red?"},
]

target = Agent(role="Diver", goal="Answer", backstory="Wet", llm=llm(), checkpoint=checkpoint())


def run():
    return asyncio.run(target.kickoff_async(MESSAGES))


if __name__ == "__main__":
    print(run().raw)
