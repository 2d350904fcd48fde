# mypy: ignore-errors
"""Objects are returned and taken without a word of what they are."""

import dataclasses

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, start
from pydantic import BaseModel

KIND = "flow"
INPUTS = None


class Section(BaseModel):
    title: str


class Outline(BaseModel):
    title: str
    sections: list[Section]


@dataclasses.dataclass
class Size:
    pages: int
    words: int


class State(BaseModel):
    outline: Outline | None = None


class Guide(Flow[State]):
    @start()
    def plan(self):
        said = llm().call("plan a guide")
        self.state.outline = Outline(title=said, sections=[Section(title="a"), Section(title="b")])
        return self.state.outline

    @listen(plan)
    def write(self, outline):
        return [Section(title=llm().call(f"write {one.title}")) for one in outline.sections]

    @listen(write)
    def measure(self, sections: list[Section]):
        llm().call(f"measure {sections[1].title}")
        return Size(pages=2, words=300)

    @listen(measure)
    def tell(self, size):
        llm().call(f"tell {size}")
        return Section(title=f"{size.pages} pages").model_dump()

    @listen(tell)
    def end(self, told):
        return llm().call(f"end {told['title']}")


target = Guide


def run():
    return Guide(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
