# mypy: ignore-errors
"""Methods beside each other change parts of the state of their own, before they ask a model."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, and_, listen, start

KIND = "flow"
INPUTS = None


class Beside(Flow):
    @start()
    def begin(self):
        self.state["log"] = {"b": []}
        self.state["n"] = 0
        return llm().call("begin")

    @listen(begin)
    def first(self):
        self.state["first"] = llm().call("first <<sleep 0.2>>")

    @listen(begin)
    def counts(self):
        self.state["n"] += 10
        self.state["log"]["b"].append("b")
        self.state["b"] = llm().call("counts <<sleep 0.5>>")

    @listen(begin)
    def overwrites(self):
        self.state["last"] = "c"
        self.state["c"] = llm().call("overwrites <<sleep 0.8>>")

    @listen(and_(first, counts, overwrites))
    def end(self):
        return llm().call(f"end {self.state['n']} {self.state['log']} {self.state['last']}")


target = Beside


def run():
    return Beside(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
