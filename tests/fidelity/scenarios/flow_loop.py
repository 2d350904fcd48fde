# mypy: ignore-errors
"""A router that sends its flow round: draft and judge, until it is good."""

from typing import Literal

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, or_, router, start

KIND = "flow"
INPUTS = None


class Rounds(Flow):
    @start()
    def begin(self):
        self.state["round"] = 0
        return "begun"

    @listen(or_(begin, "again"))
    def draft(self):
        self.state["round"] += 1
        self.state["draft"] = llm().call(f"draft {self.state['round']}")
        return self.state["draft"]

    @router(draft)
    def judge(self) -> Literal["again", "good"]:
        llm().call(f"judge {self.state['draft']}")
        return "again" if self.state["round"] < 3 else "good"

    @listen("good")
    def publish(self):
        return llm().call(f"publish {self.state['draft']}")


target = Rounds


def run():
    return Rounds(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
