# mypy: ignore-errors
"""An agent whose answer is an object of a class, looked at by a guardrail function."""

from _common import checkpoint, llm
from crewai import Agent
from pydantic import BaseModel

KIND = "agent"
EDIT_INPUTS = {"question": "Which book is blue?"}
QUESTION = "Which book is red?"


class Book(BaseModel):
    title: str
    pages: int


def has_title(output):
    return (bool(output.raw), output.raw)


target = Agent(
    role="Librarian",
    goal="Find books",
    backstory="Well read",
    llm=llm(),
    guardrail=has_title,
    checkpoint=checkpoint(),
)


def run():
    return target.kickoff(QUESTION, response_format=Book)


if __name__ == "__main__":
    print(run().raw)
