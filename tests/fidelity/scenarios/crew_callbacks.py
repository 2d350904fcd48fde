# mypy: ignore-errors
"""All callbacks there are: each says what it saw in a file, and three of them change it."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
RECORDED_RESULT = "the callbacks after the kickoff are called when all has been written"
INPUTS = {"word": "north"}
EDIT_INPUTS = {"word": "SOUTH"}  # as a callback before the kickoff has made it


def say(what):
    with open("callbacks.log", "a", encoding="utf-8") as file:
        file.write(what.replace("\n", " ")[:60] + "\n")


def before(inputs):
    say("before")
    return {**inputs, "word": inputs["word"].upper(), "more": "more"}


def after(result):
    say("after")
    result.raw += " AND AFTER"
    return result


def of_the_task(output):
    say(f"task {output.name}")


def of_the_crew(output):
    say(f"crew {output.name}")
    output.raw += "."


def of_a_step(step):
    say("step")


one = Agent(role="Caller", goal="Call", backstory="Loud", llm=llm())
target = Crew(
    name="calls",
    agents=[one],
    tasks=[
        Task(
            name="a", description="A {word}", expected_output="x", agent=one, callback=of_the_task
        ),
        Task(name="b", description="B {more}", expected_output="x", agent=one),
        Task(name="c", description="C", expected_output="x", agent=one, callback=of_the_task),
    ],
    before_kickoff_callbacks=[before],
    after_kickoff_callbacks=[after],
    task_callback=of_the_crew,
    step_callback=of_a_step,
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
