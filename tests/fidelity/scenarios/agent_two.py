# mypy: ignore-errors
"""Two agents in a row, the second is told what the first has said; it alone is written."""

from _common import checkpoint, llm
from crewai import Agent

KIND = "agent"

first = Agent(role="Poet", goal="Rhyme", backstory="Shy", llm=llm())
target = Agent(role="Critic", goal="Judge", backstory="Stern", llm=llm(), checkpoint=checkpoint())


def run():
    poem = first.kickoff("Write about rain.")
    return target.kickoff(f"Judge this: {poem.raw}")


if __name__ == "__main__":
    print(run().raw)
