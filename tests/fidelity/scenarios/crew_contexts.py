# mypy: ignore-errors
"""Contexts that name some of the earlier tasks, and none."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"animal": "otter", "place": "pond"}
EDIT_INPUTS = {"place": "river"}
EDIT_OUTPUT = {1: "COUNTED seven, by hand"}

eye = Agent(role="Observer", goal="Observe", backstory="Sharp", llm=llm())
pen = Agent(role="Writer", goal="Write", backstory="Slow", llm=llm())
watch = Task(name="watch", description="Watch the {animal}", expected_output="notes", agent=eye)
count = Task(
    name="count",
    description="Count at the {place}",
    expected_output="number",
    agent=eye,
    context=[],
)
describe = Task(
    name="describe", description="Describe it", expected_output="text", agent=pen, context=[watch]
)
report = Task(
    name="report",
    description="Report",
    expected_output="text",
    agent=pen,
    context=[count, describe],
)
target = Crew(
    name="zoo",
    agents=[eye, pen],
    tasks=[watch, count, describe, report],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
