"""Recorded results as objects of the user's own classes, and results as texts.

A checkpoint keeps JSON. What a method had returned is told by its return annotation, and
for what CrewAI itself returns by its fields.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from crewcheck.crewai.flows.code import function_of
from crewcheck.crewai.refusal import Refusal
from crewcheck.model.document import text
from crewcheck.model.flow_result import result_text

PLAIN = (str, int, float, bool, type(None))


def typed(wanted: Any, value: Any) -> Any:
    """A recorded value as what it had been, as far as that can be told.

    ``wanted`` is a type or class, None where that is not known.
    """
    if wanted is not None:
        made = _as(wanted, value)
        if made is not _NOT:
            return made
    return _of_crewai(value)


def is_json(kind: Any) -> bool:
    """Whether values of a type are recorded as they are."""
    return kind in (*PLAIN, dict, list)


def annotation(method: Any) -> Any:
    """What a method says that it returns, None where it says nothing of use."""
    try:
        said = typing.get_type_hints(function_of(method), include_extras=True).get("return")
    except Exception:
        return None
    return None if said in (Any, *PLAIN, dict, list, object) else said


_NOT = object()


def fits(wanted: Any, value: Any) -> bool:
    """Whether a value is a recording of one of that type."""
    return _as(wanted, value) is not _NOT


def _as(wanted: Any, value: Any) -> Any:
    """The value as the annotated type, `_NOT` where it is not a recording of one."""
    from pydantic import TypeAdapter

    try:
        adapter = TypeAdapter(wanted)
        made = adapter.validate_python(value)
        if _same(adapter.dump_python(made, mode="json"), value, made):
            return made
        made = adapter.validate_json(json.dumps(value))
        same = _same(adapter.dump_python(made, mode="json"), value, made)
    except Exception:
        return _NOT
    return made if same else _NOT


def _same(dumped: Any, value: Any, made: Any) -> bool:
    """Whether a value is recorded so. A set is in another order in each run."""
    if isinstance(made, (set, frozenset)) and isinstance(value, list):
        return sorted(map(repr, dumped)) == sorted(map(repr, value))
    return bool(dumped == value)


def _of_crewai(value: Any) -> Any:
    """What crews and agents return, by its fields, and lists and dicts of that; else the value
    itself."""
    if isinstance(value, list):
        made = [_of_crewai(one) for one in value]
        return made if any(a is not b for a, b in zip(made, value, strict=True)) else value
    if not isinstance(value, dict):
        return value
    if not {"raw", "pydantic"} <= set(value):
        inner = {key: _of_crewai(one) for key, one in value.items()}
        return inner if any(inner[key] is not value[key] for key in value) else value
    from crewai.crews.crew_output import CrewOutput
    from crewai.tasks.task_output import TaskOutput

    kinds: list[Any] = [CrewOutput, TaskOutput]
    try:
        from crewai.lite_agent_output import LiteAgentOutput

        kinds.append(LiteAgentOutput)
    except ImportError:
        pass
    for kind in kinds:
        if set(value) != set(kind.model_fields):
            continue
        fields = {**value, "pydantic": value["pydantic"] or None}
        try:
            return kind.model_validate(fields)
        except Exception:
            continue
    return value


def is_plain(method: Any, wanted: Any, value: Any) -> bool:
    """Whether it is certain that a recorded result comes back as what it was."""
    if isinstance(value, PLAIN):
        return True
    if wanted is not None:
        return fits(wanted, value)
    if "return" in getattr(function_of(method), "__annotations__", {}):
        return True
    items = value if isinstance(value, list) else [value]
    return not any(isinstance(_of_crewai(one), dict) for one in items)


def parse_edited(method: Any, value: Any, label: str) -> Any:
    """A person's JSON as what the method returns. Raises `Refusal` where it does not fit."""
    wanted = annotation(method)
    if wanted is None:
        return _of_crewai(value)
    from pydantic import TypeAdapter

    try:
        return TypeAdapter(wanted).validate_json(json.dumps(value))
    except Exception as error:
        raise Refusal(
            "result-class",
            f"the new result of {label} does not fit {getattr(wanted, '__name__', wanted)}",
            "write it as JSON of what the method returns",
            problems(error),
        ) from None


def problems(error: Exception) -> list[str]:
    """What does not fit, a line each."""
    told = getattr(error, "errors", None)
    lines = [
        f"{'.'.join(map(str, one.get('loc', ()))) or 'value'}: {one.get('msg')}"
        for one in (told(include_url=False) if callable(told) else [])
    ]
    return lines or [str(error)]


def feedback_result(said: Mapping[str, Any], output: Any) -> Any:
    """A person's recorded feedback as CrewAI's own object. ``output`` is what it was about."""
    from crewai.flow.human_feedback import HumanFeedbackResult

    known = {one.name for one in dataclasses.fields(HumanFeedbackResult)}
    fields = {key: value for key, value in said.items() if key in known}
    stamp = text(fields.get("timestamp"))
    try:
        fields["timestamp"] = datetime.fromisoformat((stamp or "").replace("Z", "+00:00"))
    except ValueError:
        fields.pop("timestamp", None)
    fields["output"] = output
    fields["feedback"] = text(fields.get("feedback")) or ""
    fields["metadata"] = fields.get("metadata") or {}
    return HumanFeedbackResult(**fields)


def as_text(value: Any) -> str:
    """What a flow returned as a text: JSON for what is none, nothing for None."""
    raw = getattr(value, "raw", None)
    return result_text(raw if isinstance(raw, str) else _json(value))


def _json(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value
