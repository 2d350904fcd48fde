"""Tells which of the crew's tasks an event is about."""

from __future__ import annotations

from typing import Any

from crewcheck.crewai.channel import Channel
from crewcheck.crewai.crews.facts import model_of
from crewcheck.crewai.crews.replay import Replay
from crewcheck.crewai.telling import Telling, agent_of


class CrewTelling(Telling):
    """Sends messages about one run of a crew."""

    def __init__(self, channel: Channel, crew: Any, replay: Replay) -> None:
        super().__init__(channel)
        self._replay = replay
        self._places = {str(task.id): index for index, task in enumerate(crew.tasks)}
        self._tasks = list(crew.tasks)

    def replayed(self) -> None:
        """Say which tasks answered from the recording."""
        for index in sorted(self._replay.kept):
            self.send("task_completed", **self._task(index), replayed=True)

    def answered(self, task: Any, response: Any) -> None:
        """Say that a model call was answered from the record."""
        about = self._task(self._replay.place(task))
        model = model_of(task.agent)
        self.send("llm_call_completed", **about, model=model, replayed=True)

    def tool_answered(self, task: Any, name: str) -> None:
        """Say that a tool call was answered from the record."""
        about = self._task(self._replay.place(task))
        self.send("tool_usage_finished", **about, tool=name, replayed=True)

    def about(self, event: Any) -> dict[str, Any]:
        task = getattr(event, "task", None) or getattr(event, "from_task", None)
        task_id = getattr(event, "task_id", None) or getattr(task, "id", "")
        about = self._task(self._places.get(str(task_id)))
        agent = agent_of(event)
        return {**about, "agent": agent} if agent else about

    def _task(self, index: int | None) -> dict[str, Any]:
        if index is None:
            return {}
        task = self._tasks[index]
        agent = getattr(task.agent, "role", None)
        return {"task": index, "task_name": task.name or None, "agent": agent}
