# mypy: ignore-errors
"""A method runs a crew whose agent calls a tool: what it gave is not made again."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, listen, start
from crewai.tools import BaseTool

KIND = "flow"
INPUTS = None


class Scales(BaseTool):
    name: str = "scales"
    description: str = "Weighs a thing."

    def _run(self, thing: str) -> str:
        with open("weighed.txt", "a", encoding="utf-8") as file:
            file.write(f"{thing}\n")
        return f"{thing} weighs {3 * len(thing)}"


def weighers():
    agent = Agent(role="Weigher", goal="Weigh", backstory="Exact", llm=llm(), tools=[Scales()])
    text = 'Weigh it <<tool scales {"thing": "a stone"}>>'
    task = Task(description=text, expected_output="a weight", agent=agent)
    last = Task(description="Say it again", expected_output="a weight", agent=agent)
    return Crew(agents=[agent], tasks=[task, last], checkpoint=checkpoint())


class Market(Flow):
    @start()
    def weigh(self):
        return weighers().kickoff().raw

    @listen(weigh)
    def sell(self, weight):
        return llm().call(f"sell it: {weight}")


target = Market


def run():
    return Market(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
