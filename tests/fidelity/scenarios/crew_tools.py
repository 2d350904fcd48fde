# mypy: ignore-errors
"""Tool classes, one with a field of its own, used several times in a task."""

from _common import checkpoint, llm, used
from crewai import Agent, Crew, Task
from crewai.tools import BaseTool
from pydantic import BaseModel

KIND = "crew"
INPUTS = {"fruit": "pears"}
EDIT_INPUTS = {"fruit": "figs"}


class Two(BaseModel):
    a: int
    b: int


class Multiply(BaseTool):
    name: str = "multiply"
    description: str = "Multiply two integers"
    args_schema: type[BaseModel] = Two
    unit: str = "apples"

    def _run(self, a: int, b: int) -> str:
        used("multiply")
        return f"{a * b} {self.unit}"


class Shout(BaseTool):
    name: str = "shout"
    description: str = "Say a word in capitals"

    def _run(self, word: str) -> str:
        used("shout")
        return word.upper()


clerk = Agent(
    role="Clerk", goal="Count", backstory="Tidy", llm=llm(), tools=[Multiply(unit="pieces")]
)
crier = Agent(role="Crier", goal="Announce", backstory="Loud", llm=llm())
target = Crew(
    name="stall",
    agents=[clerk, crier],
    tasks=[
        Task(
            name="count",
            description='Count the {fruit} <<tool multiply {"a": 6, "b": 7}>>',
            expected_output="a number",
            agent=clerk,
        ),
        Task(
            name="add",
            description='Add <<tool multiply {"a": 2, "b": 3}>><<tool multiply {"a": 4, "b": 5}>>',
            expected_output="a number",
            agent=clerk,
        ),
        Task(
            name="cry",
            description='Cry it out <<tool shout {"word": "sold"}>>',
            expected_output="a word",
            agent=crier,
            tools=[Shout()],
        ),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
