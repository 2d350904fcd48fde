"""What methods set of the flow beside its state: no checkpoint has it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from crewcheck.crewai.flows.code import attributes, function_of
from crewcheck.crewai.refusal import Refusal


def sets(method: Any) -> list[str]:
    """The attributes of its flow that a method sets."""
    found = attributes(function_of(method), stored=True)
    return [name for name in found if name != "state"]


def check(flow: Any, kept: Iterable[str], run: Iterable[str]) -> None:
    """Raises `Refusal` where what runs reads what only a kept method had set.

    A function that sets what it reads does without.
    """
    methods = flow._methods
    running = [name for name in run if name in methods]
    anew = {one for name in running for one in sets(methods[name])}
    lost = {one: name for name in kept if name in methods for one in sets(methods[name])}
    found = [
        (reader, one)
        for reader, function in [*((name, methods[name]) for name in running), *_helpers(flow)]
        for one in attributes(function_of(function))
        if one in lost and one not in anew and one not in sets(function)
    ]
    if found:
        again = dict.fromkeys(f"--rerun {lost[one]}" for _, one in found)
        raise Refusal(
            "attributes-lost",
            "what is not done needs what was set beside the flow's state, and no checkpoint has it",
            f"keep it in the state, or fork it with {' '.join(again)}",
            [f"{reader} reads self.{one}, which {lost[one]} had set" for reader, one in found],
        )


def _helpers(flow: Any) -> list[tuple[str, Any]]:
    """The functions of the user's classes that are no methods of the flow."""
    return [
        (name, value)
        for kind in type(flow).__mro__
        if not str(kind.__module__).startswith(("crewai.", "pydantic.", "builtins", "typing"))
        for name, value in vars(kind).items()
        if inspect.isfunction(value) and name not in flow._methods and name != "__init__"
    ]
