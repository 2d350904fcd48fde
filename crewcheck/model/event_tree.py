"""What happened within an event: the crews, agents, models and flows that a call ran.

Stdlib only and Python 3.10: the child uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crewcheck.model.document import text

Event = Mapping[str, Any]


def within(events: Sequence[Event], roots: Iterable[str]) -> list[Event]:
    """The events below some events, however deep, in their order.

    A closing event lies beside the one that it closes. ``roots`` are ids of events, which
    are not below themselves.
    """
    top = set(roots)
    parents = {
        one: text(event.get("parent_event_id"))
        for event in events
        if (one := text(event.get("event_id")))
    }
    below: dict[str, bool] = dict.fromkeys(top, True)

    def is_below(event_id: str | None) -> bool:
        path: list[str] = []
        at = event_id
        while at is not None and at not in below and at not in path:
            path.append(at)
            at = parents.get(at)
        answer = below.get(at or "", False)
        below.update(dict.fromkeys(path, answer))
        return answer

    return [event for event in events if is_below(text(event.get("parent_event_id")))]
