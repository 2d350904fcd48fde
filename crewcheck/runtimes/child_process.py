"""The child of a supervisor: how it is started, what it inherits, how it is ended.

It is in a session of its own (so a signal reaches what it has started, and nothing else),
has no stdin, and talks on two private descriptors. On Linux the system ends it when its
supervisor is killed; everywhere its descriptors come to their end then.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from crewcheck.runtimes.spec import RunSpec

#: What the child runs, if the spec names nothing else.
BOOT = Path(__file__).parent / "boot" / "child.py"

# Of our own interpreter, and wrong for another one.
_OURS = ("PYTHONHOME", "PYTHONEXECUTABLE", "__PYVENV_LAUNCHER__")
_PR_SET_PDEATHSIG = 1


class Child:
    """A running child. Its descriptors on our side never block."""

    def __init__(self, spec: RunSpec, spec_path: Path) -> None:
        """Start it. Raises `OSError` (its file name is what could not be used)."""
        if not os.path.isdir(spec.cwd):
            raise FileNotFoundError(2, "no such folder", spec.cwd)
        theirs_in, self.orders = os.pipe()
        self.messages, theirs_out = os.pipe()
        command = [
            spec.python,
            spec.boot or str(BOOT),
            str(spec_path),
            str(theirs_in),
            str(theirs_out),
        ]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=spec.cwd,
                env=child_environment(spec, os.environ),
                pass_fds=(theirs_in, theirs_out),
                start_new_session=True,
                # the supervisor has one thread, so this is safe
                preexec_fn=_preparation(),
                bufsize=0,
            )
        except OSError as error:
            self._close_ours()
            raise OSError(error.errno, error.strerror, spec.python) from None
        except BaseException:
            self._close_ours()
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.pid = self._process.pid
        self.stdout = self._process.stdout.fileno()
        self.stderr = self._process.stderr.fileno()
        for file in (self.orders, self.messages, self.stdout, self.stderr):
            os.set_blocking(file, False)

    def poll(self) -> tuple[int | None, int | None] | None:
        """``(exit code, signal)`` once it has ended, one of them None."""
        code = self._process.poll()
        if code is None:
            return None
        return (code, None) if code >= 0 else (None, -code)

    def send_signal(self, number: int) -> None:
        """Signal the child and all that it has started, as far as that is there."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def close_orders(self) -> None:
        if self.orders >= 0:
            os.close(self.orders)
            self.orders = -1

    def _close_ours(self) -> None:
        self.close_orders()
        if self.messages >= 0:
            os.close(self.messages)
            self.messages = -1

    def close(self) -> None:
        """Give back the descriptors."""
        self._close_ours()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()


def child_environment(spec: RunSpec, inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment of the child: as if the user had activated the project's Python."""
    environment = {key: value for key, value in inherited.items() if key not in _OURS}
    # the project's folder itself only goes on sys.path later: a file there could hide a
    # module of the standard library
    path = [one for one in spec.path if one != spec.cwd]
    if path:
        before = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([*path, *([before] if before else [])])
    folder = os.path.dirname(spec.python)
    above = os.path.dirname(folder)
    if os.path.isfile(os.path.join(above, "pyvenv.cfg")):
        environment["VIRTUAL_ENV"] = above
        environment["PATH"] = folder + os.pathsep + environment.get("PATH", os.defpath)
    else:
        environment.pop("VIRTUAL_ENV", None)
    return environment


def _preparation() -> Callable[[], None]:
    """What the new process does before it becomes the child."""
    supervisor = os.getpid()
    set_death_signal: Callable[[], object] | None = None
    if sys.platform == "linux":
        # where it cannot be had, the end of its descriptors has to do
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            prctl = ctypes.CDLL(None).prctl
            set_death_signal = lambda: prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)  # noqa: E731

    def prepare() -> None:
        # what our parents ignore (a shell's `&` ignores SIGINT) must reach the child
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if set_death_signal is not None:
            set_death_signal()
            if os.getppid() != supervisor:
                os.kill(os.getpid(), signal.SIGKILL)

    return prepare
