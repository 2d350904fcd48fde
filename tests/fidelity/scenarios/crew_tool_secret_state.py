# mypy: ignore-errors
"""A tool that counts where no checkpoint sees it: refused once that would tell another number."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.tools import BaseTool
from pydantic import PrivateAttr

KIND = "crew"
INPUTS = {"fruit": "apples"}
MAY_BE_REFUSED = {"resume": "tool-state", "fork": "tool-state", "fork+output": "tool-state"}


class Count(BaseTool):
    name: str = "count"
    description: str = "Count on by n"
    _total: int = PrivateAttr(default=0)

    def _run(self, n: int) -> str:
        self._total += n
        return f"It is {self._total}"


clerk = Agent(role="Clerk", goal="Count", backstory="Tidy", llm=llm(), tools=[Count()])
target = Crew(
    name="hidden",
    agents=[clerk],
    tasks=[
        Task(
            name="first",
            description='Count {fruit} <<tool count {"n": 2}>>',
            expected_output="a number",
            agent=clerk,
        ),
        Task(
            name="second",
            description='Go on <<tool count {"n": 4}>>',
            expected_output="a number",
            agent=clerk,
        ),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
