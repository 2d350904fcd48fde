# mypy: ignore-errors
"""A checkpoint at the end of each task only: a run that is cut off is far beyond the newest."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.tools import BaseTool
from pydantic import BaseModel

KIND = "crew"
INPUTS = {"place": "harbour"}
EDIT_INPUTS = {"place": "station"}
FAULT = "Sum it up"


class Sum(BaseModel):
    total: int
    remark: str


class Count(BaseTool):
    name: str = "count"
    description: str = "Count things"

    def _run(self, what: str) -> str:
        with open("counted.log", "a", encoding="utf-8") as file:
            file.write(what + "\n")
        return f"{len(what)} {what}"


def plan(output):
    return True, output.raw


keeper = Agent(role="Keeper", goal="Keep count", backstory="Exact", llm=llm())
target = Crew(
    name="counts",
    agents=[keeper],
    tasks=[
        Task(
            name="look",
            description="Look at the {place}",
            expected_output="a list",
            agent=keeper,
            guardrail=plan,
        ),
        Task(
            name="count",
            description='Count <<tool count {"what": "boats"}>><<tool count {"what": "nets"}>>',
            expected_output="numbers",
            agent=keeper,
            tools=[Count()],
        ),
        Task(
            name="sum",
            description="Sum it up",
            expected_output="a sum",
            agent=keeper,
            output_pydantic=Sum,
        ),
        Task(
            name="tell",
            description='Tell it <<tool count {"what": "words"}>>',
            expected_output="a line",
            agent=keeper,
            tools=[Count()],
        ),
    ],
    checkpoint=checkpoint("task_completed", "crew_kickoff_started"),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
