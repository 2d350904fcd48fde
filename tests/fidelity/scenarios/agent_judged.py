# mypy: ignore-errors
"""An agent whose guardrail is a text: a model judges its answer."""

from _common import checkpoint, llm
from crewai import Agent

KIND = "agent"
EDIT_INPUTS = {"question": "Which tree is old?"}
QUESTION = "Which tree is tall?"

target = Agent(
    role="Forester",
    goal="Know trees",
    backstory="Calm",
    llm=llm(),
    guardrail="The answer names a tree <<choose true>>",
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(QUESTION).raw)
