# mypy: ignore-errors
"""Asynchronous methods beside others, started by `kickoff_async`."""

import asyncio

from _common import checkpoint, llm
from crewai.flow.flow import Flow, and_, listen, start

KIND = "flow"
INPUTS = {"city": "Rome"}
EDIT_RESULT = {"streets": "STREETS by hand"}
ASKED_AGAIN_OK = {"fork+result": "route listens to streets, and asks the same whatever it returned"}


class Trip(Flow):
    @start()
    async def plan(self):
        self.state["plan"] = await asyncio.to_thread(llm().call, f"plan {self.state['city']}")
        return self.state["plan"]

    @listen(plan)
    async def streets(self, plan):
        return await asyncio.to_thread(llm().call, f"streets of {plan}")

    @listen(plan)
    def museums(self):
        self.state["museums"] = llm().call("museums <<sleep 0.2>>")
        return self.state["museums"]

    @listen(and_(streets, museums))
    async def route(self):
        return await llm().acall(f"route by {self.state['museums']}")


target = Trip


def run():
    return asyncio.run(Trip(checkpoint=checkpoint()).kickoff_async(inputs=dict(INPUTS)))


if __name__ == "__main__":
    print(run())
