# mypy: ignore-errors
"""Outputs as pydantic objects and as JSON, a guardrail function, callbacks, a file."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from pydantic import BaseModel, Field

KIND = "crew"
INPUTS = {"shelf": "north"}
EDIT_INPUTS = {"shelf": "south"}


class Item(BaseModel):
    label: str
    count: int = Field(ge=1, le=5)


class Inventory(BaseModel):
    title: str
    items: list[Item]


class Note(BaseModel):
    text: str
    urgent: bool


def short(output):
    return len(output.raw) < 5000, output.raw


def remember(output):
    with open("callbacks.log", "a", encoding="utf-8") as file:
        file.write(output.raw[:40].replace("\n", " ") + "\n")


keeper = Agent(role="Archivist", goal="File", backstory="Neat", llm=llm())
target = Crew(
    name="archive",
    agents=[keeper],
    tasks=[
        Task(
            name="inventory",
            description="Make the inventory of the {shelf} shelf <<items 2>>",
            expected_output="an inventory",
            agent=keeper,
            output_pydantic=Inventory,
            callback=remember,
        ),
        Task(
            name="note",
            description="Write the note",
            expected_output="a note",
            agent=keeper,
            output_json=Note,
            output_file="out/note.json",
            callback=remember,
        ),
        Task(
            name="close",
            description="Close the file",
            expected_output="a word",
            agent=keeper,
            guardrail=short,
            callback=remember,
        ),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
