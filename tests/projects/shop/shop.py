# mypy: ignore-errors
"""A shop's flow: a bad value in its state makes the second method fail.

What a method does to the world is a line in ``done.txt``.
"""

import os
from pathlib import Path

from crewai import LLM, CheckpointConfig
from crewai.flow.async_feedback.types import HumanFeedbackPending, PendingFeedbackContext
from crewai.flow.flow import Flow, listen, start
from crewai.flow.human_feedback import human_feedback
from crewai.flow.persistence import SQLiteFlowPersistence
from pydantic import BaseModel


def llm():
    return LLM(model="openai/gpt-4o-mini", base_url=os.environ["MODEL_URL"], api_key="sk-fake")


def did(what):
    with Path("done.txt").open("a", encoding="utf-8") as file:
        file.write(f"{what}\n")


class Order(BaseModel):
    id: str = ""
    boxes: int = 0
    label: str = ""


class Shop(Flow[Order]):
    @start()
    def take(self):
        did("take")
        self.state.label = llm().call("the label of the order")
        return "taken"

    @listen(take)
    def pack(self, taken):
        did("pack")
        each = 12 // self.state.boxes
        return llm().call(f"pack {each} into each of {self.state.boxes}: {self.state.label}")

    @listen(pack)
    def send(self, packed):
        did("send")
        return llm().call(f"send {packed}")


class Desk:
    def request_feedback(self, context, flow):
        raise HumanFeedbackPending(context=context)


class Letter(Flow):
    @start()
    def write(self):
        did("write")
        return llm().call("write a letter")

    @listen(write)
    @human_feedback(
        message="Shall it be sent?",
        provider=Desk(),
        emit=["yes", "no"],
        llm=llm(),
        default_outcome="yes",
    )
    def check(self, letter):
        did("check")
        return f"to be sent: {letter}"

    @listen("yes")
    def post(self, said):
        did("post")
        return llm().call(f"post {said.output}")

    @listen("no")
    def burn(self):
        did("burn")
        return "burnt"


class Parcel(Flow):
    """It comes to wait by a method's own doing: nothing asks there."""

    @start()
    def wrap(self):
        did("wrap")
        return llm().call("wrap a parcel")

    @listen(wrap)
    def weigh(self, parcel):
        did("weigh")
        raise HumanFeedbackPending(
            context=PendingFeedbackContext(
                flow_id=self.flow_id,
                flow_class="shop.Parcel",
                method_name="weigh",
                method_output=parcel,
                message="Is it too heavy?",
            )
        )


if __name__ == "__main__":
    import sys

    config = CheckpointConfig(
        on_events=[
            "flow_created",
            "method_execution_finished",
            "method_execution_failed",
            "flow_paused",
        ]
    )
    if "parcel" in sys.argv:
        Parcel(checkpoint=config, persistence=SQLiteFlowPersistence("desk.db")).kickoff()
    elif "letter" in sys.argv:
        Letter(checkpoint=config, persistence=SQLiteFlowPersistence("desk.db")).kickoff()
    else:
        shop = Shop(checkpoint=config, stream="stream" in sys.argv)
        for _ in shop.kickoff(inputs={"boxes": 0}) or ():
            pass  # pieces, or the letters of a text
