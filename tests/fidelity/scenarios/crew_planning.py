# mypy: ignore-errors
"""The crew plans first: what the planner says is added to the tasks' texts."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"city": "Oslo"}
EDIT_INPUTS = {"city": "Bergen"}
EDIT_OUTPUT = {0: "SIGHTS by hand"}

guide = Agent(role="Guide", goal="Show", backstory="Local", llm=llm())
target = Crew(
    name="trip",
    agents=[guide],
    tasks=[
        Task(name="see", description="See {city}", expected_output="sights", agent=guide),
        Task(name="eat", description="Eat well <<items 3>>", expected_output="food", agent=guide),
        Task(name="rest", description="Rest", expected_output="a hotel", agent=guide),
    ],
    planning=True,
    planning_llm=llm(),
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
