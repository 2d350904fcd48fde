# mypy: ignore-errors
"""Its state is persisted after each method, in a database of its own."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, start
from crewai.flow.persistence import SQLiteFlowPersistence, persist

KIND = "flow"
INPUTS = {"name": "Ann"}
EDIT_STATE = {"name": "Bob"}


@persist(SQLiteFlowPersistence("states.db"))
class Kept(Flow):
    @start()
    def one(self):
        self.state["one"] = llm().call(f"one for {self.state['name']}")
        return self.state["one"]

    @listen(one)
    def two(self):
        self.state["two"] = llm().call(f"two for {self.state['name']}: {self.state['one']}")
        return self.state["two"]

    @listen(two)
    def three(self, two):
        return llm().call(f"three of {two}")


target = Kept


def run():
    return Kept(checkpoint=checkpoint()).kickoff(inputs=dict(INPUTS))


if __name__ == "__main__":
    print(run())
