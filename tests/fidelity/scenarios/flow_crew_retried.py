# mypy: ignore-errors
"""A method kicks the same kind of crew off until it does not fail; each asks the same."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, listen, start

KIND = "flow"
INPUTS = None


def painters(attempt):
    agent = Agent(role="Painter", goal="Paint", backstory="Colourful", llm=llm())

    def look(output):
        if attempt == 1:
            raise RuntimeError("the paint is wet")

    return Crew(
        agents=[agent],
        tasks=[
            Task(description="Sketch the sign", expected_output="a sketch", agent=agent),
            Task(description="Paint it", expected_output="a sign", agent=agent, callback=look),
            Task(description="Hang it up", expected_output="a report", agent=agent),
        ],
        checkpoint=checkpoint("task_started", "task_completed", "task_failed"),
    )


class Signs(Flow):
    @start()
    def make(self):
        for attempt in (1, 2):
            try:
                return painters(attempt).kickoff().raw
            except RuntimeError as error:
                llm().call(f"why did attempt {attempt} fail: {error}")

    @listen(make)
    def end(self, sign):
        return llm().call(f"pay for {sign}")


target = Signs


def run():
    return Signs(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
