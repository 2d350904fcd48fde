"""Whether what is done, what the events tell and the totals fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from crewcheck.engine.checks.subject import Flaw, Subject
from crewcheck.model.document import INTERNAL_FLOWS, objects, sequence, text
from crewcheck.model.status import dropped_tasks


def check(subject: Subject) -> Iterator[Flaw]:
    if subject.kind == "crew":
        yield from _crew(subject)
    elif subject.kind == "flow":
        yield from _flow(subject)


def _crew(subject: Subject) -> Iterator[Flaw]:
    pending = []
    dropped = dropped_tasks(subject.document)
    ids = Counter(text(task.get("id")) for _, task in subject.tasks)
    for (place, task), state in zip(subject.tasks, subject.states, strict=True):
        path = f"{subject.task_path(place)}.output"
        label = subject.label(place, task)
        own = text(task.get("id"))
        # events of two tasks with one id cannot be told apart
        event = subject.told.get(own) if own is not None and ids[own] == 1 else None
        told = text(event.get("type")) if event is not None else None
        if state == "pending":
            pending.append(label)
        if state != "done" and told == "task_completed" and place not in dropped:
            said = f"{label} was completed, and its output is not there"
            yield Flaw("output-missing", path, said)
        elif state == "skipped" and told == "task_started":
            said = f"{label} has begun and has no output, and a later task is done"
            yield Flaw("out-of-order", path, said)
        elif state == "done" and told == "task_started" and not _edited(subject, place):
            said = f"{label} has an output, and its events say that it is under way"
            yield Flaw("output-early", path, said)
    if pending and subject.document.get("trigger") == "crew_kickoff_completed":
        said = f"the kickoff is completed, and without a result are: {', '.join(pending[:5])}"
        yield Flaw("finished-with-pending", f"{subject.at}.tasks", said)


def _edited(subject: Subject, place: int) -> bool:
    return f"tasks.{place}.output" in subject.edited


def _flow(subject: Subject) -> Iterator[Flaw]:
    flow = subject.entity
    completed = [
        one for one in sequence(flow.get("checkpoint_completed_methods")) if isinstance(one, str)
    ]
    counts = flow.get("checkpoint_method_counts")
    outputs = sequence(flow.get("checkpoint_method_outputs"))
    # a row of @persist has no outputs and no events: nothing to compare with
    if not subject.events and not outputs:
        return
    named = {text(one.get("method")) for one in objects(outputs) if "method" in one}
    finished = {
        text(event.get("method_name"))
        for event in subject.events
        if event.get("type") == "method_execution_finished"
        and text(event.get("flow_name")) not in INTERNAL_FLOWS
    }
    # before 1.15 outputs have no names: their number tells
    enough = not named and len(outputs) >= len(completed)
    for place, method in enumerate(sequence(flow.get("checkpoint_completed_methods"))):
        if not isinstance(method, str) or method in named or method in finished or enough:
            continue
        path = f"{subject.at}.checkpoint_completed_methods[{place}]"
        yield Flaw("method-output-missing", path, f"{method} is done, and its result is nowhere")
    if isinstance(counts, dict):
        for method in completed:
            count = counts.get(method)
            if not isinstance(count, int) or count < 1:
                path = f"{subject.at}.checkpoint_method_counts"
                said = f"{method} is done, and was counted {count if method in counts else 'never'}"
                yield Flaw("method-counts", path, said)
