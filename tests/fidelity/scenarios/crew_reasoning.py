# mypy: ignore-errors
"""An agent that reasons before it works, with a date, few iterations, and few requests."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = None
ASKED_AGAIN_OK = {"fork+output": "the plan for a task does not ask what the one before it gave"}

thinker = Agent(
    role="Thinker",
    goal="Think",
    backstory="Deep",
    llm=llm(),
    reasoning=True,
    max_reasoning_attempts=1,
    max_iter=5,
    respect_context_window=True,
)
target = Crew(
    name="school",
    agents=[thinker],
    tasks=[
        Task(name="a", description="First thought", expected_output="x", agent=thinker),
        Task(name="b", description="Second thought", expected_output="x", agent=thinker),
    ],
    max_rpm=1000,
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff().raw)
