# mypy: ignore-errors
"""Planning without inputs: the texts have no templates to be told by."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = None

guide = Agent(role="Guide", goal="Show", backstory="Local", llm=llm())
target = Crew(
    name="walk",
    agents=[guide],
    tasks=[
        Task(description="Go out", expected_output="a way", agent=guide),
        Task(description="Go home", expected_output="a way", agent=guide),
    ],
    planning=True,
    planning_llm=llm(),
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff().raw)
