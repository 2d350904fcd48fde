"""A plan that a person can change before it is confirmed: which tasks are kept, which run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from crewcheck.engine.invalidation import (
    DONE,
    KEEP,
    RUN,
    SKIPPED,
    Decision,
    TaskFacts,
    Wishes,
    decide,
    to_run,
)


class PlanBoard:
    """Decides anew with each switch. ``exact`` once the child has told of the user's crew."""

    def __init__(self, facts: Iterable[TaskFacts], wishes: Wishes) -> None:
        self.facts = list(facts)
        self._wishes = wishes
        self.rerun: set[int] = set(wishes.rerun)
        self.keep: set[int] = set(wishes.keep)
        self.exact = False
        self.items: list[Decision] = []
        self._decide()

    @property
    def run(self) -> list[int]:
        """The positions that will run."""
        return to_run(self.items)

    @property
    def switched(self) -> bool:
        """Whether a person has changed the plan."""
        return bool(self.rerun or self.keep)

    def learn(self, loaded: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
        """Take the facts that the child has of the user's own tasks, and its plan."""
        planned = {
            item["index"]: item
            for item in plan.get("items") or []
            if isinstance(item, dict) and isinstance(item.get("index"), int)
        }
        labels = {fact.index: fact.label for fact in self.facts}
        facts = []
        for task in loaded.get("tasks") or []:
            if not isinstance(task, dict) or not isinstance(task.get("index"), int):
                continue
            index = task["index"]
            item = planned.get(index, {})
            # inputs that CrewAI itself fills in are not among the names that are told
            names = {*_texts(task.get("names")), *_texts(item.get("inputs"))}
            facts.append(
                TaskFacts(
                    index,
                    str(task.get("state") or "pending"),
                    frozenset(i for i in task.get("depends_on") or [] if isinstance(i, int)),
                    frozenset(names),
                    labels.get(index) or str(item.get("label") or task.get("name") or ""),
                )
            )
        if facts:
            self.facts = facts
        self.exact = True
        self._decide()

    def switch(self, index: int) -> str:
        """Switch a task between keep and run; why it cannot be, empty if it was."""
        item = self.items[index]
        state = self.facts[index].state
        if item.rule == "edited":
            return "its output is yours and is kept; undo the edit to let it run"
        if state not in (DONE, SKIPPED):
            return "it has no output that could be kept: give it one, or let it run"
        if item.action == KEEP:
            self.keep.discard(index)
            self._decide()
            if self.items[index].action == KEEP:
                self.rerun.add(index)
        else:
            self.rerun.discard(index)
            self._decide()
            if self.items[index].action == RUN:
                self.keep.add(index)
        self._decide()
        return ""

    def _decide(self) -> None:
        wishes = replace(self._wishes, rerun=frozenset(self.rerun), keep=frozenset(self.keep))
        self.items = decide(self.facts, wishes)


def _texts(values: Any) -> list[str]:
    return [one for one in values if isinstance(one, str)] if isinstance(values, list) else []
