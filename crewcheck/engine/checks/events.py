"""Whether the events of the record fit together. None of it keeps a run from going on."""

from __future__ import annotations

from collections.abc import Iterator

from crewcheck.engine.checks.subject import Event, Flaw, Subject, event_path
from crewcheck.model.document import mapping, text
from crewcheck.model.words import many

_OPENS = "_started"
_CLOSES = ("_completed", "_finished", "_failed", "_error")
#: What CrewAI never closes, or closes without saying what.
_UNPAIRED = frozenset({"agent_logs_started", "checkpoint_started", "checkpoint_fork_started"})
_CLOSES_NOTHING = frozenset(
    {"checkpoint_completed", "checkpoint_failed", "checkpoint_fork_completed"}
)
_ASKED = "lite_agent_execution_started"
_LINKS = ("parent_event_id", "previous_event_id", "triggered_by_event_id")
_ROOTS = frozenset({"crew_kickoff_started", "flow_started", _ASKED})


def check(subject: Subject) -> Iterator[Flaw]:
    events = subject.events
    # CrewAI ends an agent's record with the ending alone: what it refers to is cut off
    kinds = [event.get("type") for event in events]
    if subject.kind == "agent" and _ASKED not in kinds:
        return
    yield from _said("event-unended", _unended(subject), "began and never ended", "")
    unstarted = [event for event in events if _is_unstarted(event, subject)]
    yield from _said("event-unstarted", unstarted, "ended and never began", "")
    yield from _duplicates(subject)
    for link in _LINKS:
        loose = [
            event
            for event in events
            if (target := text(event.get(link))) and target not in subject.ids
        ]
        yield from _said("event-link", loose, "names an event that is not there", link)
    roots = [
        event
        for event in events
        if text(event.get("type")) in _ROOTS and event.get("parent_event_id") is None
    ]
    if len(roots) > 1:
        said = f"its record holds {len(roots)} runs: {', '.join(map(_run, roots[:4]))}"
        yield Flaw("several-runs", event_path(str(roots[1].get("event_id"))), said)


def _run(event: Event) -> str:
    named = text(event.get("crew_name")) or text(event.get("flow_name"))
    return named or str(event.get("type")).removesuffix(_OPENS)


def _unended(subject: Subject) -> list[Event]:
    """Openings without an end that cannot be under way any more.

    What is under way has no end either; but all around it is open too, and of the tasks of
    a crew that are done one by one only the last can be.
    """
    asynchronous = {
        text(task.get("id")) for _, task in subject.tasks if task.get("async_execution") is True
    }
    last: dict[str | None, Event] = {}
    openings = []
    for event in subject.events:
        kind = event.get("type")
        if isinstance(kind, str) and kind.endswith(_OPENS) and kind not in _UNPAIRED:
            openings.append(event)
            if kind == "task_started" and text(event.get("task_id")) not in asynchronous:
                last[text(event.get("parent_event_id"))] = event
    found = []
    for event in openings:
        if text(event.get("event_id")) in subject.ended:
            continue
        around = text(event.get("parent_event_id"))
        over = around is not None and around in subject.ended
        if event["type"] == "task_started" and text(event.get("task_id")) not in asynchronous:
            over = over or last[around] is not event
        if over:
            found.append(event)
    return found


def _is_unstarted(event: Event, subject: Subject) -> bool:
    kind = event.get("type")
    if not isinstance(kind, str) or not kind.endswith(_CLOSES) or kind in _CLOSES_NOTHING:
        return False
    started = text(event.get("started_event_id"))
    if started is None:
        # only what is known to be opened and closed
        return kind in _PAIRED
    return started not in subject.ids


_PAIRED = frozenset(
    f"{what}_{end}"
    for what, ends in (
        ("crew_kickoff", ("completed", "failed")),
        ("task", ("completed", "failed")),
        ("agent_execution", ("completed", "error")),
        ("lite_agent_execution", ("completed", "error")),
        ("llm_call", ("completed", "failed")),
        ("tool_usage", ("finished", "error")),
        ("method_execution", ("finished", "failed")),
        ("flow", ("finished", "failed")),
    )
    for end in ends
)


def _duplicates(subject: Subject) -> Iterator[Flaw]:
    seen: set[str] = set()
    twice: list[str] = []
    for key, node in subject.nodes.items():
        own = text(mapping(mapping(node).get("event")).get("event_id"))
        if own is None:
            continue
        if own in seen or own != key:
            twice.append(key)
        seen.add(own)
    if twice:
        said = f"{many(len(twice), 'event')} with another's id: {twice[0]}"
        yield Flaw("event-duplicate", event_path(twice[0]), said)


def _said(rule: str, events: list[Event], what: str, link: str) -> Iterator[Flaw]:
    """One flaw for all events of a kind: the first is named, the others are counted."""
    if not events:
        return
    first = events[0]
    about = text(first.get("task_name")) or text(first.get("method_name"))
    said = f"{first.get('type')}{f' ({about})' if about else ''} {what}"
    if len(events) > 1:
        said += f", and {many(len(events) - 1, 'other')} so"
    path = event_path(str(first.get("event_id")))
    yield Flaw(rule, f"{path}.{link}" if link else path, said)
