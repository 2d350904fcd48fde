"""The child's end of the two descriptors: messages out, commands in."""

from __future__ import annotations

import os
import threading
from typing import Any

from crewcheck.crewai.refusal import Aborted
from crewcheck.runtimes.wire import Message, Reader, dump


class Channel:
    """Sends whole lines from any thread, and waits for what the supervisor says.

    A supervisor that is gone does not end a run that has begun: what is sent then is
    dropped, and only waiting for it fails.
    """

    def __init__(self, fd_in: int, fd_out: int) -> None:
        self._in, self._out = fd_in, fd_out
        self._sending = threading.RLock()  # a signal may come while the main thread sends
        self._changed = threading.Condition()
        self._decisions: list[Message] = []
        self._answers: dict[str, str | None] = {}
        self._closed = False
        self._dead = False
        self._half = False
        threading.Thread(target=self._listen, name="crewcheck-commands", daemon=True).start()

    def send(self, kind: str, /, **fields: Any) -> None:
        """Send one message."""
        line = dump({"type": kind, **fields})
        with self._sending:
            if self._dead:
                return
            if self._half:
                line = b"\n" + line  # the line before was cut by a signal
            self._half = True
            try:
                while line:
                    line = line[os.write(self._out, line) :]
            except OSError:
                self._dead = True
            self._half = False

    def decision(self) -> Message:
        """Wait for ``go``. Raises `Aborted` on ``abort``, or when nobody is there."""
        with self._changed:
            self._changed.wait_for(lambda: self._decisions or self._closed)
            if not self._decisions:
                raise Aborted("nobody is there to say go")
            message = self._decisions.pop(0)
        if message["type"] == "abort":
            raise Aborted("it was not wanted")
        return message

    def answer(self, prompt_id: str) -> str:
        """Wait for the answer to a prompt. Raises `EOFError` when nobody is there."""
        with self._changed:
            self._changed.wait_for(lambda: prompt_id in self._answers or self._closed)
            answer = self._answers.pop(prompt_id, None)
            if answer is None:
                raise EOFError("nobody is there to answer")
            return answer

    def _listen(self) -> None:
        reader = Reader()
        while True:
            try:
                data = os.read(self._in, 65536)
            except OSError:
                data = b""
            with self._changed:
                for message in reader.feed(data):
                    if message["type"] in ("go", "abort"):
                        self._decisions.append(message)
                    elif message["type"] == "answer":
                        given = message.get("text", "")
                        text = None if given is None else str(given)
                        self._answers[str(message.get("id"))] = text
                if not data:
                    self._closed = True
                self._changed.notify_all()
            if not data:
                return
