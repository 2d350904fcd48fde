# mypy: ignore-errors
"""A manager that CrewAI makes of a model: it delegates, once to whoever it likes."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Process, Task

KIND = "crew"
ASKED_AGAIN_OK = "a task that runs again asks its coworkers what they were asked before"
INPUTS = {"market": "tea", "mood": "brave"}
EDIT_INPUTS = {"market": "coffee"}
EDIT_OUTPUT = {0: "STUDIED by hand"}

ASK = (
    '<<tool delegate_work_to_coworker {"task": "%s", "context": "none", "coworker": "%s"}>>'
    '<<tool ask_question_to_coworker {"question": "%s", "context": "none", "coworker": "%s"}>>'
)
analyst = Agent(role="Analyst", goal="Analyse", backstory="Exact", llm=llm())
planner = Agent(role="Planner", goal="Plan", backstory="Be {mood}", llm=llm())
target = Crew(
    name="boardroom",
    agents=[analyst, planner],
    tasks=[
        Task(
            name="study",
            description="Study {market} " + ASK % ("look at prices", "Analyst", "why", "Planner"),
            expected_output="a study",
        ),
        Task(
            name="plan",
            description="Plan the launch " + ASK % ("make a plan", "Planner", "who", "Planner"),
            expected_output="a plan",
            agent=planner,
        ),
        Task(name="sign", description="Sign it", expected_output="a name"),
    ],
    process=Process.hierarchical,
    manager_llm=llm(),
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
