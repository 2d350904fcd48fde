# mypy: ignore-errors
"""A manager of the user's own, who is none of the agents, and one task that needs nobody."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Process, Task

KIND = "crew"
ASKED_AGAIN_OK = "a task that runs again asks its coworkers what they were asked before"
INPUTS = {"ship": "Ida"}
EDIT_INPUTS = {"ship": "Una"}
EDIT_OUTPUT = {1: "LOADED by hand"}

mate = Agent(role="Mate", goal="Load", backstory="Strong", llm=llm())
cook = Agent(role="Cook", goal="Feed", backstory="Kind", llm=llm())
captain = Agent(role="Captain", goal="Command", backstory="Salty", llm=llm())
ASK = '<<tool delegate_work_to_coworker {"task": "%s", "context": "at sea", "coworker": "%s"}>>'
rig = Task(name="rig", description="Rig the {ship}", expected_output="rigging")
load = Task(
    name="load",
    description="Load her " + ASK % ("load", "Mate"),
    expected_output="a list",
    agent=mate,
)
feed = Task(
    name="feed",
    description="Feed the crew " + ASK % ("cook", "Cook"),
    expected_output="a meal",
    context=[rig],
)
target = Crew(
    name="ship",
    agents=[mate, cook],
    tasks=[rig, load, feed],
    process=Process.hierarchical,
    manager_agent=captain,
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
