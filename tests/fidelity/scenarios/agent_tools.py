# mypy: ignore-errors
"""An agent without a crew that uses a tool class twice, and a guardrail that lets it pass."""

from _common import checkpoint, llm, used
from crewai import Agent
from crewai.tools import BaseTool
from pydantic import BaseModel

KIND = "agent"
EDIT_INPUTS = {"question": 'What do plums cost? <<tool price {"fruit": "plums"}>>'}
QUESTION = (
    'What do the pears cost? <<tool price {"fruit": "pears"}>><<tool price {"fruit": "figs"}>>'
)


class Fruit(BaseModel):
    fruit: str


class Price(BaseTool):
    name: str = "price"
    description: str = "The price of a fruit"
    args_schema: type[BaseModel] = Fruit
    unit: str = "cents"

    def _run(self, fruit: str) -> str:
        used("price")
        return f"{len(fruit) * 10} {self.unit}"


target = Agent(
    role="Clerk",
    goal="Know the prices",
    backstory="Tidy",
    llm=llm(),
    tools=[Price(unit="pence")],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(QUESTION).raw)
