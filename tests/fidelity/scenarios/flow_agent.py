# mypy: ignore-errors
"""Methods run agents without a crew."""

from _common import checkpoint, llm
from crewai import Agent
from crewai.flow.flow import Flow, listen, start

KIND = "flow"
INPUTS = None


def clerk(role):
    return Agent(
        role=role, goal="Help", backstory="Long at the desk", llm=llm(), checkpoint=checkpoint()
    )


class Desk(Flow):
    @start()
    def ask(self):
        first = clerk("Clerk").kickoff("How much is a stamp?").raw
        second = clerk("Chief").kickoff(f"Is it true: {first}").raw
        self.state["said"] = second
        return clerk("Clerk").kickoff(f"Then: {second}")

    @listen(ask)
    def write(self, said):
        return llm().call(f"write down {said.raw}")


target = Desk


def run():
    return Desk(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
