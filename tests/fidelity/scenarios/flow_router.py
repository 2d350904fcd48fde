# mypy: ignore-errors
"""A router chooses a way; what is behind it fails in the run that is gone on with."""

from _common import checkpoint, fails, llm
from crewai.flow.flow import Flow, listen, router, start

KIND = "flow"
INPUTS = None
FAULT = True
EDIT_RESULT = {"choose": "right"}


class Road(Flow):
    @start()
    def begin(self):
        return llm().call("the beginning of the road")

    @router(begin)
    def choose(self, said):
        return "left" if "ANSWER" in said else "right"

    @listen("left")
    def go_left(self):
        return llm().call("the left road")

    @listen("right")
    def go_right(self):
        return llm().call("the right road")

    @listen(go_left)
    def arrive(self, road):
        fails("arrive")
        return llm().call(f"the end of {road}")


target = Road


def run():
    return Road(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
