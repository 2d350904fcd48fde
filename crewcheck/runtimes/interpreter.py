"""Which Python runs the user's project: the first of several places that has crewai.

What a person names (``--python``, ``[tool.crewcheck] python``) is the only place. Else, in
this order: ``UV_PROJECT_ENVIRONMENT``; ``.venv``, ``venv``, ``env``, ``.conda`` and pixi's
default environment in the project's folder and those that it is in; the active environment
(``VIRTUAL_ENV``, ``CONDA_PREFIX``); what poetry, pipenv, hatch, conda (``environment.yml``)
and pyenv (``.python-version``) keep for the project elsewhere; crewcheck's own Python; the
``python3`` and ``python`` that the shell finds.

A look at the installed packages tells in a virtual environment; another Python is asked.
crewai is imported nowhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from crewcheck.errors import NotFound, UsageProblem
from crewcheck.runtimes.environments import Place, beside, of_tools
from crewcheck.runtimes.project import Project

_DIST_INFO = re.compile(r"crewai-([0-9][^-]*)\.dist-info", re.IGNORECASE)
_ASK_SECONDS = 20.0
# Not of the folder in which it happens to run; an empty version is crewai without metadata.
_QUESTION = """
import sys
sys.path[:] = [path for path in sys.path if path]
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
try:
    print("crewai", version("crewai"))
except PackageNotFoundError:
    spec = find_spec("crewai")
    print("crewai" if spec is not None and spec.origin else "none")
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that has crewai. ``origin`` says where it was named; ``crewai`` is a version,
    empty where it cannot be told."""

    path: str
    origin: str
    crewai: str


class NoInterpreter(NotFound):
    """No Python with crewai; ``looked_at`` are the places, each with what was wrong."""

    def __init__(self, looked_at: list[str]) -> None:
        super().__init__(
            "no Python with crewai was found: " + "; ".join(looked_at),
            "name the project's Python with --python, or [tool.crewcheck] python in pyproject.toml",
        )
        self.looked_at = looked_at


class NotThisPython(UsageProblem):
    """The Python that a person named is not there, or has no crewai."""

    def __init__(self, why: str) -> None:
        super().__init__(why, "install crewai there, or name another Python")


def find_interpreter(
    project: Project,
    python: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Interpreter:
    """The Python for a project; ``python`` is what the person named.

    Raises `NotThisPython` for a named one that is not there or has no crewai,
    `NoInterpreter` where none has.
    """
    env = os.environ if environment is None else environment
    looked_at: list[str] = []
    tried: set[str] = set()
    named = _named(project, python)
    for place in [named] if named is not None else _places(project, env):
        if place.path is None:
            looked_at.append(place.origin)
            continue
        path = resolve(place.path)
        if path in tried:
            continue
        tried.add(path or "")
        if path is None:
            there = os.path.expanduser(place.path)
            gone = os.path.dirname(there) and not os.path.exists(there)
            what = "does not exist" if gone else "is no Python interpreter"
            why = f"{place.path} ({place.origin}) {what}"
        else:
            version = own_crewai() if place.origin == _OWN else crewai_version(path)
            if version is not None:
                return Interpreter(path, place.origin, version)
            why = f"{path} ({place.origin}) has no crewai"
        if place is named:
            raise NotThisPython(why)
        looked_at.append(why)
    raise NoInterpreter(looked_at)


_OWN = "crewcheck's own"


def _named(project: Project, python: str | None) -> Place | None:
    """What the person named: then there is no going on to the next."""
    if python is not None:
        return Place("--python", python)
    if project.config.python is not None:
        return Place(f"{project.pyproject}", project.config.python)
    return None


def _places(project: Project, env: Mapping[str, str]) -> Iterator[Place]:
    yield from beside(project.around, env)
    # conda's base is active all the time, and belongs to no project
    is_base = env.get("CONDA_DEFAULT_ENV") == "base"
    active = ["VIRTUAL_ENV"] if is_base else ["VIRTUAL_ENV", "CONDA_PREFIX"]
    for variable in active:
        if env.get(variable):
            yield Place(f"${variable}", env[variable])
    yield from of_tools(project.around, env)
    if is_base and env.get("CONDA_PREFIX"):
        yield Place("$CONDA_PREFIX", env["CONDA_PREFIX"])
    yield Place(_OWN, sys.executable)
    for command in ("python3", "python"):
        found = shutil.which(command, path=env.get("PATH", ""))
        if found:
            yield Place(f"{command} of the shell", found)


def resolve(named: str) -> str | None:
    """The interpreter that a file, folder (of an environment) or command means.

    Links are kept as they are: that of a virtual environment is what makes it one.
    """
    path = os.path.expanduser(named)
    if os.path.isdir(path):
        inner = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
        found = (os.path.join(path, *one.split("/")) for one in inner)
        return next((os.path.abspath(one) for one in found if _is_program(one)), None)
    if _is_program(path) and os.path.dirname(path):
        return os.path.abspath(path)
    command = shutil.which(path) if not os.path.dirname(path) else None
    return os.path.abspath(command) if command else None


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def crewai_version(python: str) -> str | None:
    """The crewai of an interpreter, None if it has none, empty if it has no metadata."""
    prefix = os.path.dirname(os.path.dirname(python))
    virtual = _virtual(prefix)
    if virtual is not None or os.path.isdir(os.path.join(prefix, "conda-meta")):
        version = _installed_below(prefix)
        if version is not None or virtual is True:
            return version
    return _ask(python)


def _virtual(prefix: str) -> bool | None:
    """True: an environment of its own. False: one that sees another's packages. None: neither."""
    try:
        with open(os.path.join(prefix, "pyvenv.cfg"), encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 16)
    except OSError:
        return None
    shared = re.search(r"(?im)^\s*include-system-site-packages\s*=\s*true", text)
    return shared is None and not os.environ.get("PYTHONPATH")


def _installed_below(prefix: str) -> str | None:
    """The version in the name of crewai's metadata folder, as pip and uv leave it."""
    folders = [os.path.join(prefix, "Lib", "site-packages")]
    for library in ("lib", "lib64"):
        inner = os.path.join(prefix, library)
        try:
            names = sorted(os.listdir(inner), reverse=True)
        except OSError:
            continue
        folders += [
            os.path.join(inner, name, "site-packages")
            for name in names
            if name.startswith(("python3", "pypy3"))
        ]
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in sorted(names):
            match = _DIST_INFO.fullmatch(name)
            if match is not None:
                return match[1]
    return None


def _ask(python: str) -> str | None:
    try:
        done = subprocess.run(
            [python, "-c", _QUESTION],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_ASK_SECONDS,
            cwd=os.path.dirname(python),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.decode("utf-8", "replace").split()
    if done.returncode or words[:1] != ["crewai"]:
        return None
    return words[1] if len(words) > 1 else ""


def own_crewai() -> str | None:
    """The crewai beside crewcheck itself."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("crewai")
    except PackageNotFoundError:
        return None
