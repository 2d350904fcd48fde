"""A flow of a document: its methods in the order in which they ran, and its state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crewcheck.model.document import INTERNAL_FLOWS, mapping, objects, sequence, text
from crewcheck.model.events import Tokens, seconds_between, tokens_of


@dataclass(slots=True)
class Method:
    """A method of a flow. ``state`` is ``done``, ``running``, ``failed`` or ``paused``.

    ``results`` has one value for each finished call (a loop calls a method again).
    """

    name: str
    state: str
    calls: int = 0
    results: list[Any] = field(default_factory=list)
    seconds: float | None = None
    error: str | None = None
    message: str | None = None
    started_at: str | None = None
    tokens: Tokens = field(default_factory=Tokens)


def methods(
    flow: Mapping[str, Any], name: str | None, events: Iterable[Mapping[str, Any]]
) -> list[Method]:
    """The methods that have run or begun, in the order of their first start.

    From the events; what they do not tell (1.14 writes fewer) from the flow's own record.
    Methods that have not begun are not in a document.
    """
    found: dict[str, Method] = {}
    openings: dict[str, str] = {}
    for event in events:
        _take(event, name, found, openings)
    counts = mapping(flow.get("checkpoint_method_counts"))
    for done in sequence(flow.get("checkpoint_completed_methods")):
        if isinstance(done, str):
            method = found.setdefault(done, Method(done, "done"))
            count = counts.get(done)
            method.calls = max(method.calls, count if isinstance(count, int) else 1)
            if method.state == "running" and not method.results:
                method.state = "done"
    for output in objects(flow.get("checkpoint_method_outputs")):
        told = found.get(text(output.get("method")) or "")
        if told is not None and not told.results and "output" in output:
            told.results.append(output["output"])
    return list(found.values())


def _take(
    event: Mapping[str, Any], flow: str | None, found: dict[str, Method], openings: dict[str, str]
) -> None:
    kind = text(event.get("type")) or ""
    method_name = text(event.get("method_name"))
    of_flow = text(event.get("flow_name"))
    if not kind.startswith("method_execution_") or method_name is None:
        parent = openings.get(text(event.get("parent_event_id")) or "")
        if parent is not None and parent in found:
            found[parent].tokens += tokens_of(event)
        return
    if of_flow in INTERNAL_FLOWS or (flow is not None and of_flow not in (None, flow)):
        return
    method = found.setdefault(method_name, Method(method_name, "running"))
    if kind == "method_execution_started":
        method.state = "running"
        method.calls += 1
        method.started_at = text(event.get("timestamp"))
        if event_id := text(event.get("event_id")):
            openings[event_id] = method_name
        return
    took = seconds_between(method.started_at, event.get("timestamp"))
    if took is not None:
        method.seconds = (method.seconds or 0.0) + took
    if kind == "method_execution_finished":
        method.state = "done"
        method.calls = max(method.calls, len(method.results) + 1)
        method.results.append(event.get("result"))
    elif kind == "method_execution_failed":
        method.state = "failed"
        error = event.get("error")
        method.error = error if isinstance(error, str) else str(error)
    elif kind == "method_execution_paused":
        method.state = "paused"
        method.message = text(event.get("message"))


def state(flow: Mapping[str, Any]) -> Any:
    """The flow's state as it was saved (it may be ahead of the completed methods)."""
    return flow.get("checkpoint_state")
