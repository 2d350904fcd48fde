# mypy: ignore-errors
"""Two routers and a listener on one method, listeners of their labels, and a join of all.

CrewAI tells that the last router set off all that follows.
"""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, and_, listen, or_, router, start

KIND = "flow"
INPUTS = None
EDIT_RESULT = {"second": "nowhere"}
ASKED_AGAIN_OK = {"fork+result": "either asks the same, whichever label it is"}


class Post(Flow):
    @start()
    def letter(self):
        return llm().call("write a letter")

    @router(letter)
    def first(self):
        llm().call("where to")
        return 3

    @router(letter)
    def second(self, text):
        llm().call(f"how: {text}")
        return "by air"

    @listen(letter)
    def copy(self, text):
        return llm().call(f"copy {text}")

    @listen("3")
    def third(self, zone):
        return llm().call(f"stamp for zone {zone!r}")

    @listen(or_("3", "by air"))
    def weigh(self):
        return llm().call("weigh it")

    @listen(and_(copy, third, weigh))
    def post(self):
        return llm().call("post it <<sleep 0.2>>")

    @listen("by air")
    def fly(self):
        return llm().call("fly it")

    @listen(and_(post, fly))
    def end(self):
        return llm().call("it is there")


target = Post


def run():
    return Post(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
