# mypy: ignore-errors
"""Conditional tasks: one is skipped, one runs, and plain ones are around them."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.tasks.conditional_task import ConditionalTask

KIND = "crew"
INPUTS = {"sender": "Ada"}
EDIT_INPUTS = {"sender": "Bob"}


def is_a_complaint(output):
    return "complaint" in output.raw


def is_no_complaint(output):
    return "complaint" not in output.raw


clerk = Agent(role="Clerk", goal="Sort the post", backstory="Kind", llm=llm())
target = Crew(
    name="post",
    agents=[clerk],
    tasks=[
        Task(name="open", description="Open it, {sender}", expected_output="text", agent=clerk),
        ConditionalTask(
            name="appeal",
            description="Write an appeal",
            expected_output="text",
            agent=clerk,
            condition=is_a_complaint,
        ),
        ConditionalTask(
            name="answer",
            description="Write an answer",
            expected_output="text",
            agent=clerk,
            condition=is_no_complaint,
        ),
        Task(name="send", description="Send it", expected_output="text", agent=clerk),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff(inputs=dict(INPUTS)).raw)
