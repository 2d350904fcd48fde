# mypy: ignore-errors
"""The last task is asynchronous, as is one in the middle that sees only what is before it."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"song": "one"}
EDIT_INPUTS = {"song": "two"}
EDIT_OUTPUT = {1: "HUMMED by hand"}

singer = Agent(role="Singer", goal="Sing", backstory="Shrill", llm=llm())
chorus = Agent(role="Chorus", goal="Hum", backstory="Low", llm=llm())
target = Crew(
    name="choir",
    agents=[singer, chorus],
    tasks=[
        Task(name="a", description="Sing {song}", expected_output="x", agent=singer),
        Task(name="b", description="Hum", expected_output="x", agent=chorus, async_execution=True),
        Task(name="c", description="Clap", expected_output="x", agent=singer),
        Task(name="d", description="Bow", expected_output="x", agent=chorus, async_execution=True),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
