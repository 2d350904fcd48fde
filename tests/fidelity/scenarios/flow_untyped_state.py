# mypy: ignore-errors
"""A dict as a state is given objects, and methods return some, without a word of what they are."""

from datetime import date

from _common import checkpoint, llm
from crewai import Agent
from crewai.flow.flow import Flow, listen, start
from pydantic import BaseModel

KIND = "flow"
INPUTS = None
EDIT_STATE = {"plan.pages": 9}


class Plan(BaseModel):
    title: str
    pages: int


class Fact(BaseModel):
    city: str
    people: int


class Book(Flow):
    @start()
    def plan(self):
        said = llm().call("plan the book")
        self.state["plan"] = Plan(title=said, pages=3)
        self.state["due"] = date(2030, 5, 6)
        self.state["seen"] = {"a", "b"}
        self.state["rows"] = []
        return said.encode()

    @listen(plan)
    def look(self, said):
        agent = Agent(role="Finder", goal="Find", backstory="Long at it", llm=llm())
        question = f"how many live there: {said.decode()}"
        self.state["rows"].append(Plan(title="x", pages=1))
        return [agent.kickoff(question, response_format=Fact)]

    @listen(look)
    def write(self, found):
        plan = self.state["plan"]
        people = found[0].pydantic.people
        said = llm().call(f"write {plan.pages} pages by {self.state['due'].year} on {people}")
        return {said, "b"}

    @listen(write)
    def close(self, said):
        seen = sorted(self.state["seen"] | said)
        return llm().call(f"close {seen} {self.state['rows'][0].title}")


target = Book


def run():
    return Book(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
