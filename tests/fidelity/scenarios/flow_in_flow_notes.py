# mypy: ignore-errors
"""A method runs a flow that notes things beside its state: that is run from its start again."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, and_, listen, start

KIND = "flow"
INPUTS = None


class Inner(Flow):
    def __init__(self, **more):
        super().__init__(**more)
        self.notes = []

    @start()
    def look(self):
        self.notes.append(llm().call(f"look at {self.state['thing']}"))

    @listen(look)
    def left(self):
        self.state["sum"] = self.state.get("sum", 0) + 1
        return llm().call("left <<sleep 0.2>>")

    @listen(look)
    def right(self):
        self.state["sum"] = self.state.get("sum", 0) + 1
        return llm().call("right <<sleep 0.4>>")

    @listen(and_(left, right))
    def tell(self):
        return llm().call(f"tell {self.notes} {self.state['sum']}")


class Outer(Flow):
    @start()
    def study(self):
        return Inner(checkpoint=checkpoint()).kickoff(inputs={"thing": "bees"})

    @listen(study)
    def end(self, found):
        return llm().call(f"end {found}")


target = Outer


def run():
    return Outer(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
