"""What goes into a checkpoint, and what the writing of one leaves behind.

A crew that holds something that is no JSON (the function of a ``@tool``, the tools of a
memory, an object in a field of a tool) is not written at all by CrewAI. The entities are
dumped before the events, which go on meanwhile: a task that ends in between is completed and
has no output. And each write leaves the id of the kickoff on the crew, so that a second
kickoff of it runs nothing.
"""

from __future__ import annotations

import functools
import inspect
import json
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

#: What tells a crew or agent that it goes on with a kickoff.
_ID = "checkpoint_kickoff_event_id"

_thread = threading.local()

#: Object -> what a checkpoint of it is to say under ``crewcheck``, by its id.
_says: dict[int, tuple[Any, Callable[[], dict[str, Any]]]] = {}


def say(entity: Any, what: Callable[[], dict[str, Any]]) -> None:
    """Let checkpoints of a crew say besides what ``what`` returns, until `say_nothing`."""
    _says[id(entity)] = (entity, what)


def say_nothing(entity: Any) -> None:
    """From now on its checkpoints are as CrewAI writes them."""
    _says.pop(id(entity), None)


def harden() -> None:
    """Change what CrewAI dumps. To be called once, before anything has been dumped."""
    from crewai.state import checkpoint_listener, runtime
    from pydantic import BaseModel

    if "fallback" in inspect.signature(BaseModel.model_dump).parameters:
        setattr(BaseModel, "model_dump", _with_fallback(BaseModel.model_dump))  # noqa: B010
    with suppress(ImportError):
        from crewai.types import callback

        # the fields of callbacks hold this very function: only its code can be another one
        callback.callable_to_string.__code__ = _named.__code__
    for module in (runtime, checkpoint_listener):
        prepare = getattr(module, "_prepare_entities", None)
        if prepare is not None:
            module._prepare_entities = _leaving_no_id(prepare)
    state = runtime.RuntimeState
    state.model_dump = _whole(state.model_dump)
    state.model_dump_json = _as_json


def _with_fallback(dump: Callable[..., Any]) -> Callable[..., Any]:
    """While a checkpoint is dumped, what is no JSON is written as its name, or as null.

    CrewAI's serializers call the `model_dump` of what is inside without what they were given.
    """

    @functools.wraps(dump)
    def model_dump(self: Any, *args: Any, **named: Any) -> Any:
        if getattr(_thread, "dumping", False) and named.get("fallback") is None:
            named["fallback"] = _named
        return dump(self, *args, **named)

    return model_dump


def _named(value: Any) -> str | None:
    """A function by its dotted path, as CrewAI writes callbacks; anything else is lost."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not callable(value) or not module or not name or "<" in name:
        return None
    return f"{module}.{name}"


def _leaving_no_id(prepare: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(prepare)
    def prepared(root: Iterable[Any]) -> Any:
        entities = list(root)
        before = [(one, getattr(one, _ID)) for one in entities if hasattr(one, _ID)]
        try:
            return prepare(entities)
        finally:
            for one, value in before:
                setattr(one, _ID, value)

    return prepared


def _whole(dump: Callable[..., Any]) -> Callable[..., Any]:
    """A dump of the runtime state: with the ids that were left off the objects, with what only
    we know of them, and with no event of which they do not tell yet."""

    @functools.wraps(dump)
    def model_dump(self: Any, *args: Any, **named: Any) -> Any:
        so_far = _events(self)
        _thread.dumping = True
        try:
            value = dump(self, *args, **named)
        finally:
            _thread.dumping = False
        entities = value.get("entities") if isinstance(value, dict) else None
        for one, made in zip(self.root, entities or [], strict=False):
            if _ID in made:
                made[_ID] = getattr(one, "_kickoff_event_id", None) or made[_ID]
        record = value.get("event_record") if isinstance(value, dict) else None
        if so_far is not None and isinstance(record, dict):
            keep_only(record, so_far)
        return _with_own(value, self.root) if entities else value

    return model_dump


def _with_own(value: dict[str, Any], root: Iterable[Any]) -> dict[str, Any]:
    """A document with our own key before the entities, where a listing sees it."""
    for place, one in enumerate(root):
        entity, what = _says.get(id(one), (None, dict))
        own = what() if entity is one else {}
        if own:
            rest = {key: value.pop(key) for key in [*value] if key in ("entities", "event_record")}
            return {**value, "crewcheck": {"primary": place, **own}, **rest}
    return value


def _events(state: Any) -> set[str] | None:
    """The ids of the events that are recorded by now, None where that cannot be told."""
    record = getattr(state, "_event_record", None)
    nodes, lock = getattr(record, "nodes", None), getattr(record, "_lock", None)
    if nodes is None or lock is None:
        return None
    with lock.r_locked():
        return set(nodes)


def keep_only(record: dict[str, Any], known: set[str]) -> None:
    """Take out of a dumped event record all other events, and what points at them."""
    nodes = record.get("nodes") or {}
    later = [event_id for event_id in nodes if event_id not in known]
    for event_id in later:
        del nodes[event_id]
    for node in nodes.values() if later else ():
        edges = node.get("edges") or {}
        for kind in list(edges):
            edges[kind] = [one for one in edges[kind] if one in known]
            if not edges[kind]:
                del edges[kind]


def _as_json(self: Any, **_: Any) -> str:
    """As checkpoints that an event causes are written."""
    return json.dumps(self.model_dump(mode="json"))
