# mypy: ignore-errors
"""A conditional task at the end that is skipped, and one after an asynchronous task."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.tasks.conditional_task import ConditionalTask

KIND = "crew"
INPUTS = {"name": "Bo"}
EDIT_INPUTS = {"name": "Di"}
EDIT_OUTPUT = {0: "URGENT by hand"}


def urgent(output):
    return "URGENT" in output.raw


def calm(output):
    return "URGENT" not in output.raw


nurse = Agent(role="Nurse", goal="Care", backstory="Quick", llm=llm())
look = Task(
    name="look",
    description="Look at {name}",
    expected_output="x",
    agent=nurse,
    async_execution=True,
)
wait = ConditionalTask(
    name="wait", description="Wait", expected_output="x", agent=nurse, condition=calm
)
note = Task(name="note", description="Note it", expected_output="x", agent=nurse)
call = ConditionalTask(
    name="call", description="Call", expected_output="x", agent=nurse, condition=urgent
)
target = Crew(name="ward", agents=[nurse], tasks=[look, wait, note, call], checkpoint=checkpoint())

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
