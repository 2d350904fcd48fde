# mypy: ignore-errors
"""Two agents of one role, told apart by their goals only; their tasks alternate."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = None
EDIT_OUTPUT = {0: "FIRST LEG by hand"}

north = Agent(role="Runner", goal="Run north", backstory="Tall", llm=llm())
south = Agent(role="Runner", goal="Run south", backstory="Short", llm=llm())
target = Crew(
    name="relay",
    agents=[north, south],
    tasks=[
        Task(description="First leg", expected_output="a time", agent=north),
        Task(description="Second leg", expected_output="a time", agent=south),
        Task(description="Third leg", expected_output="a time", agent=south),
        Task(description="Fourth leg", expected_output="a time", agent=north),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff().raw)
