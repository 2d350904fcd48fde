# mypy: ignore-errors
"""Three methods in a row, each given what the one before returned."""

from _common import checkpoint, llm
from crewai.flow.flow import Flow, listen, start

KIND = "flow"
INPUTS = {"topic": "rivers"}
EDIT_INPUTS = {"topic": "lakes"}
EDIT_STATE = {"mood": "grey"}
EDIT_RESULT = {"facts": "FACTS by hand"}


class Essay(Flow):
    @start()
    def facts(self):
        self.state["mood"] = "blue"
        return llm().call(f"facts of {self.state['topic']}")

    @listen(facts)
    def draft(self, facts):
        self.state["draft"] = llm().call(f"draft, {self.state['mood']}, of {facts}")
        return self.state["draft"]

    @listen(draft)
    def title(self, draft):
        self.state["title"] = llm().call(f"title for {draft}, {self.state['mood']}")
        return self.state["title"]


target = Essay


def run():
    return Essay(checkpoint=checkpoint()).kickoff(inputs=dict(INPUTS))


if __name__ == "__main__":
    print(run())
