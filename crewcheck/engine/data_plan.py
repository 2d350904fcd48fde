"""The plan of a fork or resume as far as data tells: nothing of the user's is run for it.

With a project in which the crew or flow is found for certain, what its text says of
``context`` lists, templates, joins and routes counts; else what comes later may depend on
all that was before it.
"""

from __future__ import annotations

from crewcheck.engine.flow_plan import FlowWishes, Step, plan_flow
from crewcheck.engine.invalidation import Decision, TaskFacts, Wishes, decide
from crewcheck.engine.source import FLOW, Source
from crewcheck.model.document import objects
from crewcheck.model.edits import Edits, changed_inputs
from crewcheck.runtimes.project import Project
from crewcheck.runtimes.static_look import look_at, match_crew, match_flow


def facts_from_data(source: Source, project: Project | None) -> list[TaskFacts]:
    """What the plan of a crew is made from."""
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


def steps_from_data(source: Source, project: Project | None) -> tuple[Step, ...] | None:
    """The methods of the flow's class, None where it is not found for certain."""
    if project is None:
        return None
    methods = sorted({call.method for call in source.calls})
    matches = match_flow(look_at(project.folder, project.path), source.name, methods)
    if len(matches) == 1 and matches[0].certain:
        return matches[0].candidate.steps
    return None


def wishes_of(source: Source, edits: Edits) -> Wishes:
    """A person's edits of a crew as `invalidation` takes them."""
    return Wishes(
        frozenset(edits.outputs),
        frozenset(changed_inputs(source.inputs, edits)),
        frozenset(edits.rerun),
        frozenset(edits.keep),
    )


def decide_from_data(source: Source, edits: Edits, project: Project | None) -> list[Decision]:
    """What a fork keeps and runs, as far as data tells."""
    if source.kind == FLOW:
        wishes = FlowWishes(
            edits.results,
            frozenset(changed_inputs(source.inputs, edits)),
            frozenset(edits.rerun),
            frozenset(edits.keep),
        )
        steps = steps_from_data(source, project)
        return plan_flow(source.calls, steps, wishes, finished=not source.pending)
    return decide(facts_from_data(source, project), wishes_of(source, edits))
