"""The plan of a fork or resume as far as data tells: nothing of the user's is run for it.

With a project in which the crew or flow is found for certain, what its text says of
``context`` lists, templates, joins and routes counts; else what comes later may depend on
all that was before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from crewcheck.engine.costs import costs
from crewcheck.engine.flow_classes import steps_in
from crewcheck.engine.flow_plan import FlowWishes, Step, plan_flow
from crewcheck.engine.invalidation import (
    DONE,
    FAILED,
    PENDING,
    SKIPPED,
    UNDER_WAY,
    Decision,
    TaskFacts,
    Wishes,
    decide,
)
from crewcheck.engine.source import AGENT, FLOW, Source
from crewcheck.model.agent import QUESTION
from crewcheck.model.document import objects
from crewcheck.model.edits import Edits, changed_inputs
from crewcheck.runtimes.project import Project
from crewcheck.runtimes.static_look import look_at
from crewcheck.runtimes.static_match import match_crew


def facts_from_data(source: Source, project: Project | None) -> list[TaskFacts]:
    """What the plan of a crew or an agent is made from."""
    if source.agent is not None:
        return [agent_facts(source)]
    found = None
    if project is not None:
        matches = match_crew(
            look_at(project.folder, project.path), source.tasks, source.inputs, source.name
        )
        certain = [one for one in matches if one.certain and one.candidate.tasks]
        found = certain[0].candidate.tasks if len(certain) == 1 else None
    saved = objects(source.entity.get("tasks"))
    # of the context lists a document keeps only the empty ones
    alone = frozenset(index for index, task in enumerate(saved) if task.get("context") == [])
    facts = []
    for task in source.tasks:
        known = found[task.index] if found else None
        unknown = frozenset[int]() if task.index in alone else None
        facts.append(
            TaskFacts(
                task.index,
                {"running": "under-way"}.get(task.state, task.state),
                known.depends_on if known else unknown,
                # an agent's templates are not in a document: they may name any input
                known.names if known else None,
                task.label,
            )
        )
    return facts


def agent_facts(source: Source) -> TaskFacts:
    """An agent's one run, as `invalidation` takes it."""
    run = source.agent
    state = PENDING
    if run is not None and run.kickoff_id is not None:
        state = DONE if run.answer is not None else FAILED if run.error else UNDER_WAY
    label = (source.name or "").strip() or AGENT
    return TaskFacts(0, state, frozenset(), frozenset({QUESTION}), label)


def steps_from_data(source: Source, project: Project | None) -> tuple[Step, ...] | None:
    """The methods of the flow's class, None where it is not found for certain."""
    if project is None or not source.name:
        return None
    look = look_at(project.folder, project.path, source.name)
    return steps_in(look, source.name, (call.method for call in source.calls))


class Planner:
    """Decides what a fork or resume keeps and runs, anew for each wish of a person.

    ``facts`` are those of a crew's tasks, and empty for a flow. ``steps`` are those of a
    flow's class, None where it was not found for certain.
    """

    def __init__(self, source: Source, edits: Edits, project: Project | None) -> None:
        self.source = source
        self.is_flow = source.kind == FLOW
        self.facts = [] if self.is_flow else facts_from_data(source, project)
        self.steps = steps_from_data(source, project) if self.is_flow else None
        self._edits = edits
        self._inputs = frozenset(changed_inputs(source.inputs, edits))

    def learn(self, facts: Iterable[TaskFacts]) -> None:
        """Take what the child has found out about the user's own tasks."""
        self.facts = list(facts)

    def learn_steps(self, steps: Iterable[Step]) -> None:
        """Take what the child has found out about the user's own flow."""
        self.steps = tuple(steps)

    def decide(self, rerun: Set[int] | None = None, keep: Set[int] | None = None) -> list[Decision]:
        """What is kept and what runs, with the person's edits and these wishes (None: theirs)."""
        edits = self._edits
        again = frozenset(edits.rerun if rerun is None else rerun)
        kept = frozenset(edits.keep if keep is None else keep)
        if self.is_flow:
            wishes = FlowWishes(edits.results, self._inputs, again, kept)
            finished = not self.source.pending
            return plan_flow(self.source.calls, self.steps, wishes, finished=finished)
        return decide(self.facts, Wishes(frozenset(edits.outputs), self._inputs, again, kept))

    def can_keep(self, index: int) -> bool:
        """Whether an item has a recording that can be kept."""
        if self.is_flow:
            calls = self.source.calls
            return index < len(calls) and calls[index].state == DONE
        return self.facts[index].state in (DONE, SKIPPED)

    def costs(self, items: Iterable[Decision]) -> dict[str, Any]:
        """What is spent, and what the part that runs again cost: see `costs.costs`."""
        return costs(self.source, [item.as_dict() for item in items])


def decide_from_data(source: Source, edits: Edits, project: Project | None) -> list[Decision]:
    """What a fork keeps and runs, as far as data tells."""
    return Planner(source, edits, project).decide()
