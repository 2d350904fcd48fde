# mypy: ignore-errors
"""A method runs another flow, which runs a crew; both have states of their own."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.flow.flow import Flow, listen, start

KIND = "flow"
INPUTS = {"topic": "bees"}


class Inner(Flow):
    @start()
    def look(self):
        self.state["seen"] = llm().call(f"look at {self.state['thing']}")
        return self.state["seen"]

    @listen(look)
    def count(self, seen):
        agent = Agent(role="Counter", goal="Count", backstory="Slow", llm=llm())
        tasks = [
            Task(description=f"Count {part} in {{seen}}", expected_output="a number", agent=agent)
            for part in ("wings", "legs")
        ]
        crew = Crew(agents=[agent], tasks=tasks, checkpoint=checkpoint("task_completed"))
        return crew.kickoff(inputs={"seen": seen}).raw

    @listen(count)
    def sum_up(self, counted):
        return llm().call(f"sum up {counted} of {self.state['seen']}")


class Outer(Flow):
    @start()
    def ask(self):
        return llm().call(f"ask about {self.state['topic']}")

    @listen(ask)
    def study(self, question):
        first = Inner(checkpoint=checkpoint()).kickoff(
            inputs={"thing": f"{self.state['topic']} one"}
        )
        second = Inner(checkpoint=checkpoint()).kickoff(
            inputs={"thing": f"{self.state['topic']} two"}
        )
        self.state["found"] = [first, second]
        return f"{first} {second}"

    @listen(study)
    def tell(self, found):
        return llm().call(f"tell {found}")


target = Outer


def run():
    return Outer(checkpoint=checkpoint()).kickoff(inputs=dict(INPUTS))


if __name__ == "__main__":
    print(run())
