# mypy: ignore-errors
"""Things an entry can name: two crews, a factory, a flow, and what is no crew at all."""

from crewai import Crew
from crewai.flow.flow import Flow, start
from zoo import crew as first
from zoo import eye, fourth, pen, second, third

other = Crew(name="other", agents=[eye, pen], tasks=[second, third])
three = Crew(name="three", agents=[eye, pen], tasks=[second, third, fourth])
text = "no crew"


def make() -> Crew:
    return first


def make_for(animal: str) -> Crew:
    return first


def broken() -> Crew:
    raise KeyError("a secret place")


async def later() -> Crew:
    return first


class Story(Flow):
    @start()
    def begin(self):
        return "begun"
