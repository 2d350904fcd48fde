"""An environment with CrewAI, for the demo's project and for the tests.

It is kept in the user's cache folder under a hash of what goes into it, so that it is made
once. crewcheck itself is not installed in it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from crewcheck.errors import CrewcheckError

#: CrewAI runs on these.
_PYTHONS = ("python3.12", "python3.13", "python3.11", "python3.10", "python3")
_FIRST, _BEYOND = (3, 10), (3, 14)
_CONSTRAINTS = Path(__file__).with_name("crewai-constraints.txt")
_DONE = "complete"

Say = Callable[[str], None]


def folder() -> Path:
    """Where the environment is, or would be."""
    from platformdirs import user_cache_path

    key = hashlib.sha256(_CONSTRAINTS.read_bytes()).hexdigest()[:12]
    return user_cache_path("crewcheck", appauthor=False) / f"crewai-{key}"


def ready() -> str | None:
    """The environment's Python, None where it has not been made."""
    at = folder()
    return str(_python_of(at)) if (at / _DONE).is_file() else None


def make(say: Say) -> str:
    """Make the environment where it is missing, and return its Python.

    Takes a minute or two and about a gigabyte. Raises `CrewcheckError` with the end of
    what pip said.
    """
    at = folder()
    at.parent.mkdir(parents=True, exist_ok=True)
    with _Lock(at.with_suffix(".lock"), say):
        if (found := ready()) is not None:
            return found
        shutil.rmtree(at, ignore_errors=True)
        base = base_python()
        say(f"making an environment with CrewAI in {at} (a minute or two, once) ...")
        _run([base, "-m", "venv", str(at)], at)
        python = str(_python_of(at))
        wanted = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "crewai"]
        _run([python, *wanted, "-c", str(_CONSTRAINTS)], at)
        (at / _DONE).write_text("")
        return python


def base_python() -> str:
    """A Python that CrewAI runs on. Raises `CrewcheckError` where there is none."""
    if _FIRST <= sys.version_info[:2] < _BEYOND:
        return sys.executable
    for name in _PYTHONS:
        path = shutil.which(name)
        if path is None:
            continue
        code = f"import sys; sys.exit(not {_FIRST} <= sys.version_info[:2] < {_BEYOND})"
        if subprocess.run([path, "-c", code], check=False).returncode == 0:
            return path
    raise CrewcheckError(
        "CrewAI needs a Python from 3.10 to 3.13, and none was found", "install one, say python3.12"
    )


def _python_of(at: Path) -> Path:
    return at / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _run(command: list[str], at: Path) -> None:
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CrewcheckError(f"{command[0]} cannot be run: {error}") from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        shutil.rmtree(at, ignore_errors=True)
        raise CrewcheckError(
            f"the environment cannot be made: {' / '.join(lines[-3:])}",
            "look at your network and at pip's settings, then try again",
        )


class _Lock:
    """One at a time; a lock whose owner is gone is taken over."""

    def __init__(self, path: Path, say: Say) -> None:
        self._path = path
        self._say = say

    def __enter__(self) -> None:
        told = False
        while True:
            try:
                descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
                os.write(descriptor, str(os.getpid()).encode())
                os.close(descriptor)
                return
            except FileExistsError:
                if self._owner_is_gone():
                    self._path.unlink(missing_ok=True)
                    continue
            if not told:
                self._say("waiting for another set-up of the environment ...")
                told = True
            time.sleep(0.5)

    def __exit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)

    def _owner_is_gone(self) -> bool:
        try:
            owner = int(self._path.read_text() or "0")
            if owner > 0:
                os.kill(owner, 0)
            return False
        except (ValueError, ProcessLookupError):
            return True
        except (FileNotFoundError, PermissionError):
            return False


def main() -> None:
    """``python -m crewcheck.demo.environment``: make it, and print its Python."""
    print(make(lambda text: print(text, file=sys.stderr, flush=True)))


if __name__ == "__main__":
    main()
