# mypy: ignore-errors
"""Its second method fails, and is tried again; it had asked a model before that."""

from _common import checkpoint, fails, llm
from crewai.flow.flow import Flow, listen, start

KIND = "flow"
INPUTS = {"size": 3}
FAULT = True
EDIT_STATE = {"size": 4}


class Shop(Flow):
    @start()
    def order(self):
        self.state["order"] = llm().call("take the order")
        return self.state["order"]

    @listen(order)
    def pack(self, order):
        box = llm().call(f"a box of {self.state['size']} for {order}")
        fails("pack")
        self.state["packed"] = llm().call(f"pack into {box}")
        return self.state["packed"]

    @listen(pack)
    def send(self, packed):
        return llm().call(f"send {packed}")


target = Shop


def run():
    return Shop(checkpoint=checkpoint()).kickoff(inputs=dict(INPUTS))


if __name__ == "__main__":
    print(run())
