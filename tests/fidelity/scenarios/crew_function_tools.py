# mypy: ignore-errors
"""Tools that are functions: CrewAI alone writes no checkpoint of such a crew."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.tools import tool

KIND = "crew"
INPUTS = {"animal": "goat"}
EDIT_INPUTS = {"animal": "cow"}


@tool("weigh")
def weigh(animal: str) -> str:
    """Weigh an animal."""
    with open("weighed.log", "a", encoding="utf-8") as file:
        file.write(animal + "\n")
    return f"{animal}: {len(animal) * 10} kg"


@tool("stamp", result_as_answer=True)
def stamp(text: str) -> str:
    """Stamp a text, and that is the answer."""
    return f"STAMPED {text}"


vet = Agent(role="Vet", goal="Weigh", backstory="Strong", llm=llm(), tools=[weigh])
clerk = Agent(role="Clerk", goal="Stamp", backstory="Slow", llm=llm())
target = Crew(
    name="farm",
    agents=[vet, clerk],
    tasks=[
        Task(
            name="first",
            description='Weigh the {animal} <<tool weigh {"animal": "goat"}>>',
            expected_output="kg",
            agent=vet,
        ),
        Task(
            name="second",
            description='Weigh <<tool weigh {"animal": "ox"}>><<tool weigh {"animal": "hen"}>>',
            expected_output="kg",
            agent=vet,
        ),
        Task(
            name="third",
            description='Stamp it <<tool stamp {"text": "done"}>>',
            expected_output="a stamp",
            agent=clerk,
            tools=[stamp],
        ),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
