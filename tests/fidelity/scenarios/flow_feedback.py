# mypy: ignore-errors
"""A person says what they think, at the terminal; one method is given that."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, start
from crewai.flow.human_feedback import human_feedback

KIND = "flow"
INPUTS = None
ANSWERS = ["more colour"]


class Review(Flow):
    @start()
    def write(self):
        self.state["draft"] = llm().call("write a draft")
        return self.state["draft"]

    @listen(write)
    @human_feedback(message="Is it good?")
    def check(self, draft):
        return llm().call(f"check {draft}")

    @listen(check)
    def publish(self, said):
        return llm().call(f"publish {said.output} after {said.feedback}")

    @listen(publish)
    def archive(self):
        return llm().call(f"archive what was said: {self.last_human_feedback.feedback}")


target = Review


def run():
    import builtins

    builtins.input = lambda *_: ANSWERS[0]
    return Review(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
