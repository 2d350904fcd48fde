"""Whether what a document refers to is there."""

from __future__ import annotations

from collections.abc import Iterator

from crewcheck.engine.checks.subject import Flaw, Subject
from crewcheck.model.document import mapping, objects, sequence, text


def check(subject: Subject) -> Iterator[Flaw]:
    own = mapping(subject.document.get("crewcheck"))
    place = own.get("primary")
    if place is not None and not (type(place) is int and 0 <= place < len(subject.all_entities)):
        said = f"it names entity {place}, and there are {len(subject.all_entities)}"
        yield Flaw("primary-missing", "crewcheck.primary", said)
    if subject.kind != "crew":
        return
    yield from _agents(subject)
    yield from _contexts(subject)
    kickoff = text(subject.entity.get("checkpoint_kickoff_event_id"))
    if kickoff is not None and subject.events and kickoff not in subject.ids:
        path = f"{subject.at}.checkpoint_kickoff_event_id"
        yield Flaw("kickoff-missing", path, f"no event of the record has the id {kickoff}")


def _agents(subject: Subject) -> Iterator[Flaw]:
    crew = subject.entity
    process = crew.get("process")
    if process == "hierarchical" and not (crew.get("manager_agent") or crew.get("manager_llm")):
        yield Flaw("manager-missing", f"{subject.at}.manager_agent", "the crew has no manager")
    agents = objects(crew.get("agents"))
    ids = {text(one.get("id")) for one in agents}
    roles = {text(one.get("role")) for one in agents}
    for place, task in subject.tasks:
        agent = task.get("agent")
        path = f"{subject.task_path(place)}.agent"
        label = subject.label(place, task)
        if process == "hierarchical":
            continue
        if agent is None:
            # a finished task is not asked again
            if task.get("output") is None:
                yield Flaw("agent-missing", path, f"nobody is there to do {label}")
        elif isinstance(agent, dict):
            known = text(agent.get("id")), text(agent.get("role"))
            if agents and known[0] not in ids - {None} and known[1] not in roles:
                said = f"{label} is for {known[1] or known[0]}, who is not in the crew"
                yield Flaw("agent-unlisted", path, said)


def _contexts(subject: Subject) -> Iterator[Flaw]:
    tasks = dict(subject.tasks)
    places: dict[str, int] = {}
    for place, task in subject.tasks:
        own = text(task.get("id"))
        if own is None:
            continue
        if own in places:
            said = f"task {places[own] + 1} and task {place + 1} have the id {own}"
            yield Flaw("duplicate-task", f"{subject.task_path(place)}.id", said)
        places.setdefault(own, place)
    for place, task in subject.tasks:
        for at, one in enumerate(sequence(task.get("context"))):
            wanted = text(one) or text(mapping(one).get("id"))
            path = f"{subject.task_path(place)}.context[{at}]"
            label = subject.label(place, task)
            if wanted is None:
                continue
            found = places.get(wanted)
            if found is None:
                yield Flaw("context-missing", path, f"{label} asks for {wanted}: no such task")
            elif task.get("output") is not None and tasks[found].get("output") is None:
                said = f"{label} is done, and {subject.label(found, tasks[found])} is not"
                if subject.states[_index(subject, found)] != "skipped":
                    yield Flaw("context-not-done", path, said)


def _index(subject: Subject, place: int) -> int:
    return next(at for at, (one, _) in enumerate(subject.tasks) if one == place)
