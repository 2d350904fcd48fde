"""The crew of a checkpoint: what of it is done, and with which result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.crewai.saved import Saved
from crewcheck.engine.invalidation import DONE, FAILED, PENDING, SKIPPED, UNDER_WAY
from crewcheck.model.document import event_order, kickoff_inputs, mapping, objects, text
from crewcheck.model.status import (
    KEPT_OUTPUTS,
    awaits_callbacks,
    dropped_tasks,
    not_brought_to_an_end,
    task_states,
)

Entity = Mapping[str, Any]


class SavedCrew(Saved):
    """A crew of a document. ``tasks`` are as saved, ``states`` one of `invalidation`'s each;
    ``plans``: the texts of its tasks have a plan at their end, once it has been made;
    ``partial``: only the tasks that were done are known."""

    kind = "crew"

    def __init__(
        self,
        document: Mapping[str, Any],
        checkpoint_id: str,
        events: list[Entity],
        crew: Entity,
        *,
        primary: bool = True,
    ) -> None:
        self._primary = primary
        super().__init__(document, checkpoint_id, events, crew)
        self.tasks: list[Entity] = objects(crew.get("tasks"))
        if not self.tasks:
            raise Refusal("nothing-in-it", "the crew of this checkpoint has no tasks")
        self.partial = KEPT_OUTPUTS in crew
        self.plans = bool(crew.get("planning"))
        self.kickoff_id = text(crew.get("checkpoint_kickoff_event_id"))
        self.inputs = kickoff_inputs(crew, self.events)
        self.states = self._states()

    def take_later(self, events: list[Entity]) -> None:
        super().take_later(events)
        self.states = self._states()

    @property
    def finished(self) -> bool:
        """Whether no work is pending."""
        return all(state in (DONE, SKIPPED) for state in self.states)

    @property
    def ended(self) -> bool:
        if not self.finished or not_brought_to_an_end(self.entity, self.events):
            return False
        return not awaits_callbacks(self.document, self.entity, self.events)

    def take_up(self, places: Iterable[int]) -> None:
        """Take tasks for such that are under way, although they have an output: more than that
        is to be done."""
        for place in not_brought_to_an_end(self.entity, self.events) & set(places):
            if self.states[place] == DONE:
                self.states[place] = UNDER_WAY

    @property
    def result(self) -> str:
        """The text of a finished run: as CrewAI, the last output that is not empty."""
        texts = [self.raw(index) for index, state in enumerate(self.states) if state == DONE]
        return next((raw for raw in reversed(texts) if raw), "")

    def view(self) -> dict[str, Any]:
        tasks = [
            {
                "index": index,
                "name": text(task.get("name")),
                "description": text(task.get("description")) or "",
                "state": self.states[index],
                "output": self.raw(index) if task.get("output") is not None else None,
            }
            for index, task in enumerate(self.tasks)
        ]
        return {"tasks": tasks}

    def raw(self, index: int) -> str:
        """The text of a recorded output."""
        return text(mapping(self.tasks[index].get("output")).get("raw")) or ""

    def label(self, index: int) -> str:
        """What a person calls a task."""
        return text(self.tasks[index].get("name")) or f"task {index + 1}"

    def events_of(self, task_id: object) -> list[Entity]:
        """The events that name a task, in order."""
        return [one for one in [*self.events, *self.later] if one.get("task_id") == task_id]

    def _states(self) -> list[str]:
        """How far each task is; what the events tell tells pending ones apart."""
        told: dict[str, str] = {}
        # what a run had not brought to a checkpoint, a later one may have
        for event in sorted([*self.events, *self.later], key=event_order):
            task_id, kind = text(event.get("task_id")), event.get("type")
            if task_id and kind in ("task_started", "task_failed"):
                told[task_id] = UNDER_WAY if kind == "task_started" else FAILED
        dropped = dropped_tasks(self.document) if self._primary else frozenset()
        states = []
        for index, state in enumerate(task_states(self.tasks, dropped)):
            task_id = text(self.tasks[index].get("id")) or ""
            if state == DONE and told.get(task_id) == FAILED:
                state = FAILED  # what came after its output went wrong: a callback
            if state in (PENDING, SKIPPED) and index not in dropped:
                # what has begun was not skipped, whatever has been done behind it
                state = told.get(task_id, state)
            states.append(state)
        return states
