# mypy: ignore-errors
"""A state of the user's own class, and results of classes, enums and dates."""

from dataclasses import dataclass
from datetime import date
from enum import Enum

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, router, start
from pydantic import BaseModel, Field

KIND = "flow"
INPUTS = {"title": "Sea"}
EDIT_STATE = {"plan.size": 9}


class Plan(BaseModel):
    size: int = 2
    due: date = date(2030, 1, 2)


class Book(BaseModel):
    id: str = ""
    title: str = ""
    plan: Plan = Field(default_factory=Plan)
    pages: list[str] = []


class Way(Enum):
    LONG = "long"
    SHORT = "short"


@dataclass
class Note:
    text: str
    when: date


class Writing(Flow[Book]):
    @start()
    def outline(self) -> Plan:
        llm().call(f"outline {self.state.title}")
        self.state.plan = Plan(size=3, due=date(2031, 5, 6))
        return self.state.plan

    @listen(outline)
    def note(self, plan: Plan) -> Note:
        said = llm().call(f"note of {plan.size} due {plan.due.year}")
        return Note(said, plan.due)

    @router(note)
    def choose(self, note: Note) -> Way:
        self.state.pages.append(note.text)
        return Way.LONG if note.when.year == 2031 else Way.SHORT

    @listen("long")
    def write(self):
        plan = self.state.plan
        return llm().call(f"write {plan.size} {plan.due.isoformat()} {self.state.pages[0]}")

    @listen(write)
    def bind(self, text) -> str:
        return llm().call(f"bind {len(self.state.pages)} {text}")


target = Writing


def run():
    return Writing(checkpoint=checkpoint()).kickoff(inputs=dict(INPUTS))


if __name__ == "__main__":
    print(run())
