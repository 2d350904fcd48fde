# mypy: ignore-errors
"""A manager's answer is made an object by another call, which a condition looks at; a guardrail
gives another text."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Process, Task
from crewai.tasks.conditional_task import ConditionalTask
from pydantic import BaseModel

KIND = "crew"
INPUTS = {"drink": "tea"}
EDIT_INPUTS = {"drink": "rum"}
EDIT_OUTPUT = {0: '{"title": "By hand", "steps": ["one", "two"]}'}


class Plan(BaseModel):
    title: str
    steps: list[str]


def is_long(output):
    return len(output.pydantic.steps) > 1


def loud(output):
    return True, output.raw.upper()


maker = Agent(role="Maker of {drink}", goal="Make", backstory="Calm", llm=llm())
taster = Agent(role="Taster", goal="Taste", backstory="Fine", llm=llm())
target = Crew(
    name="bar",
    agents=[maker, taster],
    tasks=[
        Task(
            name="plan",
            description="Plan the {drink}",
            expected_output="a plan",
            output_pydantic=Plan,
        ),
        ConditionalTask(
            name="more",
            description="More steps",
            expected_output="steps",
            condition=is_long,
            agent=maker,
        ),
        Task(name="taste", description="Taste", expected_output="x", guardrail=loud, agent=taster),
    ],
    process=Process.hierarchical,
    manager_llm=llm(),
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
