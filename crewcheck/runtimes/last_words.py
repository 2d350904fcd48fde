"""How a run ended, said by the supervisor where the child did not say it."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

from crewcheck.runtimes.escalation import signal_name
from crewcheck.runtimes.run_state import RunState
from crewcheck.runtimes.spec import RunSpec
from crewcheck.runtimes.wire import Message


def died(
    code: int | None, number: int | None, sent: Sequence[int], errors: str, state: RunState
) -> Message:
    """The child ended without a last message. ``sent`` are the signals that it got from us."""
    if sent:
        # the gentlest is what the person asked for, the last is what it took
        took = "" if len(sent) == 1 else f"; it took {signal_name(sent[-1])}"
        return {
            "type": "interrupted",
            "signal": signal_name(number if number is not None else sent[0]),
            "checkpoint_id": state.newest or None,
            "message": f"it was cancelled{took}",
            "hint": state.resume_hint(),
        }
    hint = state.resume_hint()
    if number is not None:
        how = f"was killed by {signal_name(number)}"
        if number == signal.SIGKILL:
            how += " (out of memory?)"
        elif number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL):
            how += " (a crash in native code)"
    elif code:
        how = f"ended with exit status {code}"
    else:
        how = "ended (exit status 0)"
    return {
        "type": "failed",
        "error": f"the process of the run {how} before the run was over",
        "error_type": "ProcessDied",
        "traceback": errors or None,
        "hint": hint,
        "checkpoint_id": state.newest or None,
        "crashed": True,
    }


def cannot_start(error: OSError | ValueError, spec: RunSpec) -> Message:
    """There is no child: what could not be started, and what to name instead."""
    what = getattr(error, "filename", None) or spec.python
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    hint = "name a Python that has crewai with --python"
    if what == spec.cwd and not os.path.isdir(spec.cwd):
        hint = "the project's folder is gone: run it from where the project is now"
    return {
        "type": "failed",
        "error": f"{what} cannot be started: {reason}",
        "error_type": type(error).__name__,
        "traceback": None,
        "hint": hint,
    }


def internal(text: str, state: RunState) -> Message:
    """The supervisor itself has a fault."""
    return {
        "type": "failed",
        "error": f"crewcheck's supervisor failed: {text.strip().splitlines()[-1]}",
        "error_type": "SupervisorError",
        "traceback": text,
        "hint": f"please report it; {state.resume_hint()}",
        "crashed": True,
    }
