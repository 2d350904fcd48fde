# mypy: ignore-errors
"""Knowledge of the crew's, and of an agent's own: each task looks things up in it."""

from _common import KEY, MODEL_URL, checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource

KIND = "crew"
INPUTS = {"part": "roof"}
EDIT_INPUTS = {"part": "cellar"}

EMBEDDER = {
    "provider": "openai",
    "config": {"api_key": KEY, "api_base": MODEL_URL, "model_name": "text-embedding-3-small"},
}
porter = Agent(
    role="Porter",
    goal="Guard",
    backstory="Old",
    llm=llm(),
    knowledge_sources=[StringKnowledgeSource(content="The porter has nine keys.")],
    embedder=EMBEDDER,
)
guide = Agent(role="Guide", goal="Explain", backstory="Local", llm=llm())
target = Crew(
    name="castle",
    agents=[guide, porter],
    tasks=[
        Task(name="keys", description="The keys", expected_output="text", agent=porter),
        Task(name="part", description="The {part}", expected_output="text", agent=guide),
        Task(name="rest", description="The rest", expected_output="text", agent=guide),
    ],
    knowledge_sources=[StringKnowledgeSource(content="The castle has a red roof.")],
    embedder=EMBEDDER,
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
