# mypy: ignore-errors
"""A crew whose second task asks a person, and a flow that does; both fail at a word."""

import os
import sys

from crewai import LLM, Agent, CheckpointConfig, Crew, Task
from crewai.flow.flow import Flow, listen, start
from crewai.flow.human_feedback import human_feedback

MODEL = LLM(model="openai/gpt-4o-mini", base_url=os.environ["MODEL_URL"], api_key="sk-fake")
pen = Agent(role="Writer", goal="Write", backstory="Patient", llm=MODEL)
STEPS = CheckpointConfig(on_events=["task_started", "task_completed", "method_execution_finished"])

crew = Crew(
    name="desk",
    agents=[pen],
    tasks=[
        Task(name="notes", description="Take notes", expected_output="text", agent=pen),
        Task(
            name="draft",
            description="Draft a letter",
            expected_output="letter",
            agent=pen,
            human_input=True,
        ),
        Task(name="send", description="Send the letter", expected_output="text", agent=pen),
    ],
    checkpoint=STEPS,
)


class Review(Flow):
    @start()
    def write(self):
        return MODEL.call("write a page")

    @human_feedback(message="Is the page fine?")
    @listen(write)
    def check(self, page):
        return f"to be judged: {page}"


if __name__ == "__main__":
    if "flow" in sys.argv:
        print("result", Review(checkpoint=STEPS).kickoff())
    elif "async" in sys.argv:
        import asyncio

        print("result", asyncio.run(crew.akickoff()).raw)
    else:
        print("result", crew.kickoff().raw)
