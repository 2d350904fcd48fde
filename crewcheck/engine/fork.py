"""A fork is data: a new document from an old one, with edits in and invalidated work out.

The document says so itself: ``crewcheck: {source, primary, edits, dropped}``, before
``entities`` so that a listing sees it. CrewAI passes the key over and loads the rest.
"""

from __future__ import annotations

import copy
import hashlib
import json
import secrets
import time
from collections.abc import Iterable, Mapping
from typing import Any

from crewcheck.errors import Refused
from crewcheck.model.document import (
    entities,
    iter_events,
    kickoff_inputs,
    mapping,
    objects,
    sequence,
    text,
)
from crewcheck.model.edits import Edits, changed_inputs
from crewcheck.model.harmless import one_line
from crewcheck.model.identity import fill
from crewcheck.model.primary import primary
from crewcheck.model.scan import FORK_TRIGGER

# A crew's own ending: untrue once work is pending again.
_ENDINGS = ("crew_kickoff_completed", "crew_kickoff_failed")


def new_id(now: float | None = None) -> str:
    """An id as CrewAI makes them: UTC time to the second and 8 hex digits."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now))
    return f"{stamp}_{secrets.token_hex(4)}"


def fork_document(
    document: Mapping[str, Any],
    *,
    source_id: str,
    branch: str,
    edits: Edits,
    run: Iterable[int],
) -> dict[str, Any]:
    """The document of a fork of a crew's checkpoint. The source is not touched.

    ``run`` are the positions of the tasks that will run (again); outputs among them are
    dropped with all that the events tell of them. Raises `Refused` where an edited output
    does not fit what its task declares.
    """
    made = copy.deepcopy(dict(document))
    crew: Any = primary(made, list(iter_events(made)))
    if crew is None or crew.get("entity_type") != "crew":
        raise Refused("only crews can be forked so far, and this checkpoint holds none")
    tasks: list[Any] = objects(crew.get("tasks"))
    running = set(run)
    dropped = sorted(i for i in running if i < len(tasks) and tasks[i].get("output") is not None)
    before = kickoff_inputs(crew, iter_events(made)) or {}
    changed = changed_inputs(before, edits)
    record = [
        *(_edit(f"inputs.{key}", before.get(key), value) for key, value in changed.items()),
        *(
            _edit(f"tasks.{index}.output", _raw(tasks[index]), value)
            for index, value in sorted(edits.outputs.items())
        ),
    ]
    for index, value in edits.outputs.items():
        _set_output(tasks[index], index, value)
    pending = [i for i, task in enumerate(tasks) if i in running or task.get("output") is None]
    inputs = {**before, **changed}
    if inputs or crew.get("checkpoint_inputs") is not None:
        crew["checkpoint_inputs"] = inputs
    for index in pending:
        _reset_task(tasks[index], inputs if changed else None, drop=index in running)
    gone = {text(tasks[i].get("id")) for i in running if i < len(tasks)} - {None}
    _drop_events(made, gone, drop_endings=bool(pending))
    _drop_executors(made, crew, [tasks[i] for i in sorted(running) if i < len(tasks)])
    place = next(index for index, one in enumerate(entities(made)) if one is crew)
    own = {"source": source_id, "primary": place, "edits": record, "dropped": dropped}
    return _in_order(made, own, source_id, branch)


def _in_order(
    made: dict[str, Any], own: dict[str, Any], source_id: str, branch: str
) -> dict[str, Any]:
    """The keys in CrewAI's order, ours before the bulk; unknown keys survive."""
    head = {
        "crewai_version": made.pop("crewai_version", None),
        "parent_id": source_id,
        "branch": branch,
        "crewcheck": own,
        "entities": made.pop("entities"),
    }
    if head["crewai_version"] is None:
        del head["crewai_version"]
    record = made.pop("event_record", {"nodes": {}})
    for key in ("parent_id", "branch", "crewcheck", "trigger"):
        made.pop(key, None)
    return {**head, **made, "event_record": record, "trigger": FORK_TRIGGER}


def dump(document: Mapping[str, Any]) -> bytes:
    """A document as CrewAI writes it: one line of ASCII JSON."""
    return json.dumps(document).encode("ascii")


def _edit(path: str, old: Any, new: Any) -> dict[str, Any]:
    """What was changed: enough to tell a person's edit, without keeping the old value."""
    digest = hashlib.sha256(json.dumps(old, sort_keys=True).encode()).hexdigest()
    return {"path": path, "old": f"sha256:{digest}", "new": new}


def _raw(task: Mapping[str, Any]) -> str | None:
    return text(mapping(task.get("output")).get("raw"))


