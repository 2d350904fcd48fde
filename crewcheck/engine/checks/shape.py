"""Whether what CrewAI needs is there, and of the right type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from crewcheck.engine.checks.subject import Flaw, Subject, join, named
from crewcheck.model.document import mapping, sequence, text

#: The versions whose documents are known, without their last number.
_KNOWN = {(1, 14), (1, 15)}
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+)?\S*")
_KINDS = frozenset({"crew", "flow", "agent", "workflow", "run"})

_TEXT, _OBJECT, _LIST, _NULL, _BOOL = str, dict, list, type(None), bool
_SAID = {str: "a text", dict: "an object", list: "a list", bool: "a truth value", _NULL: "null"}

#: key -> types that it may have, whether CrewAI needs it. Null among the types: it may be
#: missing as well.
_Wanted = dict[str, tuple[tuple[type, ...], bool]]
_TOP: _Wanted = {
    "crewai_version": ((_TEXT, _NULL), False),
    "parent_id": ((_TEXT, _NULL), False),
    "branch": ((_TEXT, _NULL), False),
    "trigger": ((_TEXT, _NULL), False),
    "event_record": ((_OBJECT, _NULL), True),
}
_CREW: _Wanted = {
    "tasks": ((_LIST,), True),
    "agents": ((_LIST,), True),
    "checkpoint_inputs": ((_OBJECT, _NULL), True),
    "process": ((_TEXT, _NULL), False),
    "name": ((_TEXT, _NULL), False),
    "checkpoint_kickoff_event_id": ((_TEXT, _NULL), False),
}
_TASK: _Wanted = {
    "description": ((_TEXT,), True),
    "expected_output": ((_TEXT,), True),
    "output": ((_OBJECT, _NULL), True),
    "agent": ((_OBJECT, _NULL), True),
    "id": ((_TEXT,), False),
    "name": ((_TEXT, _NULL), False),
    "context": ((_TEXT, _LIST, _NULL), False),
    "async_execution": ((_BOOL, _NULL), False),
    "checkpoint_original_description": ((_TEXT, _NULL), False),
    "checkpoint_original_expected_output": ((_TEXT, _NULL), False),
}
_FLOW: _Wanted = {
    "checkpoint_completed_methods": ((_LIST, _NULL), True),
    "checkpoint_method_outputs": ((_LIST, _NULL), True),
    "checkpoint_state": ((_OBJECT, _NULL), True),
    "checkpoint_method_counts": ((_OBJECT, _NULL), False),
    "name": ((_TEXT, _NULL), False),
}
_AGENT: _Wanted = {
    "role": ((_TEXT,), True),
    "goal": ((_TEXT, _NULL), False),
    "backstory": ((_TEXT, _NULL), False),
}
_OF_KIND = {"crew": _CREW, "flow": _FLOW, "agent": _AGENT}


def check(subject: Subject) -> Iterator[Flaw]:
    document, entity = subject.document, subject.entity
    yield from _types(document, "", _TOP)
    yield from _version(document)
    yield from _entities(document)
    yield from _record(document)
    yield from _types(entity, subject.at, _OF_KIND.get(subject.kind or "", {}))
    if subject.kind == "crew":
        yield from _tasks(subject)
        yield from _objects(entity.get("agents"), f"{subject.at}.agents")
    elif subject.kind == "flow":
        for place, method in enumerate(sequence(entity.get("checkpoint_completed_methods"))):
            if not isinstance(method, str):
                path = f"{subject.at}.checkpoint_completed_methods[{place}]"
                yield Flaw("wrong-type", path, f"it is {named(method)}, not a method's name")


def _types(part: Mapping[str, Any], path: str, wanted: _Wanted) -> Iterator[Flaw]:
    for key, (types, needed) in wanted.items():
        value = part.get(key)
        if type(value) in types:
            continue
        rule = "wrong-type" if needed else "odd-type"
        should = " or ".join(_SAID[one] for one in types)
        if key in part:
            yield Flaw(rule, join(path, key), f"it is {named(value)}, and should be {should}")
        else:
            yield Flaw(rule, join(path, key), f"it is missing, and should be {should}")


def _version(document: Mapping[str, Any]) -> Iterator[Flaw]:
    version = document.get("crewai_version")
    if not isinstance(version, str):
        return
    found = _VERSION.fullmatch(version)
    if found is None or (int(found[1]), int(found[2])) not in _KNOWN:
        said = f"it says CrewAI {version[:40]}, and known are 1.14 and 1.15"
        yield Flaw("unknown-version", "crewai_version", said)


def _entities(document: Mapping[str, Any]) -> Iterator[Flaw]:
    for place, entity in enumerate(sequence(document.get("entities"))):
        path = f"entities[{place}]"
        if not isinstance(entity, dict):
            yield Flaw("wrong-type", path, f"it is {named(entity)}, not an entity")
        elif (kind := text(entity.get("entity_type"))) not in _KINDS:
            said = f"it is of the kind {kind[:40]}" if kind else "it has no kind"
            yield Flaw("unknown-kind", f"{path}.entity_type", said)


def _record(document: Mapping[str, Any]) -> Iterator[Flaw]:
    record = document.get("event_record")
    if record is None:
        yield Flaw("no-record", "event_record", "the document has no event record")
        return
    if not isinstance(record, dict):
        return
    nodes = record.get("nodes")
    if not isinstance(nodes, dict):
        said = f"it is {named(nodes)}, and should be an object"
        yield Flaw("wrong-type", "event_record.nodes", said)
        return
    odd = [
        key
        for key, node in nodes.items()
        if not isinstance(mapping(mapping(node).get("event")).get("type"), str)
    ]
    if odd:
        more = f", and {len(odd) - 1} more" if len(odd) > 1 else ""
        path = join("event_record.nodes", odd[0])
        yield Flaw("odd-type", path, f"it holds no event with a type{more}")


def _tasks(subject: Subject) -> Iterator[Flaw]:
    path = f"{subject.at}.tasks"
    listed = subject.entity.get("tasks")
    yield from _objects(listed, path)
    if listed == []:
        yield Flaw("wrong-type", path, "the crew has no tasks")
    for place, task in subject.tasks:
        at = f"{path}[{place}]"
        yield from _types(task, at, _TASK)
        output = task.get("output")
        if isinstance(output, dict) and not isinstance(output.get("raw"), str):
            said = "it is missing" if "raw" not in output else f"it is {named(output['raw'])}"
            yield Flaw("wrong-type", f"{at}.output.raw", f"{said}, and should be a text")


def _objects(value: object, path: str) -> Iterator[Flaw]:
    for place, one in enumerate(sequence(value)):
        if not isinstance(one, dict):
            yield Flaw("wrong-type", f"{path}[{place}]", f"it is {named(one)}, not an object")
