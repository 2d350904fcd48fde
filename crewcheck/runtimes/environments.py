"""Where the tools of Python projects keep a project's environments.

Each function looks for what one tool would have made; nothing is asked of the tools
themselves. What they look at is in the order in which a project's own environment is most
likely to be found: beside the project, then in the folders of poetry, pipenv, pdm, hatch, uv
(of a script with dependencies of its own), conda and pyenv.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crewcheck.runtimes.tool_settings import (
    cache_home,
    changed_at,
    config_home,
    data_home,
    home,
    listed,
    numbers,
    text,
    toml,
    within,
)

#: Names of environments in a project's folder: of venv and uv, of conda, of pixi.
IN_FOLDER = (".venv", "venv", "env", ".conda", ".pixi/envs/default")
#: Where conda may be installed for all users.
_OF_THE_SYSTEM = ("/opt/conda", "/opt/miniconda3", "/opt/anaconda3", "/opt/miniforge3")


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
        yield from _pdm(folder)
        yield from _hatch(folder, environment)
        yield from _uv_scripts(folder, environment)
        yield from _conda(folder, environment)
        yield from _pyenv(folder, environment)


def _poetry(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """``{cache}/virtualenvs/NAME-HASH-pyX.Y``: the hash is of the project's folder."""
    base = _poetry_folder(folder, environment)
    digest = _digest(os.path.normcase(os.path.realpath(folder)))
    pattern = re.compile(rf"(.+-{re.escape(digest)})-py([\d.]+)")
    names = [name for name in listed(base) if pattern.fullmatch(name)]
    if not names and _uses_poetry(folder):
        yield Place(f"no poetry environment *-{digest}-py* in {base}", None)
    chosen = toml(os.path.join(base, "envs.toml"))

    def wanted(name: str) -> tuple[bool, list[int]]:
        match = pattern.fullmatch(name)
        return match is not None and within(chosen, match[1], "minor") == match[2], numbers(name)

    for name in sorted(names, key=wanted, reverse=True):
        yield Place("poetry's", os.path.join(base, name))


def _digest(path: str, size: int = 32) -> str:
    """What poetry, pipenv and hatch name the environments of a path with."""
    digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).digest()[:size]
    return base64.urlsafe_b64encode(digest).decode()[:8]


def _uses_poetry(folder: str) -> bool:
    project = toml(os.path.join(folder, "pyproject.toml"))
    backend = str(within(project, "build-system", "build-backend"))
    return (
        isinstance(within(project, "tool", "poetry"), dict)
        or backend.startswith("poetry.")
        or os.path.isfile(os.path.join(folder, "poetry.lock"))
    )


def _poetry_folder(folder: str, environment: Mapping[str, str]) -> str:
    config = environment.get("POETRY_CONFIG_DIR") or os.path.join(
        config_home(environment), "pypoetry"
    )
    files = [os.path.join(folder, "poetry.toml"), os.path.join(config, "config.toml")]
    settings = [toml(one) for one in files]
    cache = environment.get("POETRY_CACHE_DIR") or next(
        (path for one in settings if isinstance(path := within(one, "cache-dir"), str)),
        os.path.join(cache_home(environment), "pypoetry"),
    )
    path = environment.get("POETRY_VIRTUALENVS_PATH") or next(
        (path for one in settings if isinstance(path := within(one, "virtualenvs", "path"), str)),
        "{cache-dir}/virtualenvs",
    )
    return home(path.replace("{cache-dir}", cache).replace("{project-dir}", folder), environment)


