# mypy: ignore-errors
"""Three tasks, one after the other, each given all that was before; inputs in roles, too."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"topic": "tides", "year": 2031}
EDIT_INPUTS = {"topic": "winds"}

scout = Agent(role="Scout of {topic}", goal="Find", backstory="Curious", llm=llm())
writer = Agent(role="Writer", goal="Write in {year}", backstory="Patient", llm=llm())
target = Crew(
    name="gazette",
    agents=[scout, writer],
    tasks=[
        Task(name="find", description="Find {topic}", expected_output="facts", agent=scout),
        Task(name="write", description="Write of it", expected_output="a page", agent=writer),
        Task(name="title", description="A title", expected_output="a line", agent=writer),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
