"""A document as checks look at it: taken apart once, for all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from crewcheck.model.document import entities, iter_events, mapping, objects, sequence, text
from crewcheck.model.primary import primary
from crewcheck.model.status import dropped_tasks, task_states

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Event = Mapping[str, Any]


class Flaw(NamedTuple):
    """What a check has found. ``severity`` is the rule's where it is None."""

    rule: str
    path: str
    message: str
    severity: str | None = None


class Subject:
    """``entity`` is the primary one (empty if there is none), ``at`` its path; ``tasks`` are
    a crew's, with their positions in the document; ``ended`` the ids of events that another
    one closes, ``told`` the newest event of each task's life."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.nodes: Mapping[str, Any] = mapping(mapping(document.get("event_record")).get("nodes"))
        self.events: list[Event] = list(iter_events(document))
        self.ids: set[Any] = set()
        self.ended: set[Any] = set()
        self.told: dict[str, Event] = {}
        for event in self.events:
            self.ids.add(text(event.get("event_id")))
            started = event.get("started_event_id")
            if isinstance(started, str) and started != event.get("event_id"):
                self.ended.add(started)
            if text(event.get("type")) in _OF_A_TASK and (task := text(event.get("task_id"))):
                before = self.told.get(task)
                if before is None or _order(event) >= _order(before):
                    self.told[task] = event
        entity = primary(document, self.events)
        self.entity: Mapping[str, Any] = {} if entity is None else entity
        self.kind = text(self.entity.get("entity_type"))
        self.at = self._place(entity)
        listed = enumerate(sequence(self.entity.get("tasks"))) if self.kind == "crew" else ()
        self.tasks = [(place, task) for place, task in listed if isinstance(task, dict)]
        self.states = task_states([task for _, task in self.tasks], dropped_tasks(document))
        edits = objects(mapping(document.get("crewcheck")).get("edits"))
        #: paths that a person has changed in a fork of ours
        self.edited = {text(one.get("path")) for one in edits}

    def _place(self, entity: object) -> str:
        for place, one in enumerate(sequence(self.document.get("entities"))):
            if one is entity:
                return f"entities[{place}]"
        return "entities"

    def task_path(self, place: int) -> str:
        return f"{self.at}.tasks[{place}]"

    def label(self, place: int, task: Mapping[str, Any]) -> str:
        """What a person calls a task."""
        return text(task.get("name")) or f"task {place + 1}"

    @property
    def all_entities(self) -> list[Mapping[str, Any]]:
        return entities(self.document)


_OF_A_TASK = frozenset({"task_started", "task_completed", "task_failed"})


def _order(event: Event) -> tuple[str, int]:
    number = event.get("emission_sequence")
    return text(event.get("timestamp")) or "", number if isinstance(number, int) else 0


def join(path: str, key: str) -> str:
    """A path with one more key, which may be any text."""
    if _PLAIN.fullmatch(key):
        return f"{path}.{key}" if path else key
    import json

    return f"{path}[{json.dumps(key)}]"


def event_path(event_id: str) -> str:
    return join("event_record.nodes", event_id)


def named(value: object) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return names.get(type(value), "a number")
