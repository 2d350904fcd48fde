# mypy: ignore-errors
"""Two tasks side by side: the second is done first, so there is a hole; and a join."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = None
EDIT_OUTPUT = {1: "PRICES by hand"}

slow = Agent(role="Slow scout", goal="Scout", backstory="Calm", llm=llm())
quick = Agent(role="Quick scout", goal="Scout", backstory="Fast", llm=llm())
editor = Agent(role="Editor", goal="Merge", backstory="Strict", llm=llm())
names = Task(
    name="names",
    description="Gather the names <<sleep 0.5>>",
    expected_output="names",
    agent=slow,
    async_execution=True,
)
prices = Task(
    name="prices",
    description="Gather the prices",
    expected_output="prices",
    agent=quick,
    async_execution=True,
)
merge = Task(
    name="merge",
    description="Merge the lists",
    expected_output="a table",
    agent=editor,
    context=[names, prices],
)
close = Task(name="close", description="Close the books", expected_output="a word", agent=editor)
target = Crew(
    name="market",
    agents=[slow, quick, editor],
    tasks=[names, prices, merge, close],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff().raw)
