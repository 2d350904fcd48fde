"""An agent's part of a fork: another question, or the same one again."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from crewcheck.engine.fork_events import drop_events
from crewcheck.errors import Refused, UsageProblem
from crewcheck.model.agent import ANSWERED, ASKED, GAVE_UP, QUESTION, agent_run, within
from crewcheck.model.document import entities, is_executor, mapping, sorted_events, text
from crewcheck.model.edits import Change, Edits, changed_inputs
from crewcheck.model.harmless import name as shown

_NO_TIME = "1970-01-01T00:00:00Z"


def fork_agent(
    made: dict[str, Any], agent: dict[str, Any], edits: Edits, running: Set[int]
) -> tuple[list[Change], list[int]]:
    """Change a document and its agent in place: ``(what was edited, positions dropped)``.

    The answer goes where the agent is asked again; where it is asked something else, all
    that it did for the old question goes as well. Raises `Refused` or `UsageProblem`.
    """
    check_edits(edits)
    events = sorted_events(made)
    run = agent_run(made, agent, events)
    before = {} if run.question is None else {QUESTION: run.question}
    changed = changed_inputs(before, edits)
    record = [Change(f"inputs.{key}", before.get(key), value) for key, value in changed.items()]
    dropped = [0] if running and run.answer is not None else []
    kickoff_id = run.kickoff_id
    if running:
        anew = bool(changed or dropped or edits.rerun)
        inner = {event.get("event_id") for event in within(events, kickoff_id)} - {kickoff_id}
        endings = (ANSWERED, GAVE_UP)
        drop_events(
            made,
            lambda event: (
                event.get("event_id") in inner
                and (anew or (event.get("type") in endings and _closes(event, kickoff_id)))
            ),
        )
        if anew:
            _forget_work(made, agent)
    if kickoff_id is not None:
        agent["checkpoint_kickoff_event_id"] = kickoff_id
    if changed:
        began = next((at for one in events if (at := text(one.get("timestamp")))), _NO_TIME)
        _set_question(made, agent, kickoff_id, changed[QUESTION], began)
    return record, dropped


def check_edits(edits: Edits) -> None:
    """Raises `Refused` or `UsageProblem` for what cannot be edited of an agent."""
    if edits.outputs or edits.results:
        raise Refused(
            "an agent's answer is all that it gives: nothing would run on another one",
            f"ask it something else with --input {QUESTION}=TEXT",
        )
    for key, value in edits.inputs.items():
        if key != QUESTION:
            raise UsageProblem(
                f"an agent is given a {QUESTION}, and nothing called {shown(key)}",
                f"write --input {QUESTION}=TEXT",
            )
        if not _is_question(value):
            raise UsageProblem(
                f"the {QUESTION} must be a text, or a list of messages with role and content"
            )


def _is_question(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and text(one.get("role")) for one in value)
    )


def _closes(event: Mapping[str, Any], kickoff_id: str | None) -> bool:
    return event.get("started_event_id") == kickoff_id


def _forget_work(made: dict[str, Any], agent: dict[str, Any]) -> None:
    """The chat of the agent's loop is about what is not asked any more."""
    made["entities"] = [one for one in entities(made) if one is agent or not is_executor(one)]
    if agent.get("agent_executor") is not None:
        agent["agent_executor"] = None


def _set_question(
    made: dict[str, Any],
    agent: dict[str, Any],
    kickoff_id: str | None,
    question: Any,
    began: str,
) -> None:
    """Write the question where it stands, or into an opening event for it."""
    nodes: Any = mapping(mapping(made.get("event_record")).get("nodes"))
    event: Any = mapping(mapping(nodes.get(kickoff_id or "")).get("event"))
    if event.get("type") == ASKED:
        event["messages"] = question
        return
    info = {key: agent.get(key) for key in ("id", "role", "goal", "backstory")}
    key = kickoff_id or f"{agent.get('id')}-asked"
    agent["checkpoint_kickoff_event_id"] = key
    opening = {
        "type": ASKED,
        "event_id": key,
        "timestamp": began,
        "agent_info": info,
        "tools": None,
        "messages": question,
    }
    opened = {"event": opening, "edges": {}}
    made["event_record"] = {
        **mapping(made.get("event_record")),
        "nodes": {key: opened, **nodes},
    }
