# mypy: ignore-errors
"""A project as CrewAI's own template makes it: a class, and YAML files beside it."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, task

KIND = "crew"
INPUTS = {"topic": "glaciers"}
EDIT_INPUTS = {"topic": "deserts"}


@CrewBase
class Report:
    agents_config = "config/agents.yaml"
    tasks_config = "config/tasks.yaml"

    @before_kickoff
    def with_year(self, inputs):
        return {**inputs, "year": "2031", "times": inputs.get("times", 0) + 1}

    @agent
    def researcher(self) -> Agent:
        return Agent(config=self.agents_config["researcher"], llm=llm())

    @agent
    def analyst(self) -> Agent:
        return Agent(config=self.agents_config["analyst"], llm=llm())

    @task
    def research(self) -> Task:
        return Task(config=self.tasks_config["research"])

    @task
    def report(self) -> Task:
        return Task(config=self.tasks_config["report"], output_file="report.md")

    @crew
    def crew(self) -> Crew:
        return Crew(
            agents=self.agents,
            tasks=self.tasks,
            process=Process.sequential,
            checkpoint=checkpoint(),
        )


target = Report


def run():
    return Report().crew().kickoff(inputs=dict(INPUTS))


if __name__ == "__main__":
    print(run().raw)
