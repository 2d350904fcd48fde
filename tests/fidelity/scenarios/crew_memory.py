# mypy: ignore-errors
"""A memory: each task recalls what those before it have left there, and adds to it.

It is not set back to a checkpoint, so that only the newest ones of a run that failed are as
if nothing had happened.
"""

from _common import KEY, MODEL_URL, checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = None
FAULT = "Task: The gate"
ONLY = ["resume"]
FROM_DONE = 2

EMBEDDER = {
    "provider": "openai",
    "config": {"api_key": KEY, "api_base": MODEL_URL, "model_name": "text-embedding-3-small"},
}
guide = Agent(role="Guide", goal="Explain", backstory="Local", llm=llm())
target = Crew(
    name="tour",
    agents=[guide],
    tasks=[
        Task(name="house", description="The house", expected_output="text", agent=guide),
        Task(name="garden", description="The garden", expected_output="text", agent=guide),
        Task(name="gate", description="The gate", expected_output="text", agent=guide),
    ],
    memory=True,
    embedder=EMBEDDER,
    checkpoint=checkpoint("task_started", "task_completed", "task_failed", "crew_kickoff_failed"),
)

if __name__ == "__main__":
    print(target.kickoff().raw)
