# mypy: ignore-errors
"""The crew in a method writes most of the checkpoints: the flow is in them all the same."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, listen, start

KIND = "flow"
INPUTS = {"shop": "Bakery"}


def painters():
    agent = Agent(role="Painter", goal="Paint", backstory="Colourful", llm=llm())
    names = ("Sketch", "Paint", "Frame")
    tasks = [
        Task(description=f"{name} the sign of {{shop}}", expected_output="a sign", agent=agent)
        for name in names
    ]
    return Crew(agents=[agent], tasks=tasks, checkpoint=checkpoint("task_completed"))


class Sign(Flow):
    @start()
    def make(self):
        return painters().kickoff(inputs={"shop": self.state["shop"]}).raw

    @listen(make)
    def hang(self, sign):
        return llm().call(f"hang up {sign}")


target = Sign


def run():
    return Sign(checkpoint=checkpoint("flow_finished")).kickoff(inputs=dict(INPUTS))


if __name__ == "__main__":
    print(run())
