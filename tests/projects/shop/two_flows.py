# mypy: ignore-errors
"""A program of two flows: the second is given what the first has given, and keeps a note of it
beside its state."""

from crewai import CheckpointConfig
from crewai.flow.flow import Flow, listen, start
from shop import did, llm


class First(Flow):
    @start()
    def order(self):
        did("order")
        return llm().call("the order")


class Second(Flow):
    def __init__(self, **more):
        super().__init__(**more)
        self.notes = []

    @start()
    def read(self):
        did("read")
        return llm().call(f"read {self.state['order']}")

    @listen(read)
    def note(self, said):
        did("note")
        self.notes.append(said)
        return llm().call(f"note {said} <<sleep 0.3>>")

    @listen(note)
    def end(self, said):
        did("end")
        return llm().call(f"end of {len(self.notes)}: {said} <<sleep 0.3>>")


def main():
    config = CheckpointConfig(on_events=["method_execution_finished", "flow_finished"])
    order = First(checkpoint=config).kickoff()
    return Second(checkpoint=config).kickoff(inputs={"order": order})


if __name__ == "__main__":
    print(main())
