# mypy: ignore-errors
"""The only start has a condition: the flow begins with it, and a label leads back to it."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, router, start
from pydantic import BaseModel

KIND = "flow"
INPUTS = {"topic": "bees"}
EDIT_STATE = {"tries": 2}
EDIT_RESULT = {"judge": "done"}
ASKED_AGAIN_OK = {"fork+result": "the last judge says done anyway"}


class Drafts(BaseModel):
    topic: str = ""
    tries: int = 0
    drafts: list[str] = []


class Refine(Flow[Drafts]):
    @start("again")
    def write(self):
        self.state.tries += 1
        self.state.drafts.append(llm().call(f"draft {self.state.tries} on {self.state.topic}"))
        return self.state.drafts[-1]

    @listen(write)
    def critic(self, draft):
        # a new model each time, beside the state: nothing is lost
        self.model = llm()
        return self.model.call(f"critic of {draft}")

    @router(critic)
    def judge(self, said):
        return "done" if self.state.tries >= 3 else "again"

    @listen("done")
    def finish(self):
        return llm().call(f"finish {len(self.state.drafts)} {self.state.drafts[-1]}")


target = Refine


def run():
    return Refine(checkpoint=checkpoint()).kickoff(inputs=dict(INPUTS))


if __name__ == "__main__":
    print(run())
