# mypy: ignore-errors
"""A crew whose tool is a function: CrewAI cannot write checkpoints of it, and keeps outputs."""

import os

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

MODEL = LLM(model="openai/gpt-4o-mini", base_url=os.environ["MODEL_URL"], api_key="sk-fake")


@tool("count")
def count(text: str) -> str:
    """Counts."""
    return str(len(text))


pen = Agent(role="Writer on {topic}", goal="Write", backstory="Patient", llm=MODEL, tools=[count])
crew = Crew(
    agents=[pen],
    tasks=[
        Task(description="Notes on {topic}", expected_output="notes", agent=pen),
        Task(description="Draft on {topic}", expected_output="draft", agent=pen),
        Task(description="Final touch", expected_output="text", agent=pen),
    ],
    checkpoint=True,
)
if __name__ == "__main__":
    print(crew.kickoff(inputs={"topic": "cats"}).raw)
