# mypy: ignore-errors
"""Two starts and two joins: one waits for either, one for both; the last one for all."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, and_, listen, or_, start

KIND = "flow"
INPUTS = None
EDIT_RESULT = {"left": "LEFT by hand"}
ASKED_AGAIN_OK = {"fork+result": "both listens to left, and asks the same whatever it returned"}


class Joins(Flow):
    @start()
    def left(self):
        self.state["left"] = llm().call("the left side")
        return self.state["left"]

    @start()
    def right(self):
        self.state["right"] = llm().call("the right side <<sleep 0.3>>")
        return self.state["right"]

    @listen(or_(left, right))
    def early(self):
        return "early"

    @listen(and_(left, right))
    def both(self):
        return llm().call(f"both: {self.state['left']} {self.state['right']}")

    @listen(and_(early, both))
    def last(self):
        return llm().call(f"the last, after {self.state['left']}")


target = Joins


def run():
    return Joins(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
