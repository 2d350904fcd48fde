"""The supervisor of one run: ``crewcheck _run RUN_DIR``, a process of its own.

It starts the child, writes all that is said to the journal, and takes orders on a socket.
One thread and one selector; it never waits for a reader, a client or the child. What it
must hold, whatever happens: the journal of a run ends with `exited`, and before that has
said how the run ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crewcheck.runtimes import lock
from crewcheck.runtimes.child_process import Child
from crewcheck.runtimes.control import ControlServer
from crewcheck.runtimes.escalation import FIRMLY, GENTLY, Escalation
from crewcheck.runtimes.journal import Journal, now
from crewcheck.runtimes.last_words import cannot_start, died, internal
from crewcheck.runtimes.orders import Orders
from crewcheck.runtimes.outlet import Outlet
from crewcheck.runtimes.run_state import FINISHED, RunState
from crewcheck.runtimes.spec import RunSpec, read_spec
from crewcheck.runtimes.streams import ChildMessages, LogStream
from crewcheck.runtimes.wire import LAST, PROTOCOL, Message
from crewcheck.runtimes.work_file import WorkFile

_READ = 1 << 16
_PRINTS_AT_ONCE = 64
#: A child that has said its last message, and stays.
_LINGER_SECONDS = 10.0
#: After the child's end, how long its pipes may stay silent before they are given up
#: (a process that it started can hold them open).
_SILENCE_SECONDS = 0.3
_DRAIN_SECONDS = 5.0
_RETRY_SECONDS = 1.0


class Supervisor:
    """Owns a run from its spec to its last line."""

    def __init__(self, folder: Path, spec: RunSpec) -> None:
        self.folder = folder
        self.spec = spec
        self.state = RunState.of(spec)
        self.child: Child | None = None
        self.ending = Escalation(self._signal)
        self._selector = selectors.DefaultSelector()
        self._journal = Journal(folder / "journal.jsonl")
        self._work = WorkFile(folder)
        self._orders = Orders(self)
        self._outlet: Outlet | None = None
        self._errors = LogStream("stderr")
        self._open: set[int] = set()
        self._prints: tuple[Callable[[int], bool], ...] = ()
        self._unattended_at: float | None = None
        self._linger_at: float | None = None
        self._gone_at: float | None = None
        self._exit: tuple[int | None, int | None] | None = None
        self._last: Message | None = None
        self._control: ControlServer | None = None

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Do the whole run. ``ready`` is called when orders are taken."""
        try:
            self.record({"type": "supervised", "protocol": PROTOCOL, "pid": os.getpid()})
            self._wake_on_signals()
            self._control = ControlServer(
                self._selector, self.folder, self._orders.handle, self._attendance_changed
            )
            self._attendance_changed()
            ready()
            if self._start():
                self._loop()
        except Exception:
            import traceback

            text = traceback.format_exc()
            print(text, flush=True)
            self._say_last(internal(text, self.state))
        finally:
            self._finish()

    # What others ask of it.

    def record(self, *messages: Message) -> None:
        """Write down, and learn from it."""
        for message in self._journal.append(messages):
            self.state.take(message)

    def tell_child(self, message: Message) -> None:
        """Send the child an order, when it is ready to read it."""
        if self._outlet is not None:
            self._outlet.send(message)

    def go(self) -> None:
        """The wait is over: nobody needs to be attached from here on."""
        self._unattended_at = None

    def abort(self, why: str) -> None:
        self._unattended_at = None
        message = {"type": "abort", "message": why}
        self.record(message)
        self.tell_child({"type": "abort"})
        grace = self.spec.grace_seconds
        self.ending.begin(FIRMLY, grace, after=min(grace, 2.0))

    def cancel(self) -> None:
        self.record({"type": "cancel"})
        self._unattended_at = None
        self.ending.begin(GENTLY, self.spec.grace_seconds)

    # The loop.

    def _start(self) -> bool:
        try:
            self.child = Child(self.spec, self.folder / "spec.json")
        except (OSError, ValueError) as error:
            self._say_last(cannot_start(error, self.spec))
            return False
        self._outlet = Outlet(self._selector, self.child.orders)
        child_messages = ChildMessages()
        logs = LogStream("stdout")
        self._listen(self.child.messages, lambda data: self._heard(child_messages.feed(data)))
        self._prints = (
            self._listen(self.child.stdout, lambda data: self.record(*logs.feed(data))),
            self._listen(self.child.stderr, lambda data: self.record(*self._errors.feed(data))),
        )
        return True

    def _listen(self, file: int, take: Callable[[bytes], None]) -> Callable[[int], bool]:
        """Give ``take`` what comes on a descriptor. Returns what reads some of it at once."""

        def read(_: int) -> bool:
            if file not in self._open:
                return False
            try:
                data = os.read(file, _READ)
            except BlockingIOError:
                return False
            except OSError:
                data = b""
            if not data:
                self._selector.unregister(file)
                self._open.discard(file)
            take(data)
            return bool(data)

        self._open.add(file)
        self._selector.register(file, selectors.EVENT_READ, read)
        return read

    def _loop(self) -> None:
        while self._exit is None or self._open:
            heard = False
            for key, mask in self._selector.select(self._patience()):
                heard = heard or key.fd in self._open
                key.data(mask)
            now = time.monotonic()
            self._look_after(now)
            if self._gone_at is not None and self._open:
                silent = not heard and now - self._gone_at > _SILENCE_SECONDS
                if silent or now - self._gone_at > _DRAIN_SECONDS:
                    break

    def _patience(self) -> float | None:
        """How long nothing has to be done if nothing happens."""
        times = [self._unattended_at, self._linger_at, self.ending.next_at]
        now = time.monotonic()
        if self._gone_at is not None:
            times.append(now + _SILENCE_SECONDS)
        if self._journal.problem is not None:
            times.append(now + _RETRY_SECONDS)
        due = [one for one in times if one is not None]
        return max(0.0, min(due) - now) if due else None

    def _look_after(self, now: float) -> None:
        """Do what the time asks for, and see whether the child is still there."""
        if self._journal.problem is not None:
            self._journal.flush()
        if self._exit is None and self.child is not None:
            self._exit = self.child.poll()
            if self._exit is not None:
                self._gone_at = now
                self._unattended_at = self._linger_at = None
                if self._last is None:
                    # it did not end in order: what it started must not go on without it
                    self._signal(signal.SIGKILL)
        if self._exit is not None:
            return
        if self._unattended_at is not None and now >= self._unattended_at:
            self.abort("nobody was there to confirm it")
        if self._linger_at is not None and now >= self._linger_at:
            self._linger_at = None
            self.ending.begin(FIRMLY, self.spec.grace_seconds)
        self.ending.step()

    def _heard(self, messages: list[Message]) -> None:
        for message in messages:
            if message["type"] == "record":
                self._work.append(message.get("event"))
                continue
            if message["type"] in LAST:
                if self._last is not None:
                    continue
                self._last = message
                self._read_prints()
                self._linger_at = time.monotonic() + _LINGER_SECONDS
            self.record(message)
            if message["type"] == "prompt":
                self._orders.prepared_answer(message)

    def _read_prints(self) -> None:
        """Write down what was printed so far: before the last message, not behind it."""
        for read in self._prints:
            for _ in range(_PRINTS_AT_ONCE):
                if not read(0):
                    break

    def _attendance_changed(self) -> None:
        """Count the time in which nobody is attached, as long as `go` has not come."""
        undecided = self.state.state == "planning" and not self.ending.begun
        if self._control is None or self._control.attached or not undecided:
            self._unattended_at = None
        elif self._unattended_at is None:
            self._unattended_at = time.monotonic() + self.spec.unattended_seconds

    def _signal(self, number: int) -> None:
        if self.child is not None:
            self.child.send_signal(number)

    def _wake_on_signals(self) -> None:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGHUP, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)

        def woken(_: int) -> None:
            with contextlib.suppress(BlockingIOError):
                if {signal.SIGINT, signal.SIGTERM} & set(os.read(reading, 512)):
                    self.cancel()

        self._selector.register(reading, selectors.EVENT_READ, woken)

    # The end.

    def _say_last(self, message: Message) -> None:
        if self._last is None:
            self._last = message
            self.record(message)

    def _finish(self) -> None:
        code, number = self._exit or (None, None)
        if self.child is not None:
            if self._exit is None:
                self._signal(signal.SIGKILL)
            self.child.close()
        if self._last is None and self.state.state != "aborted":
            tail = self._errors.tail()
            self._say_last(died(code, number, self.ending.sent, tail, self.state))
        last: Message = {"type": "exited", "code": code, "signal": number, "at": now()}
        self.state.take(last)
        self._work.close(keep=self.state.state != FINISHED)
        if self._control is not None:
            self._control.close()
        with contextlib.suppress(OSError):
            write_status(self.folder, self.state.as_dict())
        # who has read this line finds all as it will stay
        self._journal.append([last])
        self._journal.close()
        self._selector.close()


def write_status(folder: Path, status: dict[str, Any]) -> None:
    """Leave behind how the run ended, whole or not at all."""
    path = folder / "status.json.tmp"
    with open(path, "w", encoding="ascii") as file:
        json.dump(status, file)
    path.replace(folder / "status.json")


def supervise(folder: Path, ready: Callable[[], None] = lambda: None) -> None:
    """Supervise a run in this process. Raises `OSError` or `ValueError` if it cannot begin."""
    spec = read_spec(folder / "spec.json")
    spec.run_id = folder.name
    held = lock.take(folder / "lock")
    try:
        if (folder / "journal.jsonl").exists():
            raise FileExistsError(17, "this run has had its supervisor", str(folder))
        Supervisor(folder, spec).run(ready)
    finally:
        os.close(held)
