"""Settings of checkpoints that do not do what one thinks."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from crewcheck.engine.checks.subject import Flaw, Subject
from crewcheck.model.document import mapping, sequence

#: Can be named in ``on_events``, and CrewAI writes nothing for them.
_NEVER = ("SIGINT", "SIGTERM", "llm_call_started", "llm_call_completed", "llm_call_failed",
          "llm_stream_chunk")  # fmt: skip


def check(subject: Subject) -> Iterator[Flaw]:
    settings = mapping(subject.entity.get("checkpoint"))
    names = [one for one in sequence(settings.get("on_events")) if isinstance(one, str)]
    path = f"{subject.at}.checkpoint.on_events"
    if subject.kind == "flow" and names == ["task_completed"]:
        yield Flaw("flow-writes-nothing", path, "this flow's own methods write no checkpoints")
    if "*" in names and settings.get("max_checkpoints") is None:
        yield Flaw("unlimited", path, "every event writes a checkpoint, and none is removed")
    never = [one for one in _NEVER if one in names]
    if never and "*" not in names:
        yield Flaw("event-never-fires", path, f"no checkpoint is written for {', '.join(never)}")


def limit_of(subject: Subject) -> int | None:
    """How many checkpoints of a branch CrewAI keeps, None for all."""
    value = mapping(subject.entity.get("checkpoint")).get("max_checkpoints")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def world_readable(path: str) -> bool:
    """Whether everybody on this machine can read a file, or list a folder, and get to it."""
    if os.name == "nt":
        return False
    try:
        if not os.stat(path).st_mode & stat.S_IROTH:
            return False
        at = os.path.dirname(os.path.realpath(path))
        while True:
            if not os.stat(at).st_mode & stat.S_IXOTH:
                return False
            above = os.path.dirname(at)
            if above == at:
                return True
            at = above
    except OSError:
        return False
