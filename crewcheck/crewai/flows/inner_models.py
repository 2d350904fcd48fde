"""Model calls within a call that starts anew are answered from the record, if they were."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from crewcheck.crewai.flows.scope import Scope, current
from crewcheck.crewai.saved import Entity
from crewcheck.model.document import mapping, objects, text

#: What a message is, as far as the model is concerned.
_PARTS = ("role", "content", "tool_call_id", "name")

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
    original = base.__init_subclass__.__func__

    def watched(kind: Any, /, **named: Any) -> None:
        original(kind, **named)
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
    for name, wrapped in (("call", _wrapped), ("acall", _awrapped)):
        method = vars(kind).get(name)
        if callable(method):
            setattr(kind, name, wrapped(method))


def _wrapped(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def answer(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        said = _recorded(self, messages, args, named)
        return call(self, messages, *args, **named) if said is None else said

    return answer


def _awrapped(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    async def answer(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        said = _recorded(self, messages, args, named)
        return await call(self, messages, *args, **named) if said is None else said

    return answer


def _recorded(model: Any, messages: Any, args: Any, named: Mapping[str, Any]) -> str | None:
    """What the model had said to these messages, taken out of the record."""
    scope: Scope | None = current.get()
    if not scope or named.get("response_model") is not None or _has_hooks():
        return None
    wanted = plain(messages)
    found = scope.take(scope.models, lambda pair: _is_answer(wanted, *pair))
    if found is None:
        return None
    for told in _told:
        told(text(getattr(model, "model", None)))
    return text(found[1].get("response"))


def _is_answer(wanted: list[Any], asked: Entity, answered: Entity) -> bool:
    recorded = plain(asked.get("messages"))
    # the recorded list may have grown by what came after the call
    rest = recorded[len(wanted) :]
    response = text(answered.get("response"))
    return recorded[: len(wanted)] == wanted and (
        not rest or rest[0][:2] == ["assistant", response]
    )


def plain(messages: Any) -> list[Any]:
    """Messages as far as they matter to a model."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    made = []
    for message in objects(messages):
        calls = [mapping(one.get("function")) for one in objects(message.get("tool_calls"))]
        parts = [message.get(part) for part in _PARTS]
        made.append([*parts, [[call.get("name"), call.get("arguments")] for call in calls]])
    return made


def _has_hooks() -> bool:
    """Whether the user's program looks at answers: it would miss those from the record."""
    try:
        from crewai.hooks import get_after_llm_call_hooks, get_before_llm_call_hooks
    except ImportError:
        return False
    return bool(get_after_llm_call_hooks() or get_before_llm_call_hooks())
