"""Model calls within a call that starts anew are answered from the record, if they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from crewcheck.crewai import answers
from crewcheck.crewai.calls import Call, forms, tool_names
from crewcheck.crewai.flows.scope import Scope, current
from crewcheck.crewai.wrapping import Args, answered
from crewcheck.model.document import text

_patched: set[Any] = set()
_told: list[Callable[[str | None], None]] = []


def arm(told: Callable[[str | None], None]) -> None:
    """Look at all models' calls. ``told`` is called with the model's name for each answer."""
    from crewai.llms.base_llm import BaseLLM

    _told[:] = [told]
    for kind in _kinds(BaseLLM):
        _patch(kind)
    if BaseLLM in _patched:
        return
    _patched.add(BaseLLM)
    base: Any = BaseLLM
    own = vars(base).get("__init_subclass__")  # it has none of its own in every version

    def watched(kind: Any, /, **named: Any) -> None:
        if own is None:
            super(base, kind).__init_subclass__(**named)
        else:
            own.__func__(kind, **named)
        _patch(kind)  # providers are imported when they are first used

    base.__init_subclass__ = classmethod(watched)


def _kinds(base: Any) -> Iterator[Any]:
    for kind in base.__subclasses__():
        yield kind
        yield from _kinds(kind)


def _patch(kind: Any) -> None:
    if kind in _patched:
        return
    _patched.add(kind)
    for name in ("call", "acall"):
        method = vars(kind).get(name)
        if callable(method):
            setattr(kind, name, answered(method, _recorded, awaited=name == "acall"))


def _recorded(model: Any, args: Args, named: Mapping[str, Any]) -> Any:
    """What the model had said to this request, taken out of the record; None if it had not."""
    scope: Scope | None = current.get()
    if not scope or not scope.models or answers.has_hooks() or answers.remembers(model):
        return None
    given = answers.by_name(args, named)
    wanted, tools = forms(given.get("messages")), tool_names(given.get("tools"))
    said: list[Any] = []

    def is_it(call: Call) -> bool:
        if not any(call.answers(one, tools) for one in wanted):
            return False
        said.append(answers.formed(model, call.response, given))
        return said[-1] is not None

    if scope.take(scope.models, is_it) is None:
        return None
    for told in _told:
        told(text(getattr(model, "model", None)))
    return said[-1]
