"""Resumes whose child is killed, with a supervisor as ever."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from crewcheck.engine import running
from crewcheck.engine.catalog import open_catalog
from crewcheck.engine.running import RESUME, confirm, prepare, start
from crewcheck.engine.source import read_source
from crewcheck.runtimes.run_state import RunState
from crewcheck.runtimes.spawn import start_run
from crewcheck.runtimes.wire import Message
from tests.fidelity.bench import Bench
from tests.fidelity.relay import SOCKET_VARIABLE
from tests.fidelity.resumes import wish_of
from tests.fidelity.scenario import Scenario

RELAY = Path(__file__).with_name("relay.py")


@dataclass
class Killed:
    """A resume that was killed (or was too quick for that), and what it had done.

    ``asked`` are the keys of the requests that were answered, ``told`` how many answers the
    journal has, ``seconds`` what it took from its beginning."""

    store: Path
    state: RunState = field(default_factory=RunState)
    asked: list[str] = field(default_factory=list)
    told: int = 0
    messages: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class When:
    """A moment: after so many messages, or so many seconds, from the beginning of a run."""

    messages: int | None = None
    seconds: float | None = None

    @classmethod
    def at_random(cls, dice: random.Random, whole: Killed) -> When:
        """Some moment of a run that goes like ``whole``."""
        if dice.random() < 0.5:
            return cls(messages=dice.randrange(whole.messages))
        return cls(seconds=dice.uniform(0, whole.seconds))


def resume_and_kill(
    bench: Bench,
    scenario: Scenario,
    store: Path,
    checkpoint_id: str,
    when: When | None,
    *,
    spawn: bool = False,
) -> Killed:
    """Resume a checkpoint and kill the child; never, if ``when`` is None.

    With ``spawn`` the child is started as ever, else it is a fork of the zygote.
    """
    folder = store.parent.parent
    wish = wish_of(RESUME, scenario.entry, bench.python, scenario.get("ANSWERS", []))
    with bench.model(folder) as model, open_catalog(str(store)) as catalog:
        catalog.read_summaries()
        prepared = prepare(read_source(catalog, catalog.forest.by_id[checkpoint_id][0]), wish)
        prepared.spec.env |= bench.environment(folder, model.url)
        if not spawn:
            prepared.spec.env[SOCKET_VARIABLE] = bench.zygote.path
            prepared.spec.python, prepared.spec.boot = sys.executable, str(RELAY)
        with mock.patch.object(running, "start_run", start_run):
            handle = start(prepared)
        with handle:
            told = 0
            messages = 0
            began = ended = 0.0
            for message in handle.follow(timeout=60):
                if message["type"] == "plan":
                    confirm(prepared, handle, message)
                elif message["type"] == "started":
                    began = time.monotonic()
                    if when is not None and when.seconds is not None:
                        threading.Timer(when.seconds, _kill, [handle.state().pid]).start()
                if began:
                    if when is not None and when.messages == messages:
                        _kill(handle.state().pid)
                    messages += 1
                    told += _is_answer(message)
                    ended = time.monotonic()
            state = handle.state()
        asked = [one.key for one in model.requests if one.status == 200]
    return Killed(store, state, asked, told, messages, ended - began)


def _kill(pid: int | None) -> None:
    assert pid is not None
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _is_answer(message: Message) -> bool:
    """Whether it tells that the model has really answered."""
    return (
        message["type"] == "event"
        and message["event"] == "llm_call_completed"
        and message.get("replayed") is not True
    )
