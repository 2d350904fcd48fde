# mypy: ignore-errors
"""The program awaits the crew, which runs in a thread."""

import asyncio

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"hill": "Brocken"}
EDIT_INPUTS = {"hill": "Wurmberg"}

one = Agent(role="Hiker", goal="Climb", backstory="Fit", llm=llm())
target = Crew(
    name="hike",
    agents=[one],
    tasks=[
        Task(name="up", description="Up the {hill}", expected_output="x", agent=one),
        Task(name="top", description="At the top", expected_output="x", agent=one),
        Task(name="down", description="Down again", expected_output="x", agent=one),
    ],
    checkpoint=checkpoint(),
)


def run():
    return asyncio.run(target.kickoff_async(inputs=dict(INPUTS)))


if __name__ == "__main__":
    print(run().raw)
