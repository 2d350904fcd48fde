# mypy: ignore-errors
"""What a person says is one of some outcomes, which lead on; one goes round."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, or_, start
from crewai.flow.human_feedback import human_feedback

KIND = "flow"
INPUTS = None
# nothing said is the default, so no model is asked what is meant
ANSWERS = [""]


class Vote(Flow):
    @start()
    def write(self):
        return llm().call("write a motion")

    @listen(write)
    @human_feedback(
        message="Yes or no?", emit=["yes", "no"], llm="openai/gpt-4o-mini", default_outcome="yes"
    )
    def ask(self, motion):
        return llm().call(f"ask for {motion}")

    @listen("yes")
    def carry(self, said):
        return llm().call(f"carry {said.output}, {said.outcome}")

    @listen("no")
    def drop(self):
        return llm().call("drop it")

    @listen(or_(carry, drop))
    def end(self):
        return llm().call("the end of the vote")


target = Vote


def run():
    import builtins

    builtins.input = lambda *_: ANSWERS[0]
    return Vote(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
