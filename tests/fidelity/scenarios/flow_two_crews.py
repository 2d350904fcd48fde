# mypy: ignore-errors
"""One method runs the same crew for two shops, and a model call between them."""

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
    return Crew(agents=[agent], tasks=tasks, checkpoint=checkpoint("task_completed"))


class Signs(Flow):
    @start()
    def make(self):
        first = painters().kickoff(inputs={"shop": "Bakery"})
        said = llm().call(f"what of {first.raw}")
        second = painters().kickoff(inputs={"shop": "Butcher"})
        return f"{said} and {second.raw}"

    @listen(make)
    def hang(self, signs):
        return llm().call(f"hang up {signs}")


target = Signs


def run():
    return Signs(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
