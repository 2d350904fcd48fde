"""Tells what CrewAI does, as it does it: ``event`` and ``checkpoint`` messages.

Told is from the bus's `emit` itself, in the order of the events; handlers of the bus run
in threads, in any order.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import Any

from crewcheck.crewai.channel import Channel
from crewcheck.crewai.recorder import as_record
from crewcheck.model.events import tokens_of

#: Of no use to a person: pieces of an answer, and CrewAI's loop around an agent.
SILENT = ("checkpoint_", "llm_stream_chunk", "llm_thinking_chunk", "agent_logs_", "flow_")


class Telling:
    """Sends messages about one run. ``newest`` is its newest checkpoint, ``tokens`` spent."""

    #: Beginnings of the types of events that are not told.
    silent: tuple[str, ...] = (*SILENT, "method_execution_")

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._begun: dict[str, float] = {}
        self._lock = threading.Lock()
        self.newest: str | None = None
        self.tokens = 0

    def about(self, event: Any) -> dict[str, Any]:
        """What of the run's own an event is about: fields of the ``event`` message."""
        return {}

    def heard(self, event: Any) -> None:
        """Take an event of the bus."""
        kind = str(getattr(event, "type", ""))
        record = as_record(kind, event)
        if record is not None:
            # first: what is told to have been answered is never asked again
            self._channel.send("record", event=record)
        if kind == "checkpoint_completed":
            self._checkpoint(event)
        elif kind == "checkpoint_failed":
            self._channel.send(
                "checkpoint",
                id=None,
                lost=str(event.error),
                trigger=event.trigger,
                branch=event.branch,
                parent_id=event.parent_id,
                location=event.location,
            )
        elif (
            kind
            and not kind.startswith(("checkpoint_", *self.silent))
            and not kind.endswith("_env")
        ):
            self._event(kind, event)

    def _checkpoint(self, event: Any) -> None:
        self.newest = event.checkpoint_id
        self._channel.send(
            "checkpoint",
            id=event.checkpoint_id,
            branch=event.branch,
            parent_id=event.parent_id,
            location=event.location,
            trigger=event.trigger,
        )

    def _event(self, kind: str, event: Any) -> None:
        tokens = None
        if kind == "llm_call_completed":
            usage = getattr(event, "usage", None)
            spent = tokens_of({"type": kind, "usage": usage if isinstance(usage, dict) else {}})
            tokens = spent.total or None
            with self._lock:
                self.tokens += spent.total
        error = getattr(event, "error", None)
        about = {"agent": agent_of(event), **self.about(event)}
        self.send(
            kind,
            **about,
            tool=getattr(event, "tool_name", None),
            model=getattr(event, "model", None),
            tokens=tokens,
            seconds=self._seconds(kind, event),
            error=str(error) if error is not None else None,
        )

    def _seconds(self, kind: str, event: Any) -> float | None:
        """What it took, for events that close something."""
        now = time.monotonic()
        own = str(getattr(event, "call_id", None) or event.event_id)
        with self._lock:
            if kind.endswith("_started"):
                self._begun[own] = now
                return None
            opened = str(getattr(event, "started_event_id", None) or "")
            began = self._begun.pop(own, None) or self._begun.pop(opened, None)
        return round(now - began, 3) if began is not None else None

    def send(self, kind: str, **fields: Any) -> None:
        """Send an ``event`` message; what is not given is null."""
        empty = {"task": None, "task_name": None, "agent": None, "method": None, "replayed": False}
        self._channel.send("event", event=kind, **{**empty, **fields})


def agent_of(event: Any) -> str | None:
    """The role of the agent that an event is about."""
    role = getattr(event, "agent_role", None)
    return role or getattr(getattr(event, "agent", None), "role", None)


_listeners: list[Telling] = []


def listen(telling: Telling) -> None:
    """Hear all events from now on."""
    from crewai.events.event_bus import CrewAIEventsBus

    if not getattr(CrewAIEventsBus.emit, "_crewcheck", False):
        CrewAIEventsBus.emit = _overheard(CrewAIEventsBus.emit)
    _listeners.append(telling)


def deafen(telling: Telling) -> None:
    """Hear no more."""
    if telling in _listeners:
        _listeners.remove(telling)


def _overheard(emit: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(emit)
    def heard(self: Any, source: Any, event: Any) -> Any:
        result = emit(self, source, event)
        for telling in _listeners:
            telling.heard(event)
        return result

    heard._crewcheck = True  # type: ignore[attr-defined]
    return heard
