# mypy: ignore-errors
"""Tasks that are equal in all but their place: the same request is made several times."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"die": "red"}
EDIT_INPUTS = {"die": "blue"}
EDIT_OUTPUT = {1: "SIX by hand"}

player = Agent(role="Player", goal="Play", backstory="Lucky", llm=llm())


def throw():
    return Task(
        description="Throw the {die} die", expected_output="a number", agent=player, context=[]
    )


throws = [throw(), throw(), throw()]
add = Task(description="Add them up", expected_output="a sum", agent=player, context=throws)
target = Crew(name="dice", agents=[player], tasks=[*throws, add], checkpoint=checkpoint())

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
