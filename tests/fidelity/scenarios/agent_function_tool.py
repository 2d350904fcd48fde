# mypy: ignore-errors
"""An agent with a tool made of a function, of which CrewAI alone would write nothing."""

from _common import checkpoint, llm
from crewai import Agent
from crewai.tools import tool

KIND = "agent"
QUESTION = 'How long is the word? <<tool length {"word": "otter"}>>'


@tool("length")
def length(word: str) -> str:
    """The length of a word."""
    return str(len(word))


target = Agent(
    role="Counter",
    goal="Count letters",
    backstory="Exact",
    llm=llm(),
    tools=[length],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(QUESTION).raw)
