# mypy: ignore-errors
"""A crew that streams: its kickoff gives chunks, and runs while they are taken."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"river": "Elbe"}
EDIT_INPUTS = {"river": "Oder"}

one = Agent(role="Boatman", goal="Row", backstory="Wet", llm=llm())
target = Crew(
    name="boats",
    agents=[one],
    tasks=[
        Task(name="row", description="Row on the {river}", expected_output="x", agent=one),
        Task(name="rest", description="Rest", expected_output="x", agent=one),
        Task(name="land", description="Land", expected_output="x", agent=one),
    ],
    stream=True,
    checkpoint=checkpoint("task_started", "task_completed", "crew_kickoff_completed"),
)


def run():
    streaming = target.kickoff(inputs=dict(INPUTS))
    for _ in streaming:
        pass
    return streaming.result


if __name__ == "__main__":
    print(run().raw)
