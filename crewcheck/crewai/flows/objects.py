"""The user's own flow: what an entry may name.

That is a class, an instance, or a function that returns one and needs no arguments.
"""

from __future__ import annotations

import inspect
from typing import Any

from crewcheck.crewai.objects import HINT, call
from crewcheck.crewai.refusal import Refusal


class FlowKind:
    """Flows, as `objects.load` looks for them."""

    name = "flow"

    def may_be(self, value: Any, own: bool) -> bool:
        return _is_flow(value) or (own and (_is_flow_class(value) or _makes_flow(value)))

    def made_of(self, value: Any, entry: str) -> Any:
        if inspect.isclass(value) and _is_flow_class(value):
            value = call(value, entry)
        elif inspect.isroutine(value) or (
            callable(value) and not _is_flow(value) and not inspect.isclass(value)
        ):
            value = call(value, entry)
            if _is_flow_class(value):
                value = call(value, entry)
        if _is_flow(value):
            return value
        kind = _other_kind(value)
        if kind:
            raise Refusal("wrong-kind", f"{entry} is {kind}, and the checkpoint is of a flow", HINT)
        given = value.__name__ if inspect.isclass(value) else type(value).__name__
        raise Refusal("no-flow", f"{entry} gives no flow but {given}", HINT)


def _is_flow(value: Any) -> bool:
    from crewai.flow.flow import Flow

    return isinstance(value, Flow) and not is_internal(value)


def is_internal(flow: Any) -> bool:
    """Whether a flow is CrewAI's own: one that runs an agent, or keeps a memory."""
    kind = type(flow)
    if getattr(kind, "is_crewai_internal", False) or hasattr(flow, "executor_type"):
        return True
    module = str(kind.__module__)
    return module.startswith("crewai.") and not module.startswith("crewai.flow")


def _is_flow_class(value: Any) -> bool:
    from crewai.flow.flow import Flow

    if not inspect.isclass(value) or not issubclass(value, Flow) or value is Flow:
        return False
    return not str(value.__module__).startswith("crewai.")


def _makes_flow(value: Any) -> bool:
    """Whether it is a function that says that it returns a flow."""
    if not inspect.isfunction(value):
        return False
    said = inspect.unwrap(value).__annotations__.get("return")
    if isinstance(said, str):
        said = value.__globals__.get(said)
    return _is_flow_class(said) or getattr(said, "__name__", "") == "Flow"


def _other_kind(value: Any) -> str:
    names = {one.__name__ for one in (value if inspect.isclass(value) else type(value)).__mro__}
    for name, kind in (("Crew", "a crew"), ("BaseAgent", "an agent")):
        if name in names:
            return kind
    return "a crew" if getattr(type(value), "is_crew_class", False) else ""
