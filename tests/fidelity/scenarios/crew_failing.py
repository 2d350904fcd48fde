# mypy: ignore-errors
"""The model refuses the second task, and the run ends there."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"topic": "bridges"}
EDIT_INPUTS = {"topic": "tunnels"}
FAULT = "Draft about"

one = Agent(role="Researcher", goal="Find facts", backstory="Curious", llm=llm())
two = Agent(role="Writer", goal="Write", backstory="Patient", llm=llm())
target = Crew(
    name="press",
    agents=[one, two],
    tasks=[
        Task(name="facts", description="Facts of {topic}", expected_output="facts", agent=one),
        Task(name="draft", description="Draft about {topic}", expected_output="page", agent=two),
        Task(name="title", description="A title", expected_output="title", agent=one),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
