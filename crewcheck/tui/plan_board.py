"""A plan that a person can change before it is confirmed: what is kept, and what runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from crewcheck.engine.data_plan import Planner
from crewcheck.engine.flow_plan import DROP
from crewcheck.engine.invalidation import KEEP, RUN, Decision, TaskFacts, not_kept


class Told(NamedTuple):
    """A method of the user's own flow (`engine.flow_plan.Step`). ``routes``: it gives labels."""

    name: str
    kind: str
    waits_for: tuple[str, ...] | None
    all_of: bool
    labels: tuple[str, ...] | None
    routes: bool


class PlanBoard:
    """Decides anew with each switch. ``exact`` once the child has told of the user's crew.

    ``costs`` are those of the plan as it is now (see `engine.costs.costs`).
    """

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self.rerun: set[int] = set()
        self.keep: set[int] = set()
        self.exact = False
        self.items: list[Decision] = []
        self.costs: dict[str, Any] = {}
        self._decide()

    @property
    def not_kept(self) -> list[int]:
        """The positions whose recording goes."""
        return not_kept(self.items)

    @property
    def first_to_run(self) -> int:
        """Where the first thing that runs stands."""
        return next((at for at, item in enumerate(self.items) if item.action == RUN), 0)

    @property
    def class_known(self) -> bool:
        """Whether what depends on what is known from the flow's class, too."""
        return self._planner.steps is not None

    def learn(self, loaded: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
        """Take the facts that the child has of the user's own tasks or methods, and its plan."""
        planned = {
            item["index"]: item
            for item in plan.get("items") or []
            if isinstance(item, dict) and isinstance(item.get("index"), int)
        }
        labels = {fact.index: fact.label for fact in self._planner.facts}
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
            self._planner.learn(facts)
        if steps := _steps(loaded):
            self._planner.learn_steps(steps)
        self.exact = True
        self._decide()

    def switch(self, at: int) -> str:
        """Switch an item between keep and run; why it cannot be, empty if it was."""
        item = self.items[at]
        index = item.index
        if item.rule == "edited":
            return "its output is yours and is kept; undo the edit to let it run"
        if item.action == DROP:
            return "the flow does not come there any more, so it is neither kept nor run"
        if not self._planner.can_keep(at):
            return "it has no output that could be kept: give it one, or let it run"
        if item.action == KEEP:
            self.keep.discard(index)
            self._decide()
            if self.items[at].action == KEEP:
                self.rerun.add(index)
        else:
            self.rerun.discard(index)
            self._decide()
            if self.items[at].action == RUN:
                self.keep.add(index)
        self._decide()
        return ""

    def _decide(self) -> None:
        self.items = self._planner.decide(self.rerun, self.keep)
        self.costs = self._planner.costs(self.items)


def _steps(loaded: Mapping[str, Any]) -> list[Told]:
    """The methods of the user's own flow, as the child has told them."""
    found = []
    for method in loaded.get("methods") or []:
        if not isinstance(method, dict) or not isinstance(method.get("name"), str):
            continue
        waits_for, labels = method.get("waits_for"), method.get("labels")
        found.append(
            Told(
                method["name"],
                str(method.get("kind")),
                None if waits_for is None else tuple(_texts(waits_for)),
                method.get("all_of") is True,
                None if labels is None else tuple(_texts(labels)),
                method.get("routes") is True,
            )
        )
    return found


def _texts(values: Any) -> list[str]:
    return [one for one in values if isinstance(one, str)] if isinstance(values, list) else []
