# mypy: ignore-errors
"""Three starts at once, each with what follows it, and a join of all."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, and_, listen, start

KIND = "flow"
INPUTS = None


class Three(Flow):
    @start()
    def one(self):
        return llm().call("one")

    @start()
    def two(self):
        return llm().call("two <<sleep 0.2>>")

    @start()
    def three(self):
        return llm().call("three <<sleep 0.4>>")

    @listen(one)
    def after_one(self, said):
        return llm().call(f"after {said}")

    @listen(two)
    def after_two(self, said):
        return llm().call(f"after {said}")

    @listen(and_(after_one, after_two, three))
    def together(self):
        return llm().call("together")


target = Three


def run():
    return Three(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
