# mypy: ignore-errors
"""A user's program: two agents without a crew, the second is told what the first has said."""

import os

from crewai import LLM, Agent, CheckpointConfig
from pydantic import BaseModel


class Verdict(BaseModel):
    good: bool = True


MODEL = LLM(model="openai/gpt-4o-mini", base_url=os.environ["MODEL_URL"], api_key="sk-fake")
EVERY = CheckpointConfig(
    on_events=[
        "lite_agent_execution_started",
        "agent_logs_execution",
        "llm_guardrail_started",
        "lite_agent_execution_completed",
    ]
)


def careful(output):
    return True, output.raw


poet = Agent(role="Poet", goal="Rhyme", backstory="Shy", llm=MODEL, checkpoint=EVERY)
critic = Agent(
    role="Critic",
    goal="Judge",
    backstory="Stern",
    llm=MODEL,
    guardrail=careful,
    checkpoint=EVERY,
)


def write_in_time():
    """Let each checkpoint be written before the run goes on."""
    from crewai.events.event_bus import CrewAIEventsBus

    emit = CrewAIEventsBus.emit

    def waiting(self, source, event):
        future = emit(self, source, event)
        if future is not None and event.type in EVERY.on_events:
            future.result(20)
        return future

    CrewAIEventsBus.emit = waiting


if __name__ == "__main__":
    if "ASKED_WAITS" in os.environ:
        write_in_time()
    poem = poet.kickoff("Write about rain.")
    print("poem", poem.raw)
    print("result", critic.kickoff(f"Judge this: {poem.raw}").raw)
