# mypy: ignore-errors
"""An empty text is a result, too. The crew and its tasks have no names."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = None
EDIT_OUTPUT = {1: ""}


def nothing(output):
    return True, ""


mute = Agent(role="Mute", goal="Say little", backstory="Shy", llm=llm())
target = Crew(
    agents=[mute],
    tasks=[
        Task(description="First", expected_output="nothing", agent=mute, guardrail=nothing),
        Task(description="Second", expected_output="text", agent=mute),
        Task(description="Third", expected_output="text", agent=mute),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff().raw)
