"""The objects in what crews and agents return: a checkpoint has only their text.

``CrewOutput.pydantic`` is recorded as ``{}``. Its fields are in ``raw``, its class is the user's
one with just these fields.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from crewcheck.crewai.flows.code import function_of
from crewcheck.crewai.flows.uses_of_expressions import is_library


def restore(made: Any, recorded: Any, functions: Iterable[Any]) -> None:
    """Put the objects back into what came back. ``functions`` are those that may name their
    classes."""
    classes: list[Any] | None = None
    for output, told in _outputs(made, recorded):
        if told.get("pydantic") == {} and output.pydantic is None:
            classes = classes if classes is not None else list(_classes(functions))
            output.pydantic = _fitting(classes, str(output.raw))


def is_lost(made: Any, recorded: Any) -> bool:
    """Whether an output had an object that did not come back."""
    return any(
        told.get("pydantic") == {} and output.pydantic is None
        for output, told in _outputs(made, recorded)
    )


def _outputs(made: Any, recorded: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The outputs in a value, each with what is recorded of it."""
    if isinstance(made, (list, tuple)) and isinstance(recorded, list):
        for one, told in zip(made, recorded, strict=False):
            yield from _outputs(one, told)
    elif isinstance(recorded, dict) and hasattr(made, "raw") and hasattr(made, "pydantic"):
        yield made, recorded
        tasks = getattr(made, "tasks_output", None)
        yield from _outputs(tasks or [], recorded.get("tasks_output") or [])
    elif isinstance(made, dict) and isinstance(recorded, dict):
        for key, told in recorded.items():
            yield from _outputs(made.get(key), told)


def _fitting(classes: Iterable[Any], raw: str) -> Any:
    """An object of the only class that has just the fields of a text; None if it is not one."""
    try:
        told = json.loads(raw)
    except ValueError:
        return None
    if not isinstance(told, dict):
        return None
    found = []
    for kind in classes:
        if set(kind.model_fields) == set(told):
            try:
                found.append(kind.model_validate(told))
            except Exception:
                continue
    return found[0] if len(found) == 1 else None


def _classes(functions: Iterable[Any]) -> Iterator[Any]:
    """The user's classes with fields: of the modules of functions, and of all others."""
    from pydantic import BaseModel

    seen: set[int] = set()
    modules = [function_of(one).__globals__ for one in functions]
    modules += [
        vars(module)
        for module in list(sys.modules.values())
        if (path := getattr(module, "__file__", None)) and not is_library(str(path))
    ]
    for known in modules:
        for value in list(known.values()):
            if inspect.isclass(value) and issubclass(value, BaseModel) and id(value) not in seen:
                seen.add(id(value))
                if not str(value.__module__).startswith(("crewai.", "pydantic.", "crewcheck.")):
                    yield value
