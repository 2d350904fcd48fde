# mypy: ignore-errors
"""The program awaits the crew, which is asynchronous all the way down."""

import asyncio

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"dish": "soup"}
EDIT_INPUTS = {"dish": "stew"}

cook = Agent(role="Cook", goal="Cook", backstory="Hot", llm=llm())
baker = Agent(role="Baker", goal="Bake", backstory="Warm", llm=llm())
boil = Task(
    name="boil", description="Boil {dish}", expected_output="x", agent=cook, async_execution=True
)
bake = Task(
    name="bake", description="Bake bread", expected_output="x", agent=baker, async_execution=True
)
serve = Task(
    name="serve", description="Serve", expected_output="x", agent=cook, context=[boil, bake]
)
wash = Task(name="wash", description="Wash up", expected_output="x", agent=cook)
target = Crew(
    name="meal", agents=[cook, baker], tasks=[boil, bake, serve, wash], checkpoint=checkpoint()
)


def run():
    return asyncio.run(target.akickoff(inputs=dict(INPUTS)))


if __name__ == "__main__":
    print(run().raw)
