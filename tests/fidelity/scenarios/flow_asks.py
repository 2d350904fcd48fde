# mypy: ignore-errors
"""Methods ask a person; what was said is not asked again. Nobody says anything else."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, start
from crewai.flow.human_feedback import human_feedback

KIND = "flow"
INPUTS = None
ANSWERS = ["yes", "yes", "yes", "yes"]


class Form(Flow):
    @start()
    def form(self):
        said = llm().call(f"the colour is {self.ask('Which colour?')}")
        return llm().call(f"{said} and {self.ask('Which size?')}")

    @listen(form)
    @human_feedback(message="Right?", emit=["right", "wrong"], llm=llm(), default_outcome="right")
    def check(self, text):
        return llm().call(f"sure: {self.ask('Sure?')} about {text}")

    @listen("right")
    def end(self, said):
        return llm().call(f"end {said.output} {len(self._input_history)}")


target = Form


def run():
    return Form(checkpoint=checkpoint()).kickoff()


if __name__ == "__main__":
    print(run())
