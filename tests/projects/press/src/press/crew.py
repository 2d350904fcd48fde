# mypy: ignore-errors
"""A @CrewBase class with YAML files beside it."""

import os

from crewai import LLM, Agent, CheckpointConfig, Crew, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task


@CrewBase
class Press:
    agents_config = "config/agents.yaml"
    tasks_config = "config/tasks.yaml"

    @before_kickoff
    def prepare(self, inputs):
        return {**inputs, "year": str(inputs["year"]) + "!"}

    @agent
    def writer(self) -> Agent:
        model = LLM("openai/gpt-4o-mini", base_url=os.environ["MODEL_URL"], api_key="sk-fake")
        return Agent(config=self.agents_config["writer"], llm=model)

    @task
    def draft(self) -> Task:
        return Task(config=self.tasks_config["draft"])

    @task
    def polish(self) -> Task:
        return Task(config=self.tasks_config["polish"], output_file="page.md")

    @crew
    def crew(self) -> Crew:
        checkpoint = CheckpointConfig(on_events=["crew_kickoff_started", "task_completed"])
        return Crew(agents=self.agents, tasks=self.tasks, checkpoint=checkpoint)
