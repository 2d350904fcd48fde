# mypy: ignore-errors
"""A start that waits for a label, and one that has a condition of two."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, or_, router, start

KIND = "flow"
INPUTS = {"name": "Ann"}
EDIT_INPUTS = {"name": "Bob"}
ASKED_AGAIN_OK = {"fork+input": "what comes after a knock runs again, and asks the same for Bob"}


class Door(Flow):
    @start()
    def knock(self):
        self.state["heard"] = llm().call(f"a knock by {self.state['name']}")
        return self.state["heard"]

    @router(knock)
    def who(self, heard):
        return "friend" if "ANSWER" in heard else "stranger"

    @start("friend")
    def open_up(self):
        self.state["open"] = True
        return llm().call("open the door")

    @start(or_("stranger", "nobody"))
    def call_police(self):
        return llm().call("call the police")

    @listen(open_up)
    def welcome(self, door):
        return llm().call(f"welcome through {door}")


target = Door


def run():
    return Door(checkpoint=checkpoint()).kickoff(inputs=dict(INPUTS))


if __name__ == "__main__":
    print(run())