def _set_output(task: dict[str, Any], index: int, value: str) -> None:
    """Put a person's text in the place of an output, and parse it again where declared."""
    label = one_line(text(task.get("name")) or f"task {index + 1}", 40)
    output = dict(mapping(task.get("output")))
    parsed = None
    if task.get("output_json") or task.get("output_pydantic"):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise Refused(
                f"the new output of {label} does not fit: it must be JSON ({error})",
                "edit it so that it fits what the task declares",
            ) from None
        _check_schema(parsed, task.get("output_json") or task.get("output_pydantic"), label)
    output.update(
        raw=value,
        json_dict=parsed if task.get("output_json") else None,
        pydantic=parsed if task.get("output_pydantic") else None,
        description=output.get("description") or text(task.get("description")) or "",
        expected_output=output.get("expected_output") or text(task.get("expected_output")),
        name=output.get("name") or text(task.get("name")),
        summary=output.get("summary"),
        agent=output.get("agent") or text(mapping(task.get("agent")).get("role")) or "",
        output_format=output.get("output_format") or "raw",
        messages=[],
    )
    task["output"] = output


def _check_schema(value: Any, schema: Any, label: str) -> None:
    """A first look at a declared output: an object with what is required.

    The user's own class judges for good when the run is prepared.
    """
    declared = mapping(schema)
    if declared.get("type") == "object" and not isinstance(value, dict):
        raise Refused(f"the new output of {label} does not fit: it must be a JSON object")
    missing = [key for key in sequence(declared.get("required")) if key not in mapping(value)]
    if missing:
        raise Refused(
            f"the new output of {label} does not fit: {', '.join(map(str, missing))} is missing"
        )


def _reset_task(task: dict[str, Any], inputs: Mapping[str, Any] | None, *, drop: bool) -> None:
    """A task that will run: without a result, its texts from the templates again."""
    if drop:
        task["output"] = None
        for key, empty in (
            ("prompt_context", None),
            ("start_time", None),
            ("end_time", None),
            ("processed_by_agents", []),
        ):
            if key in task:
                task[key] = empty
    if inputs is None:
        return
    for field in ("description", "expected_output"):
        template = text(task.get(f"checkpoint_original_{field}"))
        if template is not None:
            task[field] = fill(template, inputs)


def _drop_events(document: dict[str, Any], tasks: set[Any], *, drop_endings: bool) -> None:
    """Take the events of invalidated tasks, and all within them, out of the record."""
    nodes = mapping(document.get("event_record")).get("nodes")
    if not isinstance(nodes, dict):
        return
    inner: dict[str, list[str]] = {}
    stack: list[str] = []
    for key, node in nodes.items():
        event = mapping(mapping(node).get("event"))
        inner.setdefault(text(event.get("parent_event_id")) or "", []).append(key)
        ended = drop_endings and event.get("type") in _ENDINGS
        if ended or text(event.get("task_id")) in tasks:
            stack.append(key)
    gone: set[str] = set()
    while stack:
        key = stack.pop()
        if key not in gone:
            gone.add(key)
            stack += inner.get(key, [])
    for key in gone:
        del nodes[key]
    for node in nodes.values():
        _unlink(node, gone)


def _unlink(node: Any, gone: set[str]) -> None:
    """Forget links to events that are gone."""
    edges = mapping(node).get("edges")
    if isinstance(edges, dict):
        for kind, targets in list(edges.items()):
            if isinstance(targets, list):
                kept = [one for one in targets if one not in gone]
                if kept:
                    edges[kind] = kept
                else:
                    del edges[kind]
    event = mapping(node).get("event")
    if isinstance(event, dict):
        for link in ("previous_event_id", "triggered_by_event_id"):
            if event.get(link) in gone:
                event[link] = None


def _drop_executors(
    document: dict[str, Any], crew: Mapping[str, Any], tasks: list[Mapping[str, Any]]
) -> None:
    """An invalidated task leaves no chat behind: its executors' messages go."""
    texts = [found for task in tasks if (found := text(task.get("description")))]
    if not texts:
        return

    def about(executor: Any) -> bool:
        state = mapping(mapping(executor).get("checkpoint_state"))
        # the key of old versions lies in the executor itself
        messages = state.get("messages") or mapping(executor).get("messages")
        told = json.dumps(messages, ensure_ascii=False, default=str)
        return any(json.dumps(one, ensure_ascii=False)[1:-1] in told for one in texts)

    document["entities"] = [
        one
        for one in sequence(document.get("entities"))
        if one is crew or not (mapping(one).get("executor_type") and about(one))
    ]
    agents = [
        *objects(crew.get("agents")),
        *(mapping(t.get("agent")) for t in objects(crew.get("tasks"))),
    ]
    for agent in agents:
        if isinstance(agent, dict) and about(agent.get("agent_executor")):
            agent["agent_executor"] = None
