"""The user's own crew: what an entry may name.

That is a crew, a ``@CrewBase`` class or an instance of one, or a function that returns one
of these and needs no arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from crewcheck.crewai.objects import HINT, call
from crewcheck.crewai.refusal import Refusal


class CrewKind:
    """Crews, as `objects.load` looks for them."""

    name = "crew"

    def may_be(self, value: Any, own: bool) -> bool:
        return _is_crew(value) or (own and (_is_crew_class(value) or _makes_crew(value)))

    def made_of(self, value: Any, entry: str) -> Any:
        return _crew_of(value, entry)


def _is_crew(value: Any) -> bool:
    from crewai import Crew

    return isinstance(value, Crew)


def _is_crew_class(value: Any) -> bool:
    return inspect.isclass(value) and bool(getattr(value, "is_crew_class", False))


def _makes_crew(value: Any) -> bool:
    """Whether it is a function that says that it returns a crew."""
    if not inspect.isfunction(value):
        return False
    said = inspect.unwrap(value).__annotations__.get("return")
    return (said if isinstance(said, str) else getattr(said, "__name__", "")) == "Crew"


def _crew_of(value: Any, entry: str) -> Any:
    """The crew that an object is or makes. Raises `Refusal`."""
    if _is_crew(value):
        return value
    _refuse_flow(value, entry)
    if _is_crew_class(value):
        return _crew_of(call(value, entry), entry)
    if _is_crew_class(type(value)):
        made = call(_crew_method(value, entry), entry)
        if not _is_crew(made):
            raise _no_crew(made, entry)
        return made
    if inspect.isroutine(value) or inspect.isclass(value):
        made = call(value, entry)
        if _is_crew(made) or _is_crew_class(type(made)):
            return _crew_of(made, entry)
        _refuse_flow(made, entry)
        raise _no_crew(made, entry)
    raise _no_crew(value, entry)


def _crew_method(instance: Any, entry: str) -> Callable[[], Any]:
    """The ``@crew`` method of a ``@CrewBase`` object: ``crew``, as it is called by custom,
    or the one that says that it returns a crew (CrewAI leaves no mark on it)."""
    kind = type(instance)
    names = [name for name in vars(kind) if _makes_crew(vars(kind)[name])]
    if callable(getattr(kind, "crew", None)):
        names = ["crew"]
    if len(names) != 1:
        raise Refusal(
            "no-crew",
            f"{entry} has no method crew",
            "name a function that returns the crew with --entry MODULE:ATTR",
            names,
        )
    method: Callable[[], Any] = getattr(instance, names[0])
    return method


def _refuse_flow(value: Any, entry: str) -> None:
    names = {one.__name__ for one in (value if inspect.isclass(value) else type(value)).__mro__}
    if "Flow" in names:
        raise Refusal("wrong-kind", f"{entry} is a flow, and the checkpoint is of a crew")


def _no_crew(value: Any, entry: str) -> Refusal:
    return Refusal(
        "no-crew", f"{entry} gives no crew but an object of {type(value).__name__}", HINT
    )
