# mypy: ignore-errors
"""Guardrails: a function that is not content at first, one that a model is, and two in a row."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
INPUTS = {"herb": "sage"}
EDIT_INPUTS = {"herb": "mint"}


def long_enough(output):
    if "validation" not in "".join(str(one.get("content")) for one in output.messages or []):
        return False, "say more"
    return True, output.raw


def capital(output):
    return True, output.raw.upper()


def dotted(output):
    return True, output.raw + "."


cook = Agent(role="Cook", goal="Season", backstory="Bold", llm=llm())
target = Crew(
    name="kitchen",
    agents=[cook],
    tasks=[
        Task(
            name="pick",
            description="Pick {herb}",
            expected_output="a leaf",
            agent=cook,
            guardrail=long_enough,
            guardrail_max_retries=2,
        ),
        Task(
            name="chop",
            description="Chop it",
            expected_output="pieces",
            agent=cook,
            guardrail="it must not mention parsley",
        ),
        Task(
            name="serve",
            description="Serve it",
            expected_output="a dish",
            agent=cook,
            guardrails=[capital, dotted],
        ),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
