# mypy: ignore-errors
"""An agent that may hand work to the others, and does; inputs in the others' goals count."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task

KIND = "crew"
ASKED_AGAIN_OK = "a task that runs again asks its coworkers what they were asked before"
INPUTS = {"play": "Hamlet", "style": "grim"}
EDIT_INPUTS = {"style": "gay"}

ASK = '<<tool delegate_work_to_coworker {"task": "%s", "context": "none", "coworker": "%s"}>>'
director = Agent(role="Director", goal="Stage", backstory="Stern", llm=llm(), allow_delegation=True)
actor = Agent(role="Actor", goal="Act {style}", backstory="Loud", llm=llm())
target = Crew(
    name="stage",
    agents=[director, actor],
    tasks=[
        Task(name="light", description="Light {play}", expected_output="x", agent=actor),
        Task(
            name="stage",
            description="Stage it " + ASK % ("speak", "Actor"),
            expected_output="x",
            agent=director,
        ),
        Task(name="bow", description="Bow", expected_output="x", agent=actor),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
