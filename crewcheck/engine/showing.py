"""The parts of one checkpoint that ``show`` gives: the promised shapes, secrets masked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crewcheck.engine.inspect import Info, lay_out, redacted
from crewcheck.engine.rows import values
from crewcheck.errors import NotFound, UsageProblem
from crewcheck.model.document import mapping, sorted_events
from crewcheck.model.edits import find_task
from crewcheck.model.harmless import name as shown
from crewcheck.model.json_path import value_at
from crewcheck.model.messages import Conversation, conversations
from crewcheck.model.primary import primary
from crewcheck.model.scan import FINISHED
from crewcheck.model.timeline import Timeline, timeline

if TYPE_CHECKING:
    from crewcheck.engine.flow_graph import FlowGraph
    from crewcheck.engine.redaction import Redactor
    from crewcheck.model.crew import Task
    from crewcheck.model.flow import Method
    from crewcheck.model.scan import Checkpoint
    from crewcheck.stores.base import Store

#: What can be shown beside a task or method, in this order.
SECTIONS = ("inputs", "graph", "state", "agents", "messages", "events")


class Shown:
    """One checkpoint's document, read once, and what can be shown of it.

    Raises `DamagedDocument` or `NotFound` when it is made.
    """

    def __init__(self, store: Store, checkpoint: Checkpoint, redactor: Redactor) -> None:
        self.checkpoint = checkpoint
        self.redactor = redactor
        self.document = store.document(checkpoint.header)
        self._notes = store.notes(checkpoint.header)
        self._stored = store.stored
        self._store = store.location
        self._info: Info | None = None

    @property
    def info(self) -> Info:
        """The document laid out."""
        if self._info is None:
            self._info = lay_out(self.document, self.checkpoint, self.redactor, self._notes)
        return self._info

    def head(self) -> dict[str, Any]:
        """Which checkpoint it is."""
        return {
            "id": self.checkpoint.id,
            "branch": self.redactor.text(self.checkpoint.branch),
            "location": self.checkpoint.header.location,
        }

    def section(self, section: str) -> Any:
        """One of `SECTIONS`."""
        if section == "inputs":
            return self.info.inputs
        if section == "graph":
            graph = self.graph()
            return self.redactor.value(graph.as_dict()) if graph is not None else None
        if section == "state":
            return self.info.state
        if section == "agents":
            return [values(agent) for agent in self.info.agents]
        if section == "messages":
            return [conversation_shape(one) for one in self.conversations()]
        return timeline_shape(self.timeline())

    def work(self, wanted: str) -> tuple[str, Task | Method]:
        """``task`` or ``method``, and the one that is named. Raises `NotFound`."""
        if self.info.summary.kind != "flow":
            if not self.info.tasks:
                kind = self.info.summary.kind or "checkpoint"
                raise NotFound(f"{shown(self.checkpoint.id)} has no tasks: it is of a {kind}")
            return "task", self.info.tasks[find_task(self.info.tasks, wanted)]
        methods = self.info.methods
        for place, method in enumerate(methods, 1):
            if wanted in (method.name, str(place)):
                return "method", method
        known = ", ".join(f"{at} {shown(one.name)}" for at, one in enumerate(methods, 1))
        raise NotFound(f'no method "{shown(wanted)}"', f"there are: {known}" if known else "")

    def graph(self) -> FlowGraph | None:
        """The methods of a flow and the route that it took, with its class where that is in
        the project for certain; None of anything else."""
        from crewcheck.engine.flow_classes import FlowClasses
        from crewcheck.engine.flow_graph import flow_graph

        if self.info.summary.kind != "flow":
            return None
        classes, name = FlowClasses(self._store), self.info.summary.name
        if name:
            classes.read(name)
        calls = self.info.calls
        steps = classes.steps(name, (call.method for call in calls))
        return flow_graph(calls, steps, finished=self.info.summary.status == FINISHED)

    def conversations(self) -> list[Conversation]:
        """What was said, masked."""
        events = sorted_events(self.document)
        entity = mapping(primary(self.document, events))
        found = conversations(self.document, entity, events)
        return [_masked(one, self.redactor) for one in found]

    def timeline(self) -> Timeline:
        """What happened, masked."""
        events = sorted_events(self.document)
        made = timeline(mapping(primary(self.document, events)), events)
        masked: Timeline = _masked(made, self.redactor)
        return masked

    @property
    def masked(self) -> dict[str, Any]:
        """The document with its secrets masked; itself where it has none."""
        document: dict[str, Any] = self.redactor.value(self.document)
        return document

    def raw(self) -> tuple[bytes, bool]:
        """The document as JSON text, and whether something in it was masked.

        Its own bytes as they are stored, where nothing was and they are JSON text.
        """
        masked = self.masked
        hidden = masked is not self.document
        stored = None if hidden else self._stored(self.checkpoint.header)
        if stored is not None:
            return stored, False
        return json.dumps(masked, separators=(",", ":")).encode(), hidden

    def value(self, path: str) -> tuple[Any, bool]:
        """One value, and whether something in it was masked.

        Raises `NotFound` or `UsageProblem`.
        """
        masked = self.masked
        value = value_at(masked, path)
        if masked is self.document:
            return value, False
        try:
            return value, value is not value_at(self.document, path)
        except (NotFound, UsageProblem):  # a masked key
            return value, True


def conversation_shape(one: Conversation) -> dict[str, Any]:
    shape = values(one)
    shape["messages"] = [
        values(message) | {"tool_calls": [values(call) for call in message.tool_calls]}
        for message in one.messages
    ]
    return shape


def timeline_shape(made: Timeline) -> dict[str, Any]:
    shape = values(made)
    for part in ("events", "tasks", "methods", "agents", "models"):
        shape[part] = [values(one) for one in shape[part]]
    return shape


def _masked(part: Any, redactor: Redactor) -> Any:
    return part if redactor.show else redacted(redactor, part)
