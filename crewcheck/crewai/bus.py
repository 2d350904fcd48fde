"""CrewAI's event bus: its handlers run in threads, and write the checkpoints."""

from __future__ import annotations

import sys
from contextlib import suppress

from crewcheck.crewai.signals import Interrupted

FLUSH_SECONDS = 10.0


def flush(seconds: float = FLUSH_SECONDS) -> None:
    """Wait for CrewAI's handlers, so that all is written that is to be written."""
    bus = sys.modules.get("crewai.events.event_bus")
    with suppress(Exception, Interrupted):
        if bus is not None:
            bus.crewai_event_bus.flush(seconds)
