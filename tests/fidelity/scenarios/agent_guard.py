# mypy: ignore-errors
"""An agent whose guardrail sends it back once."""

from _common import checkpoint, llm
from crewai import Agent

KIND = "agent"
EDIT_INPUTS = {"question": "Which bird is white?"}
QUESTION = "Which bird is black?"


seen = []


def twice(output):
    seen.append(output.raw)
    return (True, output.raw) if len(seen) > 1 else (False, "Look again.")


target = Agent(
    role="Watcher",
    goal="See birds",
    backstory="Patient",
    llm=llm(),
    guardrail=twice,
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(QUESTION).raw)
