"""Whether the schemas of tasks' outputs are schemas, and the outputs fit them.

Only what needs no library of schemas: a class of the user's own judges for good.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from crewcheck.engine.checks.subject import Flaw, Subject, join, named
from crewcheck.model.document import mapping, sequence, text

_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_OF_SCHEMAS = ("properties", "$defs", "definitions", "patternProperties")
_LISTS = ("anyOf", "allOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "contains")
#: More parts than any schema of a person's own has.
_MOST = 10_000


def check(subject: Subject) -> Iterator[Flaw]:
    for place, task in subject.tasks:
        for key in ("output_pydantic", "output_json"):
            schema = task.get(key)
            if schema is None:
                continue
            path = f"{subject.task_path(place)}.{key}"
            label = subject.label(place, task)
            wrong = list(_wrong(schema, path))
            if wrong:
                at, said = wrong[0]
                yield Flaw("schema-invalid", at, f"the output schema of {label}: {said}")
                continue
            if _recursive(schema):
                yield Flaw("schema-recursive", path, f"the output schema of {label}")
            yield from _fits(task, schema, f"{subject.task_path(place)}.output", label)


def _wrong(schema: Any, path: str) -> Iterator[tuple[str, str]]:
    """What is wrong in a schema and its parts: ``(path, what)``."""
    stack = [(schema, path)]
    for _ in range(_MOST):
        if not stack:
            return
        part, at = stack.pop()
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict):
            yield at, f"it is {named(part)}, not a schema"
            continue
        yield from _wrong_here(part, at, schema)
        for key in _OF_SCHEMAS:
            for name, inner in mapping(part.get(key)).items():
                stack.append((inner, join(join(at, key), str(name))))
        for key in _LISTS:
            for place, inner in enumerate(sequence(part.get(key))):
                stack.append((inner, f"{join(at, key)}[{place}]"))
        stack += [(part[key], join(at, key)) for key in _SINGLE if key in part]


def _wrong_here(part: Mapping[str, Any], at: str, root: Any) -> Iterator[tuple[str, str]]:
    kinds = part.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds] if "type" in part else []:
        if not isinstance(kind, str) or kind not in _TYPES:
            yield join(at, "type"), f"there is no type {json.dumps(kind)[:60]}"
    for key in _OF_SCHEMAS:
        if key in part and not isinstance(part[key], dict):
            yield join(at, key), f"it is {named(part[key])}, not an object"
    for key in (*_LISTS, "enum"):
        if key in part and not isinstance(part[key], list):
            yield join(at, key), f"it is {named(part[key])}, not a list"
    required = part.get("required", [])
    if not isinstance(required, list) or not all(isinstance(one, str) for one in required):
        yield join(at, "required"), "it is no list of names"
    reference = part.get("$ref")
    if reference is not None and _target(reference, root) is None:
        yield join(at, "$ref"), f"it refers to {json.dumps(reference)[:80]}: not there"


def _target(reference: object, root: Any) -> Any:
    """What a reference within a schema means, None if there is no such thing."""
    if not isinstance(reference, str):
        return None
    if not reference.startswith("#"):
        return reference  # elsewhere: not for us to say
    at = root
    for part in reference[1:].split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        at = at.get(name) if isinstance(at, dict) else None
        if at is None:
            return None
    return at


def _recursive(schema: Any) -> bool:
    """Whether a part of it refers to itself, by whatever way."""
    uses: dict[str, set[str]] = {"#": _references(schema, skip=("$defs", "definitions"))}
    for group in ("$defs", "definitions"):
        for name, inner in mapping(mapping(schema).get(group)).items():
            uses[f"#/{group}/{name}"] = _references(inner)
    for start in uses:
        seen: set[str] = set()
        stack = [start]
        while stack:
            for target in uses.get(stack.pop(), ()):
                if target == start:
                    return True
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
    return False


def _references(part: Any, skip: tuple[str, ...] = ()) -> set[str]:
    found: set[str] = set()
    stack = [part]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            if reference := text(one.get("$ref")):
                found.add(reference)
            stack += [value for key, value in one.items() if key not in skip]
        elif isinstance(one, list):
            stack += one
    return found


def _fits(task: Mapping[str, Any], schema: Any, path: str, label: str) -> Iterator[Flaw]:
    """Whether a recorded text can be what its schema says: an object with what is required."""
    raw = text(mapping(task.get("output")).get("raw"))
    declared = mapping(schema)
    if raw is None or declared.get("type") != "object":
        return
    value = mapping(task.get("output")).get("json_dict")
    if not isinstance(value, dict):
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            yield Flaw("output-unfit", f"{path}.raw", f"the output of {label} is no JSON object")
            return
    if not isinstance(value, dict):
        said = f"the output of {label} is {named(value)}, not an object"
        yield Flaw("output-unfit", f"{path}.raw", said)
        return
    missing = [key for key in sequence(declared.get("required")) if key not in value]
    if missing:
        said = f"the output of {label} lacks {', '.join(map(str, missing[:5]))}"
        yield Flaw("output-unfit", f"{path}.raw", said)
