"""The socket of a run: the side that listens (the supervisor) and the side that asks.

A request and its reply are one JSON object on a line each. A reply is ``ok``, ``status``
or ``error`` (message, hint). Paths of sockets are short by law of the system: where the
run folder's is too long the socket gets a short one, noted in ``control.path``.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crewcheck.errors import NotFound, Refused
from crewcheck.runtimes.wire import Message, Reader, dump

#: The shortest limit for a socket's path among the systems we know (macOS), with its end.
_LONGEST_PATH = 103
_LARGEST_REQUEST = 64 << 20
_LARGEST_REPLY = 1 << 20


def _fits(path: str) -> bool:
    return len(os.fsencode(path)) <= _LONGEST_PATH


def bind(folder: Path) -> tuple[socket.socket, Path]:
    """A listening socket for a run, and its path."""
    path = folder / "control"
    if not _fits(str(path)):
        import tempfile

        bases = [tempfile.gettempdir(), "/tmp"]
        base = next((one for one in bases if _fits(os.path.join(one, "crewcheck-xxxxxxxx/c"))), "")
        path = Path(tempfile.mkdtemp(prefix="crewcheck-", dir=base or "/tmp")) / "c"
        (folder / "control.path").write_bytes(os.fsencode(path))
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(path))
    listening.listen(16)
    listening.setblocking(False)
    return listening, path


def unbind(folder: Path, path: Path) -> None:
    """Take a socket's file away."""
    with contextlib.suppress(OSError):
        path.unlink()
    if path.parent != folder:
        with contextlib.suppress(OSError):
            path.parent.rmdir()
            (folder / "control.path").unlink()


def socket_path(folder: Path) -> Path:
    """Where the socket of a run is, or would be."""
    try:
        return Path(os.fsdecode((folder / "control.path").read_bytes()))
    except OSError:
        return folder / "control"


class ControlServer:
    """Serves requests on a selector. ``handle`` answers one; it never waits for a client."""

    def __init__(
        self,
        selector: selectors.BaseSelector,
        folder: Path,
        handle: Callable[[Message], Message],
        on_change: Callable[[], None],
    ) -> None:
        self._selector = selector
        self._folder = folder
        self._handle = handle
        self._on_change = on_change
        self._clients: dict[socket.socket, _Client] = {}
        self._listening, self.path = bind(folder)
        selector.register(self._listening, selectors.EVENT_READ, self._accept)

    @property
    def attached(self) -> int:
        """How many are attached."""
        return sum(client.attached for client in self._clients.values())

    def _accept(self, _: int) -> None:
        try:
            connection, _address = self._listening.accept()
        except OSError:
            return  # gone again already
        connection.setblocking(False)
        self._clients[connection] = _Client()
        self._selector.register(
            connection, selectors.EVENT_READ, lambda mask: self._serve(connection, mask)
        )

    def _serve(self, connection: socket.socket, mask: int) -> None:
        client = self._clients[connection]
        try:
            if mask & selectors.EVENT_READ:
                data = connection.recv(1 << 16)
                if not data:
                    self._drop(connection)
                    return
                client.size += len(data)
                for message in client.reader.feed(data):
                    client.size = 0
                    if message["type"] == "attach":
                        client.attached = True
                        self._on_change()
                    client.out += dump(self._handle(message))
            if client.out:
                sent = connection.send(client.out)
                del client.out[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(connection)
            return
        if len(client.out) > _LARGEST_REPLY or client.size > _LARGEST_REQUEST:
            self._drop(connection)  # it does not listen, or never comes to the point
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.out else 0)
        if self._selector.get_key(connection).events != wanted:
            self._selector.modify(connection, wanted, lambda mask: self._serve(connection, mask))

    def _drop(self, connection: socket.socket) -> None:
        self._selector.unregister(connection)
        connection.close()
        del self._clients[connection]
        self._on_change()

    def close(self) -> None:
        for connection in list(self._clients):
            self._selector.unregister(connection)
            connection.close()
        self._clients.clear()
        self._selector.unregister(self._listening)
        self._listening.close()
        unbind(self._folder, self.path)


class _Client:
    """One connection: what has come in of a request, and what has not gone out of a reply."""

    def __init__(self) -> None:
        self.reader = Reader()
        self.out = bytearray()
        self.size = 0
        self.attached = False


class Control:
    """A connection to the supervisor of a run. May be used from several threads."""

    def __init__(self, folder: Path, timeout: float = 10.0) -> None:
        """Raises `NotFound` where no supervisor listens."""
        self.run_id = folder.name
        self._lock = threading.Lock()
        self._reader = Reader()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(str(socket_path(folder)))
        except OSError:
            self._socket.close()
            raise self._gone() from None

    def _gone(self) -> NotFound:
        return NotFound(f"run {self.run_id} is not going on", f"see `crewcheck runs {self.run_id}`")

    def send(self, message: Message) -> Message:
        """Ask for something, and return the reply.

        Raises `Refused` for what cannot be done now, `NotFound` where the run has ended.
        """
        with self._lock:
            try:
                self._socket.sendall(dump(message))
                reply = self._receive()
            except OSError:
                raise self._gone() from None
        if reply["type"] == "error":
            raise Refused(str(reply.get("message")), str(reply.get("hint") or ""))
        return reply

    def _receive(self) -> Message:
        while True:
            data = self._socket.recv(1 << 16)
            if not data:
                raise ConnectionResetError
            for message in self._reader.feed(data):
                return message

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Control:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def send(folder: Path, message: Message) -> Message:
    """Ask the supervisor of a run for one thing. Raises as `Control`."""
    with Control(folder) as control:
        return control.send(message)
