# mypy: ignore-errors
"""Tools that remember from task to task: in public fields, and what they make when it is first
needed."""

from _common import checkpoint, llm, used
from crewai import Agent, Crew, Task
from crewai.tools import BaseTool
from pydantic import Field, PrivateAttr

KIND = "crew"
INPUTS = {"fruit": "apples"}
EDIT_INPUTS = {"fruit": "plums"}
MAY_BE_REFUSED = {"fork+output": "tool-state"}


class Count(BaseTool):
    name: str = "count"
    description: str = "Count on by n"
    total: int = 0
    steps: list[str] = Field(default_factory=list)

    def _run(self, n: int) -> str:
        used("count")
        self.total += n
        self.steps.append(str(n))
        return f"{self.total} after {', '.join(self.steps)}"


class Look(BaseTool):
    name: str = "look"
    description: str = "Look a word up"
    max_usage_count: int = 2
    _book: object = PrivateAttr(default=None)
    _known: dict = PrivateAttr(default_factory=dict)

    def _run(self, word: str) -> str:
        used("look")
        if self._book is None:
            self._book = str.upper
        if word not in self._known:
            self._known[word] = self._book(word)
        return self._known[word]


clerk = Agent(role="Clerk", goal="Count", backstory="Tidy", llm=llm(), tools=[Count(), Look()])
other = Agent(role="Guest", goal="Help", backstory="Kind", llm=llm())
target = Crew(
    name="counting",
    agents=[clerk, other],
    tasks=[
        Task(
            name="first",
            description='Count {fruit} <<tool count {"n": 2}>><<tool look {"word": "a"}>>',
            expected_output="a number",
            agent=clerk,
        ),
        Task(
            name="second",
            description='Go on <<tool count {"n": 4}>><<tool look {"word": "b"}>>',
            expected_output="a number",
            agent=clerk,
        ),
        Task(
            name="third",
            description='To the end <<tool look {"word": "c"}>><<tool count {"n": 1}>>',
            expected_output="a number",
            agent=clerk,
        ),
        Task(name="last", description="Say it", expected_output="a word", agent=other),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
