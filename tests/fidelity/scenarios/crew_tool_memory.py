# mypy: ignore-errors
"""A crew that remembers tool calls: the same one is made once, but for a tool that forbids it."""

from _common import checkpoint, llm
from crewai import Agent, Crew, Task
from crewai.tools import BaseTool

KIND = "crew"
INPUTS = None
seen = set()


class Look(BaseTool):
    name: str = "look"
    description: str = "Looks it up"

    def _run(self, place: str, depth: int = 1) -> str:
        # another text for who looks again and has forgotten
        seen.add(place)
        behind = place == "lake" and "hill" in seen
        return f"{place} {depth}" + (", behind the hill" if behind else "")


class Roll(BaseTool):
    name: str = "roll"
    description: str = "Rolls dice"

    def _run(self, sides: int) -> str:
        return f"{sides}"


scout = Agent(role="Scout", goal="See", backstory="Keen", llm=llm(), tools=[Look(), Roll()])
gambler = Agent(role="Gambler", goal="Win", backstory="Broke", llm=llm())
never = Roll(cache_function=lambda args, result: False)
target = Crew(
    name="scouts",
    cache=True,
    agents=[scout, gambler],
    tasks=[
        Task(
            name="first",
            description='Go <<tool look {"place": "hill"}>> <<tool look {"place": "lake"}>>'
            '<<tool roll {"sides": 6}>>',
            expected_output="notes",
            agent=scout,
        ),
        Task(
            name="second",
            description='Go on <<tool look {"place": "lake"}>> <<tool look {"place": "lake"}>>',
            expected_output="notes",
            agent=scout,
        ),
        Task(
            name="third",
            description='Play <<tool look {"depth": 1, "place": "pass"}>>'
            ' <<tool roll {"sides": 6}>> <<tool look {"place": "lake"}>>',
            expected_output="notes",
            agent=gambler,
            tools=[Look(), never],
        ),
    ],
    checkpoint=checkpoint("task_started", "tool_usage_finished", "task_completed"),
)

if __name__ == "__main__":
    print(target.kickoff().raw)
