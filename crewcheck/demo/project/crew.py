"""A launch brief in four steps, written by a crew of three."""

import os

from crewai import LLM, Agent, CheckpointConfig, Crew, Process, Task

INPUTS = {
    "product": "Dawn Lamp, the alarm clock that wakes you with light",
    "audience": "shift workers",
    "max_words": 120,
}


def build_crew() -> Crew:
    """The whole crew; the braces in its texts are filled from the inputs."""
    llm = LLM(
        model="openai/gpt-4o-mini",
        base_url=os.environ.get("DEMO_MODEL_URL", "http://127.0.0.1:8765/v1"),
        api_key=os.environ.get("DEMO_MODEL_KEY", "not-a-real-key"),
    )

    researcher = Agent(
        role="Researcher",
        goal="Find out what {audience} really need",
        backstory="You trust interviews more than opinions.",
        llm=llm,
    )
    writer = Agent(
        role="Writer",
        goal="Make {audience} look forward to the launch",
        backstory="You write the way people talk.",
        llm=llm,
    )
    editor = Agent(
        role="Editor",
        goal="Say it in at most {max_words} words",
        backstory="You cut what nobody would miss.",
        llm=llm,
    )

    research = Task(
        name="research",
        description="Find three facts that decide the launch.\nProduct: {product}\nAudience: {audience}",
        expected_output="Three facts, each with the reason why it matters",
        agent=researcher,
    )
    angle = Task(
        name="angle",
        description="Choose one angle for the launch.\nProduct: {product}\nAudience: {audience}",
        expected_output="The angle, the promise behind it, and its proof",
        agent=writer,
    )
    draft = Task(
        name="draft",
        description=(
            "Write the launch brief along this angle.\n"
            "Product: {product}\nAudience: {audience}\nLength: up to {max_words} words"
        ),
        expected_output="A brief that can be read aloud",
        agent=writer,
    )
    edit = Task(
        name="edit",
        description="Edit the brief for print.\nAudience: {audience}\nLength: up to {max_words} words",
        expected_output="A headline and the final text",
        agent=editor,
        context=[draft],  # the editor sees the draft, and nothing before it
    )

    return Crew(
        name="launch brief",
        agents=[researcher, writer, editor],
        tasks=[research, angle, draft, edit],
        process=Process.sequential,
        checkpoint=CheckpointConfig(
            location="./.checkpoints",
            on_events=[
                "crew_kickoff_started",
                "task_completed",
                "crew_kickoff_completed",
                "crew_kickoff_failed",
            ],
        ),
    )


crew = build_crew()


if __name__ == "__main__":
    print(crew.kickoff(inputs=INPUTS))
