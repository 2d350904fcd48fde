# mypy: ignore-errors
"""An agent that is asked something, without a crew."""

from _common import checkpoint, llm
from crewai import Agent

KIND = "agent"
QUESTION = "Which book is blue?"

target = Agent(
    role="Librarian", goal="Answer", backstory="Well read", llm=llm(), checkpoint=checkpoint()
)

if __name__ == "__main__":
    print(target.kickoff(QUESTION).raw)
