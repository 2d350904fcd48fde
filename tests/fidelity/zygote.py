"""Runs in the user's interpreter: imports CrewAI once, and forks for each job.

    PYTHON zygote.py SOCKET

A job is one connection to the socket: a line of JSON with the descriptors of stdout, stderr
and, for a child of ours, of its two pipes. ``pid`` is answered when it has begun, ``status``
(as of `os.waitpid`) when it has ended. The zygote has one thread and never emits an event of
CrewAI, so that a fork is as new as a process that has just imported it. Stdlib only, 3.10.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import pkgutil
import selectors
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

HERE = os.path.dirname(os.path.realpath(__file__))
OURS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "crewcheck")

#: What CrewAI imports late: without threads, and needed by nearly all runs.
_LATE = (
    "crewai.flow.flow",
    "crewai.llms.providers.openai.completion",
    "crewai.project",
    "crewai.state.checkpoint_listener",
    "crewai.state.provider.sqlite_provider",
    "crewai.tasks.conditional_task",
    "crewai.tools",
    "lance_namespace",
    "openai.resources.chat",
)


def _by_location(name: str, path: str, folders: list[str] | None = None) -> Any:
    """Import a module of ours without its folder on ``sys.path``, as a child does."""
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folders)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load() -> None:
    """Import all that the forks will need."""
    sys.path[:] = [one for one in sys.path if os.path.realpath(one or os.curdir) != HERE]
    package = _by_location("crewcheck", os.path.join(OURS, "__init__.py"), [OURS])
    _by_location("fidelity_program", os.path.join(HERE, "program.py"))
    importlib.import_module("crewai")
    for name in _LATE:
        with suppress(ImportError):  # another version of CrewAI
            importlib.import_module(name)
    inner = os.path.join(package.__path__[0], "crewai")
    for found in pkgutil.walk_packages([inner], "crewcheck.crewai."):
        importlib.import_module(found.name)


class Zygote:
    """Takes jobs one by one, and tells how each ended."""

    def __init__(self, path: str) -> None:
        self._selector = selectors.DefaultSelector()
        self._running: dict[int, socket.socket] = {}
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(path)
        self._listening.listen(16)
        self._wakes, self._woken = os.pipe()
        for one in (self._wakes, self._woken):
            os.set_blocking(one, False)
        signal.set_wakeup_fd(self._woken)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._selector.register(self._wakes, selectors.EVENT_READ)
        self._selector.register(sys.stdin, selectors.EVENT_READ)

    def serve(self) -> None:
        """Until stdin is closed: then who started it is gone, and its jobs are ended."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._listening:
                    self._take(self._listening.accept()[0])
                elif key.fileobj == self._wakes:
                    self._reap()
                elif not os.read(0, 1 << 10):
                    for pid in self._running:
                        with suppress(OSError):
                            os.killpg(pid, signal.SIGKILL)
                    return

    def _take(self, connection: socket.socket) -> None:
        data, descriptors, _, _ = socket.recv_fds(connection, 1 << 20, 4)
        while not data.endswith(b"\n"):
            more = connection.recv(1 << 20)
            if not more:
                return
            data += more
        pid = os.fork()
        if pid == 0:
            try:
                self._become(json.loads(data), descriptors)
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(70)
        for one in descriptors:
            os.close(one)
        self._running[pid] = connection
        connection.sendall(b"%d\n" % pid)

    def _reap(self) -> None:
        os.read(self._wakes, 1 << 10)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            with self._running.pop(pid) as connection, suppress(OSError):
                connection.sendall(b"%d\n" % status)

    def _become(self, job: dict[str, Any], descriptors: list[int]) -> None:
        """The new process: as if it had been started for the job."""
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for one in (self._wakes, self._woken):
            os.close(one)
        self._listening.close()
        for connection in self._running.values():
            connection.close()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(descriptors[0], 1)
        os.dup2(descriptors[1], 2)
        os.environ.clear()
        os.environ.update(job["env"])
        os.chdir(job["cwd"])
        importlib.invalidate_caches()
        if job["kind"] == "child":
            from crewcheck.crewai.runner import run

            theirs_in, theirs_out = descriptors[2:]
            os._exit(run(job["spec"], theirs_in, theirs_out))
        import fidelity_program  # type: ignore[import-not-found]

        os._exit(fidelity_program.run(job))


if __name__ == "__main__":
    load()
    Zygote(sys.argv[1]).serve()
    os._exit(0)  # CrewAI would have much to do in the end, and has done nothing