def _pipenv(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """``{WORKON_HOME}/NAME-HASH``, or what a file ``.venv`` names."""
    pipfile = os.path.join(folder, "Pipfile")
    if not os.path.isfile(pipfile):
        return
    base = home(
        environment.get("WORKON_HOME")
        or os.path.join(
            environment.get("XDG_DATA_HOME") or os.path.join("~", ".local", "share"), "virtualenvs"
        ),
        environment,
    )
    name = environment.get("PIPENV_CUSTOM_VENV_NAME") or ""
    pointer = os.path.join(folder, ".venv")
    if os.path.isfile(pointer):
        said = text(pointer).strip()
        if "/" in said or os.sep in said:
            yield Place("pipenv's", os.path.join(folder, said))
            return
        name = said or name
    if not name:
        clean = re.sub(r'[ &$`!*@"()\[\]\\\r\n\t]', "_", os.path.basename(folder))[:42]
        name = f"{clean}-{_digest(pipfile, 6)}"
    path = os.path.join(base, name)
    there = os.path.isdir(path)
    yield Place("pipenv's" if there else f"no pipenv environment {path}", path if there else None)


def _pdm(folder: str) -> Iterator[Place]:
    """The interpreter that a file ``.pdm-python`` names."""
    said = text(os.path.join(folder, ".pdm-python")).strip()
    if said:
        yield Place("pdm's", os.path.join(folder, said))


def _hatch(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """``{data}/env/virtual/PROJECT/HASH/PROJECT`` of the default environment, or the folder
    that the project or a person's settings name for it."""
    project = toml(os.path.join(folder, "pyproject.toml"))
    own = [toml(os.path.join(folder, "hatch.toml")), within(project, "tool", "hatch")]
    said = environment.get("HATCH_ENV_TYPE_VIRTUAL_PATH") or next(
        filter(None, (within(one, "envs", "default", "path") for one in own)), None
    )
    if isinstance(said, str):
        path = os.path.join(folder, said)
    else:
        where = os.path.realpath(folder)
        name = within(project, "project", "name")
        digest = _digest(where)
        known = isinstance(name, str)
        name = re.sub(r"[-_.]+", "-", name).lower() if known else f"{digest}-unmanaged"
        base = _hatch_folder(folder, environment)
        inside = os.path.realpath(base).startswith(os.path.join(where, ""))
        is_flat = inside or base == home(os.path.join("~", ".virtualenvs"), environment)
        path = os.path.join(base, *([name] if is_flat else [name, digest, name]))
    if os.path.isdir(path):
        yield Place("hatch's", path)


def _hatch_folder(folder: str, environment: Mapping[str, str]) -> str:
    """The folder in which hatch keeps environments."""
    file = environment.get("HATCH_CONFIG") or os.path.join(
        config_home(environment), "hatch", "config.toml"
    )
    dirs = within(toml(file), "dirs")
    path = within(dirs, "env", "virtual")
    if isinstance(path, str):
        return os.path.join(folder, home(path, environment))
    data = environment.get("HATCH_DATA_DIR") or within(dirs, "data")
    if not isinstance(data, str):
        data = os.path.join(data_home(environment), "hatch")
    return os.path.join(home(data, environment), "env", "virtual")


_SCRIPT_HEAD = re.compile(r"(?m)^# /// script\s*$")
_MOST_SCRIPTS = 50


def _uv_scripts(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """``{cache}/environments-v2/NAME-HASH`` of programs that ``uv run`` has installed the
    dependencies of that they name themselves, the newest first."""
    names = [one for one in listed(folder) if one.endswith(".py")][:_MOST_SCRIPTS]
    scripts = [one for one in names if _SCRIPT_HEAD.search(text(os.path.join(folder, one)))]
    if not scripts:
        return
    cache = environment.get("UV_CACHE_DIR") or os.path.join(
        environment.get("XDG_CACHE_HOME") or home(os.path.join("~", ".cache"), environment), "uv"
    )
    base = os.path.join(cache, "environments-v2")
    stems = "|".join(re.sub("[^a-z0-9]+", "-", one[:-3].lower()).strip("-") for one in scripts)
    found = [
        os.path.join(base, one) for one in listed(base) if re.fullmatch(rf"({stems})-\w+", one)
    ]
    for path in sorted(found, key=changed_at, reverse=True):
        yield Place("uv's of a script", path)


def _conda(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """The environment that ``environment.yml`` names, in the folders where conda keeps them."""
    for file in ("environment.yml", "environment.yaml", "conda.yml", "conda.yaml"):
        said = text(os.path.join(folder, file))
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
    roots += [home(os.path.join("~", name), environment) for name in names]
    roots += _OF_THE_SYSTEM
    seen = {home(os.path.join("~", ".conda"), environment): None}
    seen.update(dict.fromkeys(one for one in roots if one))
    for root in seen:
        base = os.path.join(root, "envs")
        if os.path.isdir(base):
            yield base


def _pyenv(folder: str, environment: Mapping[str, str]) -> Iterator[Place]:
    """What ``.python-version`` names: a version, or an environment of pyenv-virtualenv."""
    base = os.path.join(
        environment.get("PYENV_ROOT") or home(os.path.join("~", ".pyenv"), environment), "versions"
    )
    for line in text(os.path.join(folder, ".python-version")).splitlines()[:20]:
        name = line.partition("#")[0].strip()
        if not name or name.startswith((".", "/")) or name == "system":
            continue
        path = os.path.join(base, *name.split("/"))
        if os.path.isdir(path):
            yield Place(f"pyenv's {name}", path)
            continue
        # 3.12 means the newest 3.12 there is
        newer = [one for one in listed(base) if one.startswith(f"{name}.")]
        for one in sorted(newer, key=numbers, reverse=True)[:1]:
            yield Place(f"pyenv's {one}", os.path.join(base, one))
