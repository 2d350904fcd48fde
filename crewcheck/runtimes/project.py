"""The user's project around a store: its folder, what it configures, its environment."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crewcheck.errors import UsageProblem
from crewcheck.runtimes.declarations import is_declaration
from crewcheck.runtimes.dotenv import parse_dotenv

_LARGEST_DOTENV = 1 << 20


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """``[tool.crewcheck]`` of a ``pyproject.toml``. Paths are absolute.

    ``entry`` is ``module:attr`` or a file that declares it, ``validate`` is
    ``module:function``; ``script`` has its arguments in ``script_args``.
    """

    entry: str | None = None
    script: str | None = None
    script_args: tuple[str, ...] = ()
    python: str | None = None
    location: str | None = None
    validate: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A project. ``pyproject`` is None where there is none: then the folder is a guess.

    ``path`` goes on ``sys.path``, ``env`` are the variables of ``.env`` that the
    environment does not have. ``notes`` are remarks for the person. ``work`` is the folder
    that its programs are run in where that is one below ``folder``, else empty.
    """

    folder: str
    pyproject: str | None
    config: ProjectConfig = ProjectConfig()
    path: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    work: str = ""

    @property
    def cwd(self) -> str:
        """The folder that the project's programs are run in."""
        return self.work or self.folder

    @property
    def around(self) -> list[str]:
        """The folders that may hold its environment: its own, and those of the repository or
        workspace that it is in, the nearest first."""
        top = next((one for one in _upward(self.folder) if _is_repository(one)), self.folder)
        found = [one for one in _upward(self.cwd) if _is_below(one, top)]
        for above in _upward(os.path.dirname(top)) if not _is_repository(top) else ():
            if not os.path.isfile(os.path.join(above, "pyproject.toml")):
                break
            found.append(above)
        return found


def _upward(folder: str) -> Iterator[str]:
    """A folder and those that it is in, the nearest first."""
    at = folder
    while True:
        yield at
        above = os.path.dirname(at)
        if above == at:
            return
        at = above


