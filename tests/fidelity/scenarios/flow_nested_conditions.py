# mypy: ignore-errors
"""Joins within joins: either both sides, or the short cut; and all of that again."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, and_, listen, or_, router, start

KIND = "flow"
INPUTS = None


class Web(Flow):
    @start()
    def north(self):
        return llm().call("from the north")

    @start()
    def south(self):
        return llm().call("from the south <<sleep 0.2>>")

    @router(north)
    def short(self):
        return "short cut"

    @listen(or_(and_(north, south), "short cut"))
    def first(self):
        return llm().call("the first to meet")

    @listen(and_(or_(first, south), north))
    def then(self):
        return llm().call("then")

    @listen(and_(first, then, south))
    def end(self):
        return llm().call("the end")


target = Web


def run():
    return Web(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
