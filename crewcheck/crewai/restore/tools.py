"""Tools from what was saved of them: their class, if it can be had, and its plain fields."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from crewcheck.crewai.refusal import Refusal
from crewcheck.model.document import objects, text

_HINT = "go on with the project: --entry MODULE:ATTR or --script FILE"


def tools_of(saved: object, where: str) -> list[Any]:
    """The tools of an agent or task. Raises `Refusal` for one that would be another."""
    return [_tool(one, where) for one in objects(saved)]


def _tool(saved: Mapping[str, Any], where: str) -> Any:
    name, place = text(saved.get("name")) or "unnamed", text(saved.get("tool_type")) or ""
    kind = _class(place)
    if kind is None:
        raise Refusal(
            "tool-lost",
            f"the tool {name} of {where} is not in the checkpoint: "
            + (f"its class {place} is not here" if place else "it was made of a function"),
            _HINT,
        )
    hidden = sorted(set(_private(kind)))
    if hidden or "__init__" in vars(kind):
        raise Refusal(
            "tool-state",
            f"the tool {name} of {where} keeps something to itself that is not in the checkpoint: "
            + (", ".join(hidden) or "what it is constructed with"),
            _HINT,
        )
    from crewai.tools import base_tool

    # its arguments are the class's own, if they are what they were
    ours = ("current_usage_count", "args_schema", "result_schema")
    given = {key: value for key, value in saved.items() if key not in ours}
    try:
        made = base_tool._resolve_tool_dict(given)
    except Exception as error:
        raise Refusal(
            "tool-lost", f"the tool {name} of {where} cannot be made: {error}", _HINT
        ) from None
    if made.args_schema.model_json_schema() != saved.get("args_schema"):
        raise Refusal(
            "tool-lost", f"the tool {name} of {where} takes other arguments than it did", _HINT
        )
    return made


def _class(place: str) -> Any:
    """The class of a tool, None for what is no tool's class or made of a function."""
    from crewai.tools import BaseTool

    module, _, name = place.rpartition(".")
    if not module or module == "__main__" or module.startswith("crewai.tools."):
        return None
    try:
        kind = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
    return kind if isinstance(kind, type) and issubclass(kind, BaseTool) else None


def _private(kind: Any) -> list[str]:
    from crewai.tools import BaseTool

    own = getattr(kind, "__private_attributes__", {})
    return [name for name in own if name not in getattr(BaseTool, "__private_attributes__", {})]
