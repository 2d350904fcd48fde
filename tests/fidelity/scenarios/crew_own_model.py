# mypy: ignore-errors
"""The user's own model class, that tells CrewAI nothing of its calls."""

import json
import urllib.request

from _common import MODEL_URL, checkpoint
from crewai import Agent, BaseLLM, Crew, Task

KIND = "crew"
INPUTS = None


class Own(BaseLLM):
    def __init__(self, model="own/model", **more):
        super().__init__(model=model, **more)

    def call(self, messages, tools=None, callbacks=None, available_functions=None, **more):
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        plain = [{"role": one["role"], "content": one["content"]} for one in messages]
        asked = urllib.request.Request(
            f"{MODEL_URL}/chat/completions",
            json.dumps({"model": self.model, "messages": plain}).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return json.load(answer)["choices"][0]["message"]["content"]

    async def acall(self, *args, **more):
        return self.call(*args, **more)

    def supports_function_calling(self):
        return False

    def supports_stop_words(self):
        return False

    def get_context_window_size(self):
        return 8192


one = Agent(role="Echo", goal="Echo", backstory="Quiet", llm=Own())
target = Crew(
    name="echoes",
    agents=[one],
    tasks=[
        Task(description="First", expected_output="text", agent=one),
        Task(description="Second", expected_output="text", agent=one),
        Task(description="Third", expected_output="text", agent=one),
    ],
    checkpoint=checkpoint(),
)

if __name__ == "__main__":
    print(target.kickoff().raw)
