# mypy: ignore-errors
"""A method runs a crew of two; it is gone on with half-way, too."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, listen, start

KIND = "flow"
INPUTS = None


def painters():
    agent = Agent(role="Painter", goal="Paint", backstory="Colourful", llm=llm())
    names = ("Sketch", "Paint")
    tasks = [
        Task(description=f"{name} the sign of {{shop}}", expected_output="a sign", agent=agent)
        for name in names
    ]
    return Crew(name="painters", agents=[agent], tasks=tasks, checkpoint=checkpoint())


class Sign(Flow):
    @start()
    def order(self):
        self.state["shop"] = "Bakery"
        return llm().call("take the order")

    @listen(order)
    def make(self):
        made = painters().kickoff(inputs={"shop": self.state["shop"]})
        self.state["sign"] = made.raw
        return made

    @listen(make)
    def hang(self, made):
        return llm().call(f"hang up {made.raw}")


target = Sign


def run():
    return Sign(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
