"""Checkpoints that were begun and never written: what the records of a store tell together.

A write is begun by a ``checkpoint_started`` event and ended by a ``checkpoint_completed``
with the new id, which only *later* documents hold. The two do not name each other, so they
are counted: for each trigger and branch, the beginnings in all records against the ids that
were told or are there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from crewcheck.engine.checks.subject import Event, Flaw, Subject, event_path
from crewcheck.model.document import text
from crewcheck.model.words import many

#: A write that was begun so lately may still come to its end.
_PATIENCE_SECONDS = 60

Group = tuple[str, str]  # trigger, branch


class _Begun(NamedTuple):
    event_id: str
    at: str
    seen_in: str | int  # key of the newest checkpoint whose record has it


class Writes:
    """Gathers from one document after the other, newest first."""

    def __init__(self) -> None:
        self._begun: dict[Group, dict[str, _Begun]] = {}
        self._written: dict[Group, set[str]] = {}
        self._failed: dict[str, tuple[str | int, str]] = {}
        self._unread: dict[str, int] = {}

    def take(self, key: str | int, checkpoint_id: str, branch: str, subject: Subject) -> None:
        """Learn from a document that was read."""
        own = text(subject.document.get("trigger")) or "", branch
        for event in subject.events:
            kind = event.get("type")
            if not isinstance(kind, str) or not kind.startswith("checkpoint_"):
                continue
            group = text(event.get("trigger")) or "", text(event.get("branch")) or "main"
            event_id = text(event.get("event_id"))
            if kind == "checkpoint_started" and event_id is not None:
                at = text(event.get("timestamp")) or ""
                self._begun.setdefault(group, {}).setdefault(event_id, _Begun(event_id, at, key))
                if group == own:
                    # else its own beginning is not told of, and it would stand for another's
                    self._written.setdefault(own, set()).add(checkpoint_id)
            elif kind == "checkpoint_completed" and (written := text(event.get("checkpoint_id"))):
                self._written.setdefault(group, set()).add(written)
            elif kind == "checkpoint_failed" and event_id is not None:
                self._failed.setdefault(event_id, (key, _said(event)))
                self._written.setdefault(group, set()).add(event_id)

    def unread(self, branch: str) -> None:
        """A checkpoint is there and could not be read: it was not lost."""
        self._unread[branch] = self._unread.get(branch, 0) + 1

    def check(self, now: float | None = None) -> Iterator[tuple[str | int, Flaw]]:
        """What is missing, with the key of the newest checkpoint that tells of it."""
        for event_id, (key, said) in self._failed.items():
            yield key, Flaw("write-failed", event_path(event_id), said)
        since = time.strftime(
            "%Y-%m-%dT%H:%M:%S",
            time.gmtime((time.time() if now is None else now) - _PATIENCE_SECONDS),
        )
        for group, begun in self._begun.items():
            trigger, branch = group
            settled = [one for one in begun.values() if one.at[:19] <= since]
            written = len(self._written.get(group, ()))
            excused = min(self._unread.get(branch, 0), max(0, len(settled) - written))
            self._unread[branch] = self._unread.get(branch, 0) - excused
            lost = len(settled) - written - excused
            if lost <= 0:
                continue
            first = min(settled, key=lambda one: one.at)
            newest = next(iter(begun.values()))
            said = f"{many(lost, 'checkpoint')} for {trigger or 'no trigger'} on {branch}: "
            said += f"{len(settled)} were begun, {written + excused} are known to be written"
            yield newest.seen_in, Flaw("write-lost", event_path(first.event_id), said)


def _said(event: Event) -> str:
    error = text(event.get("error")) or "no reason is told"
    return f"a checkpoint for {text(event.get('trigger')) or 'no trigger'} failed: {error[:300]}"
