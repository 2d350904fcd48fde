"""Where the tools of Python projects keep a project's environments.

Each function looks for what one tool would have made; nothing is asked of the tools
themselves. What they look at is in the order in which a project's own environment is most
likely to be found: beside the project, then in the folders of poetry, pipenv, hatch, conda
and pyenv.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Names of environments in a project's folder: of venv and uv, of conda, of pixi.
IN_FOLDER = (".venv", "venv", "env", ".conda", ".pixi/envs/default")
#: Where conda may be installed for all users.
_OF_THE_SYSTEM = ("/opt/conda", "/opt/miniconda3", "/opt/anaconda3", "/opt/miniforge3")
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere to look. ``path`` is an environment or an interpreter; None where a tool has
    made none, and then ``origin`` says what was looked for."""

    origin: str
    path: str | None


def beside(folders: Sequence[str], environment: Mapping[str, str]) -> Iterator[Place]:
    """Environments in a project's folders, the nearest first."""
    named = environment.get("UV_PROJECT_ENVIRONMENT")
    if named:
        # relative to the project, or to the workspace that it is in
        there = [os.path.join(one, os.path.expanduser(named)) for one in folders]
        found = next((one for one in there if os.path.isdir(one)), there[0])
        yield Place("$UV_PROJECT_ENVIRONMENT", found)
    none = True
    for folder in folders:
        for name in IN_FOLDER:
            path = os.path.join(folder, *name.split("/"))
            if os.path.isdir(path):
                none = False
                yield Place(f"the project's {name}", path)
    if none:
        names = ", ".join(IN_FOLDER[:-1])
        yield Place(f"no {names} or {IN_FOLDER[-1]} in {' or '.join(folders)}", None)


def of_tools(folders: Sequence[str], environment: Mapping[str, str]) -> Iterator[Place]:
    """Environments that tools keep elsewhere for a project."""
    for folder in folders:
        yield from _poetry(folder, environment)
        yield from _pipenv(folder, environment)
        yield from _hatch(folder, environment)
        yield from _conda(folder, environment)
        yield from _pyenv(folder, environment)