def _is_repository(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git"))


def find_project(
    store: str | None = None,
    cwd: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Project:
    """The project of a store: what is around the store, else around the working folder.

    Raises `UsageProblem` where ``[tool.crewcheck]`` says something that cannot be.
    """
    here = os.path.abspath(cwd or os.getcwd())
    around = _folder_of(store)
    pyproject = _upwards(around) if around is not None else None
    if pyproject is None and (around is None or not _is_its_own(around, here)):
        pyproject = _upwards(here)
    if pyproject is not None:
        folder = os.path.dirname(pyproject)
        config = read_config(pyproject)
    else:
        folder = around if around is not None and not _is_below(around, here) else here
        config = ProjectConfig()
    work = _work_folder(store, folder)
    env, notes = _dotenv(work or folder, folder, os.environ if environment is None else environment)
    roots = [work, folder] if work else [folder]
    sources = [os.path.join(one, "src") for one in roots]
    path = tuple(
        each
        for one, source in zip(roots, sources, strict=True)
        for each in ([source, one] if os.path.isdir(source) else [one])
    )
    return Project(folder, pyproject, config, path, env, tuple(notes), work)


#: Where CrewAI writes checkpoints if it is not told otherwise, in the working folder.
_USUAL = (".checkpoints", ".checkpoints.db")


def _work_folder(store: str | None, folder: str) -> str:
    """The folder below a project's in which the program ran that wrote a store, empty where
    it is the project's own or cannot be told."""
    around = _folder_of(store)
    if around is None or store is None or os.path.basename(store.rstrip("/")) not in _USUAL:
        return ""
    below = around != folder and _is_below(around, folder)
    return around if below and _has_program(around) else ""


def _folder_of(store: str | None) -> str | None:
    """The folder in which a store lies, None for one that is in no folder."""
    if store is None or "://" in store:
        return None
    return os.path.dirname(os.path.abspath(os.path.expanduser(store)))


def _is_below(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder


def _is_its_own(folder: str, here: str) -> bool:
    """Whether the folder of a store, without a ``pyproject.toml``, has a program beside it."""
    return not _is_below(folder, here) and _has_program(folder)


def _has_program(folder: str) -> bool:
    try:
        return any(name.endswith(".py") for name in os.listdir(folder))
    except OSError:
        return False


def _upwards(folder: str) -> str | None:
    """The nearest ``pyproject.toml``, not beyond the top of a repository."""
    for at in _upward(folder):
        path = os.path.join(at, "pyproject.toml")
        if os.path.isfile(path):
            return path
        if _is_repository(at):
            break
    return None


def read_config(pyproject: str) -> ProjectConfig:
    """``[tool.crewcheck]``; errors name the file and the key. Raises `UsageProblem`."""
    import tomllib

    try:
        with open(pyproject, "rb") as file:
            data = tomllib.load(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageProblem(f"{pyproject} cannot be read: {reason}") from None
    tool = data.get("tool")
    section = tool.get("crewcheck", {}) if isinstance(tool, dict) else {}
    if not isinstance(section, dict):
        raise UsageProblem(f"{pyproject}: tool.crewcheck must be a table, not {section!r}")
    reader = _Section(pyproject, section)
    script = reader.command("script")
    config = ProjectConfig(
        entry=reader.entry(),
        script=None if script is None else reader.path(script[0]),
        script_args=tuple(script[1:] if script is not None else ()),
        python=reader.python(),
        location=reader.location(),
        validate=reader.reference("validate", "module:function"),
    )
    if config.entry is not None and config.script is not None:
        raise UsageProblem(
            f"{pyproject}: [tool.crewcheck] has both entry and script", "leave one of them out"
        )
    return config


class _Section:
    """Reads the keys of ``[tool.crewcheck]``."""

    def __init__(self, pyproject: str, values: Mapping[str, Any]) -> None:
        self._file = pyproject
        self._values = values

    def _wrong(self, key: str, must: str) -> UsageProblem:
        value = self._values[key]
        return UsageProblem(f"{self._file}: [tool.crewcheck] {key} must be {must}, not {value!r}")

    def _text(self, key: str, must: str) -> str | None:
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            raise self._wrong(key, must)
        return value

    def entry(self) -> str | None:
        """An object by its name, or a file that declares one."""
        value = self._values.get("entry")
        if isinstance(value, str) and is_declaration(value):
            return self.path(value)
        return self.reference("entry", "module:attr")

    def reference(self, key: str, form: str) -> str | None:
        value = self._text(key, form)
        if value is not None and not is_reference(value):
            raise self._wrong(key, form)
        return value

    def command(self, key: str) -> list[str] | None:
        """A file, or a list of a file and its arguments."""
        value = self._values.get(key)
        if isinstance(value, list):
            if not value or not all(isinstance(one, str) and one for one in value):
                raise self._wrong(key, "a file, or a list of a file and its arguments")
            return value
        text = self._text(key, "a file, or a list of a file and its arguments")
        return None if text is None else [text]

    def path(self, value: str) -> str:
        folder = os.path.dirname(os.path.abspath(self._file))
        return os.path.normpath(os.path.join(folder, os.path.expanduser(value)))

    def python(self) -> str | None:
        """A path, or the bare name of a command."""
        value = self._text("python", "the path of a Python interpreter")
        if value is None or not ({"/", os.sep} & set(value) or value.startswith((".", "~"))):
            return value
        return self.path(value)

    def location(self) -> str | None:
        value = self._text("location", "a path or URL")
        return value if value is None or "://" in value else self.path(value)


def is_reference(text: str) -> bool:
    """Whether a text has the form ``package.module:attr``."""
    module, colon, attr = text.partition(":")
    parts = [*module.split("."), *attr.split(".")]
    return bool(colon) and all(one.isidentifier() for one in parts)


def _dotenv(
    work: str, folder: str, environment: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The variables of the nearest ``.env`` from the working folder up to the project's."""
    at = work
    while at != folder and not os.path.isfile(os.path.join(at, ".env")):
        at = os.path.dirname(at)
    path = os.path.join(at, ".env")
    if not os.path.isfile(path):
        return {}, []
    try:
        if os.path.getsize(path) > _LARGEST_DOTENV:
            return {}, [f"{path} was not read: it is larger than 1 MB"]
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            values, bad = parse_dotenv(file.read(), environment)
    except OSError as error:
        return {}, [f"{path} cannot be read: {(error.strerror or str(error)).lower()}"]
    notes = [f"{path}: line {number} is no NAME=VALUE and was passed over" for number in bad]
    return {key: value for key, value in values.items() if key not in environment}, notes
