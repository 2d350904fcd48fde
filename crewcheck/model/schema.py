"""Whether a JSON value fits a JSON schema, as CrewAI keeps the classes of outputs.

Covers what pydantic writes for models: types, required and further properties, items,
enumerations, constants, alternatives, references and limits. What it does not know, and
patterns (a stranger's may take for ever), it lets pass: the user's own class has the last
word. A reference that leads to itself ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from crewcheck.model.document import mapping, sequence
from crewcheck.model.json_path import Path, write_path

_DEEPEST = 100

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool))
        or (isinstance(value, float) and value.is_integer())
    ),
}
_ARTICLES = {
    "object": "a JSON object",
    "array": "a list",
    "string": "a text",
    "boolean": "a truth value",
    "null": "null",
    "number": "a number",
    "integer": "a whole number",
}


def misfit(value: Any, schema: Any) -> str | None:
    """Where and why a value does not fit a schema, in words; None if it does."""
    found = _check(value, schema, schema, (), 0)
    if found is None:
        return None
    path, reason = found
    return f"{write_path(path)}: {reason}" if path else reason


Misfit = tuple[Path, str] | None


def _check(value: Any, schema: Any, root: Any, path: Path, depth: int) -> Misfit:
    if schema is False:
        return path, "nothing is allowed here"
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return None
    if "$ref" in schema:
        found = _check(value, _referred(schema["$ref"], root), root, path, depth + 1)
        if found is not None:
            return found
    for check in (_type, _choice, _limits, _object, _list, _alternatives):
        found = check(value, schema, root, path, depth)
        if found is not None:
            return found
    return None


def _referred(reference: Any, root: Any) -> Any:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    at = root
    for step in reference[1:].split("/")[1:]:
        at = mapping(at).get(step.replace("~1", "/").replace("~0", "~"))
    return at


def _type(value: Any, schema: Mapping[str, Any], _root: Any, path: Path, _depth: int) -> Misfit:
    declared = schema.get("type")
    names = declared if isinstance(declared, list) else [declared]
    known = [name for name in names if isinstance(name, str) and name in _TYPES]
    if not known or len(known) < len(names) or any(_TYPES[name](value) for name in known):
        return None
    return path, f"it must be {' or '.join(_ARTICLES[name] for name in known)}"


def _choice(value: Any, schema: Mapping[str, Any], _root: Any, path: Path, _depth: int) -> Misfit:
    if "const" in schema and not _equal(value, schema["const"]):
        return path, f"it must be {_short(schema['const'])}"
    allowed = schema.get("enum")
    if isinstance(allowed, list) and not any(_equal(value, one) for one in allowed):
        return path, f"it must be one of {', '.join(map(_short, allowed[:12]))}"
    return None


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _limits(value: Any, schema: Mapping[str, Any], _root: Any, path: Path, _depth: int) -> Misfit:
    if _TYPES["number"](value):
        for key, fits, said in _NUMBERS:
            if _TYPES["number"](schema.get(key)) and not fits(value, schema[key]):
                return path, f"it must be {said} {schema[key]}"
    if isinstance(value, str):
        least, most = schema.get("minLength"), schema.get("maxLength")
        if isinstance(least, int) and len(value) < least:
            return path, f"it must have at least {least} characters"
        if isinstance(most, int) and len(value) > most:
            return path, f"it must have at most {most} characters"
    return None


_NUMBERS: tuple[tuple[str, Callable[[Any, Any], bool], str], ...] = (
    ("minimum", lambda value, limit: value >= limit, "at least"),
    ("maximum", lambda value, limit: value <= limit, "at most"),
    ("exclusiveMinimum", lambda value, limit: value > limit, "more than"),
    ("exclusiveMaximum", lambda value, limit: value < limit, "less than"),
)


def _object(value: Any, schema: Mapping[str, Any], root: Any, path: Path, depth: int) -> Misfit:
    if not isinstance(value, dict):
        return None
    for key in sequence(schema.get("required")):
        if isinstance(key, str) and key not in value:
            return path, f"{key} is missing"
    known = mapping(schema.get("properties"))
    for key, item in value.items():
        if key in known:
            inner = known[key]
        else:
            inner = schema.get("additionalProperties")
            if inner is False:
                return (*path, key), "there is no such field"
        found = _check(item, inner, root, (*path, key), depth + 1)
        if found is not None:
            return found
    return None


def _list(value: Any, schema: Mapping[str, Any], root: Any, path: Path, depth: int) -> Misfit:
    if not isinstance(value, list):
        return None
    least, most = schema.get("minItems"), schema.get("maxItems")
    if isinstance(least, int) and len(value) < least:
        return path, f"it must have at least {least} items"
    if isinstance(most, int) and len(value) > most:
        return path, f"it must have at most {most} items"
    first = sequence(schema.get("prefixItems"))
    for index, item in enumerate(value):
        inner = first[index] if index < len(first) else schema.get("items")
        found = _check(item, inner, root, (*path, str(index)), depth + 1)
        if found is not None:
            return found
    return None


def _alternatives(
    value: Any, schema: Mapping[str, Any], root: Any, path: Path, depth: int
) -> Misfit:
    for one in sequence(schema.get("allOf")):
        found = _check(value, one, root, path, depth + 1)
        if found is not None:
            return found
    for key in ("anyOf", "oneOf"):
        misfits = [_check(value, one, root, path, depth + 1) for one in sequence(schema.get(key))]
        if misfits and None not in misfits:
            # the one that came furthest is most likely meant
            return max((one for one in misfits if one is not None), key=lambda one: len(one[0]))
    return None


def _short(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)[:60]
