# mypy: ignore-errors
"""A person is asked about two of three tasks."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = None
ANSWERS = ["", ""]

poet = Agent(role="Poet", goal="Rhyme", backstory="Vain", llm=llm())
target = Crew(
    name="poem",
    agents=[poet],
    tasks=[
        Task(name="a", description="Line A", expected_output="x", agent=poet, human_input=True),
        Task(name="b", description="Line B", expected_output="x", agent=poet),
        Task(name="c", description="Line C", expected_output="x", agent=poet, human_input=True),
    ],
    checkpoint=checkpoint("task_started", "task_completed"),
)

if __name__ == "__main__":
    print(target.kickoff().raw)
