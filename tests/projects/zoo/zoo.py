# mypy: ignore-errors
"""A user's project: explicit contexts, inputs in tasks and agents, checkpoints often."""

import os
import sys
import time

from crewai import LLM, Agent, CheckpointConfig, Crew, Task

MODEL = LLM(model="openai/gpt-4o-mini", base_url=os.environ["MODEL_URL"], api_key="sk-fake")

eye = Agent(role="Observer of {animal}s", goal="Observe", backstory="Sharp", llm=MODEL)
pen = Agent(role="Writer", goal="Write in {year}", backstory="Patient", llm=MODEL)


def careful(output):
    """Leaves time for a checkpoint between the model's answer and the task's end."""
    time.sleep(float(os.environ.get("ZOO_SECONDS", "0")))
    return True, output.raw


first = Task(name="watch", description="Watch the {animal}", expected_output="notes", agent=eye)
second = Task(
    name="count",
    description="Count to {number}",
    expected_output="number",
    agent=pen,
    context=[],
    guardrail=careful,
)
third = Task(
    name="describe", description="Describe it", expected_output="text", agent=pen, context=[first]
)
fourth = Task(
    name="report",
    description="Report on all",
    expected_output="text",
    agent=pen,
    context=[second, third],
)
EVENTS = os.environ.get("ZOO_EVENTS", "task_started task_completed crew_kickoff_completed")
crew = Crew(
    name="zoo",
    agents=[eye, pen],
    tasks=[first, second, third, fourth],
    checkpoint=CheckpointConfig(on_events=EVENTS.split()),
)
INPUTS = {"animal": "otter", "year": 2031, "number": 3}

if __name__ == "__main__":
    print("before the kickoff")
    if "other" in sys.argv:
        one = Task(description="Something else", expected_output="text", agent=pen)
        Crew(agents=[pen], tasks=[one]).kickoff()
    if "asks" in sys.argv:
        print("heard", input("Your name? "))
    if "places" in sys.argv:
        print("result", crew.kickoff(dict(INPUTS), None, None).raw)
    elif "never" not in sys.argv:
        print("result", crew.kickoff(inputs=dict(INPUTS)).raw)
    print("after the kickoff")