def _poetry(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """``{cache}/virtualenvs/NAME-HASH-pyX.Y``: the hash is of the project's folder."""
    project = _toml(os.path.join(folder, "pyproject.toml"))
    if not isinstance(_in(project, "tool", "poetry"), dict) and not os.path.isfile(
        os.path.join(folder, "poetry.lock")
    ):
        return
    base = _poetry_folder(folder, environment)
    where = os.path.normcase(os.path.realpath(folder)).encode("utf-8", "surrogateescape")
    digest = base64.urlsafe_b64encode(hashlib.sha256(where).digest()).decode()[:8]
    pattern = re.compile(rf"(.+-{re.escape(digest)})-py([\d.]+)")
    names = [name for name in _listed(base) if pattern.fullmatch(name)]
    if not names:
        yield Place(f"no poetry environment *-{digest}-py* in {base}", None)
        return
    chosen = _toml(os.path.join(base, "envs.toml"))

    def wanted(name: str) -> tuple[bool, list[int]]:
        match = pattern.fullmatch(name)
        return match is not None and _in(chosen, match[1], "minor") == match[2], _numbers(name)

    for name in sorted(names, key=wanted, reverse=True):
        yield Place("poetry's", os.path.join(base, name))


def _poetry_folder(folder: str, environment: Mapping[str, str]) -> str:
    config = environment.get("POETRY_CONFIG_DIR") or os.path.join(
        _config_home(environment), "pypoetry"
    )
    files = [os.path.join(folder, "poetry.toml"), os.path.join(config, "config.toml")]
    settings = [_toml(one) for one in files]
    cache = environment.get("POETRY_CACHE_DIR") or next(
        (path for one in settings if isinstance(path := _in(one, "cache-dir"), str)),
        os.path.join(_cache_home(environment), "pypoetry"),
    )
    path = environment.get("POETRY_VIRTUALENVS_PATH") or next(
        (path for one in settings if isinstance(path := _in(one, "virtualenvs", "path"), str)),
        "{cache-dir}/virtualenvs",
    )
    return _home(path.replace("{cache-dir}", cache).replace("{project-dir}", folder), environment)


def _pipenv(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """``{WORKON_HOME}/NAME-HASH``, or what a file ``.venv`` names."""
    pipfile = os.path.join(folder, "Pipfile")
    if not os.path.isfile(pipfile):
        return
    base = _home(
        environment.get("WORKON_HOME")
        or os.path.join(
            environment.get("XDG_DATA_HOME") or os.path.join("~", ".local", "share"), "virtualenvs"
        ),
        environment,
    )
    name = environment.get("PIPENV_CUSTOM_VENV_NAME") or ""
    pointer = os.path.join(folder, ".venv")
    if os.path.isfile(pointer):
        said = _text(pointer).strip()
        if "/" in said or os.sep in said:
            yield Place("pipenv's", os.path.join(folder, said))
            return
        name = said or name
    if not name:
        clean = re.sub(r'[ &$`!*@"()\[\]\\\r\n\t]', "_", os.path.basename(folder))[:42]
        digest = hashlib.sha256(pipfile.encode("utf-8", "surrogateescape")).digest()[:6]
        name = f"{clean}-{base64.urlsafe_b64encode(digest).decode()[:8]}"
    path = os.path.join(base, name)
    there = os.path.isdir(path)
    yield Place("pipenv's" if there else f"no pipenv environment {path}", path if there else None)


def _hatch(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """``{data}/env/virtual/PROJECT/HASH/PROJECT`` of the default environment."""
    project = _toml(os.path.join(folder, "pyproject.toml"))
    name = _in(project, "project", "name")
    if not isinstance(_in(project, "tool", "hatch"), dict) or not isinstance(name, str):
        return
    base = environment.get("HATCH_DATA_DIR") or os.path.join(_data_home(environment), "hatch")
    name = re.sub(r"[-_.]+", "-", name).lower()
    where = os.path.normcase(os.path.realpath(folder)).encode("utf-8", "surrogateescape")
    digest = base64.urlsafe_b64encode(hashlib.sha256(where).digest()).decode()[:8]
    path = os.path.join(base, "env", "virtual", name, digest, name)
    if os.path.isdir(path):
        yield Place("hatch's", path)


def _conda(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """The environment that ``environment.yml`` names, in the folders where conda keeps them."""
    for file in ("environment.yml", "environment.yaml", "conda.yml", "conda.yaml"):
        said = _text(os.path.join(folder, file))
        match = re.search(r"(?m)^name:\s*[\"']?([^\s\"'#]+)", said)
        if match is None:
            continue
        bases = list(_conda_folders(environment))
        found = [os.path.join(one, match[1]) for one in bases]
        there = [one for one in found if os.path.isdir(one)]
        for path in there:
            yield Place(f"{file}'s {match[1]}", path)
        if not there:
            yield Place(f"no conda environment {match[1]} in {', '.join(bases)}", None)
        return


def _conda_folders(environment: Mapping[str, str]) -> Iterator[str]:
    for variable in ("CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"):
        yield from filter(None, (environment.get(variable) or "").split(os.pathsep))
    roots = [environment.get("MAMBA_ROOT_PREFIX") or ""]
    if environment.get("CONDA_EXE"):
        roots.append(os.path.dirname(os.path.dirname(environment["CONDA_EXE"])))
    names = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba")
    roots += [_home(os.path.join("~", name), environment) for name in names]
    roots += _OF_THE_SYSTEM
    seen = {_home(os.path.join("~", ".conda"), environment): None}
    seen.update(dict.fromkeys(one for one in roots if one))
    for root in seen:
        base = os.path.join(root, "envs")
        if os.path.isdir(base):
            yield base


def _pyenv(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """What ``.python-version`` names: a version, or an environment of pyenv-virtualenv."""
    base = os.path.join(
        environment.get("PYENV_ROOT") or _home(os.path.join("~", ".pyenv"), environment), "versions"
    )
    for line in _text(os.path.join(folder, ".python-version")).splitlines()[:20]:
        name = line.partition("#")[0].strip()
        if not name or name.startswith((".", "/")) or name == "system":
            continue
        path = os.path.join(base, *name.split("/"))
        if os.path.isdir(path):
            yield Place(f"pyenv's {name}", path)
            continue
        # 3.12 means the newest 3.12 there is
        newer = [one for one in _listed(base) if one.startswith(f"{name}.")]
        for one in sorted(newer, key=_numbers, reverse=True)[:1]:
            yield Place(f"pyenv's {one}", os.path.join(base, one))


def _numbers(name: str) -> list[int]:
    """The version at the end of a name, for comparing."""
    return [int(one) for one in re.findall(r"\d+", name.rpartition("-py")[2])]


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    except (OSError, ValueError):
        return ""


def _toml(path: str) -> dict[str, Any]:
    """A file of settings; empty where it cannot be read."""
    import tomllib

    try:
        return tomllib.loads(_text(path))
    except (ValueError, RecursionError):
        return {}


def _in(values: Any, *keys: str) -> Any:
    for key in keys:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _home(path: str, environment: Mapping[str, str]) -> str:
    """A path with ``~`` at its beginning, as the environment has it."""
    home = environment.get("HOME")
    if home and (path == "~" or path.startswith(("~/", f"~{os.sep}"))):
        return os.path.join(home, path[2:])
    return os.path.expanduser(path)


def _config_home(environment: Mapping[str, str]) -> str:
    if sys.platform == "darwin":
        return _home("~/Library/Application Support", environment)
    return environment.get("XDG_CONFIG_HOME") or _home("~/.config", environment)


def _cache_home(environment: Mapping[str, str]) -> str:
    if sys.platform == "darwin":
        return _home("~/Library/Caches", environment)
    return environment.get("XDG_CACHE_HOME") or _home("~/.cache", environment)


def _data_home(environment: Mapping[str, str]) -> str:
    if sys.platform == "darwin":
        return _home("~/Library/Application Support", environment)
    return environment.get("XDG_DATA_HOME") or _home("~/.local/share", environment)
