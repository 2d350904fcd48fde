from __future__ import annotations

import base64
import hashlib
import os
import sys
from pathlib import Path

import pytest

from crewcheck.errors import UsageProblem
from crewcheck.runtimes import environments, interpreter
from crewcheck.runtimes.environments import of_tools
from crewcheck.runtimes.interpreter import NoInterpreter, crewai_version, find_interpreter, resolve
from crewcheck.runtimes.project import Project, ProjectConfig

OWN = interpreter._OWN


def environment(folder: Path, version: str | None = None, *, windows: bool = False) -> Path:
    """A virtual environment as far as a look goes; its Python is not one."""
    folder.mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /usr\ninclude-system-site-packages = false\n")
    python = folder / ("Scripts/python.exe" if windows else "bin/python")
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    packages = folder / ("Lib/site-packages" if windows else "lib/python3.12/site-packages")
    packages.mkdir(parents=True)
    (packages / "crewai_tools-9.9.dist-info").mkdir()
    if version is not None:
        (packages / f"crewai-{version}.dist-info").mkdir()
    return python


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(interpreter, "own_crewai", lambda: None)
    monkeypatch.setattr(environments, "_OF_THE_SYSTEM", ())


def test_the_projects_own_environment_is_first(tmp_path: Path) -> None:
    python = environment(tmp_path / ".venv", "1.15.30")
    other = environment(tmp_path / "other", "1.14.1")
    project = Project(str(tmp_path), None)
    found = find_interpreter(project, None, {"VIRTUAL_ENV": str(tmp_path / "other")})
    assert (found.path, found.crewai) == (str(python), "1.15.30")
    assert found.origin == "the project's .venv"
    named = find_interpreter(project, str(other), {})
    assert (named.path, named.origin, named.crewai) == (str(other), "--python", "1.14.1")
    configured = Project(str(tmp_path), "p.toml", ProjectConfig(python=str(tmp_path / "other")))
    found = find_interpreter(configured, None, {})
    assert (found.path, found.origin) == (str(other), "p.toml")


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_one_without_crewai_is_passed_over(tmp_path: Path, variable: str) -> None:
    environment(tmp_path / ".venv")
    python = environment(tmp_path / "active", "1.15.0", windows=True)
    found = find_interpreter(
        Project(str(tmp_path), None), None, {variable: str(tmp_path / "active")}
    )
    assert (found.path, found.origin, found.crewai) == (str(python), f"${variable}", "1.15.0")


def test_our_own_is_after_what_belongs_to_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter, "own_crewai", lambda: "1.15.1")
    found = find_interpreter(Project(str(tmp_path), None), None, {})
    assert (found.path, found.origin, found.crewai) == (sys.executable, OWN, "1.15.1")


def test_all_places_are_named_where_none_has_it(tmp_path: Path) -> None:
    environment(tmp_path / ".venv")
    with pytest.raises(NoInterpreter) as caught:
        find_interpreter(Project(str(tmp_path), None), None, {"CONDA_PREFIX": "/no/such"})
    assert caught.value.looked_at == [
        f"{tmp_path}/.venv/bin/python (the project's .venv) has no crewai",
        "/no/such ($CONDA_PREFIX) does not exist",
        f"{sys.executable} ({OWN}) has no crewai",
    ]
    assert "--python" in caught.value.hint


@pytest.mark.parametrize("named", ["/no/such", "no-such-command", "", __file__])
def test_a_named_one_that_is_none(tmp_path: Path, named: str) -> None:
    environment(tmp_path / ".venv", "1.15.30")
    with pytest.raises(UsageProblem, match=r"is no Python interpreter|does not exist"):
        find_interpreter(Project(str(tmp_path), None), named, {})


def test_a_named_one_without_crewai_is_not_replaced(tmp_path: Path) -> None:
    environment(tmp_path / ".venv", "1.15.30")
    python = environment(tmp_path / "bare")
    with pytest.raises(UsageProblem, match="has no crewai"):
        find_interpreter(Project(str(tmp_path), None), str(python), {})


def test_another_python_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / "packages"
    (packages / "crewai").mkdir(parents=True)
    assert crewai_version(sys.executable) is None
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={packages} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    assert crewai_version(str(python)) is None  # a folder of that name is no crewai
    (packages / "crewai" / "__init__.py").write_text("raise SystemExit('imported')")
    assert crewai_version(str(python)) == ""
    info = packages / "crewai-1.14.7.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: crewai\nVersion: 1.14.7\n")
    assert crewai_version(str(python)) == "1.14.7"
    monkeypatch.setattr(interpreter, "_ASK_SECONDS", 0.1)
    python.write_text("#!/bin/sh\nexec sleep 5\n")
    assert crewai_version(str(python)) is None


def test_an_environment_that_shares_packages_is_asked(tmp_path: Path) -> None:
    python = environment(tmp_path / "shared")
    (tmp_path / "shared" / "pyvenv.cfg").write_text("include-system-site-packages = TRUE\n")
    python.write_text("#!/bin/sh\necho crewai 1.2.3\n")
    assert crewai_version(str(python)) == "1.2.3"


def test_links_stay_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "python3"
    link.symlink_to(sys.executable)
    assert resolve(str(link)) == str(link)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert resolve("python3") == str(link)
    assert resolve("python4") is None


def found_in(folder: Path, env: dict[str, str] | None = None) -> tuple[str, str]:
    """The Python and its origin for a project, with a home that is empty but for the test's."""
    home = {"HOME": str(folder / "home"), **(env or {})}
    found = find_interpreter(Project(str(folder / "proj"), None), None, home)
    return os.path.relpath(found.path, folder), found.origin


def in_project(folder: Path, name: str = "", text: str = "") -> Path:
    project = folder / "proj"
    project.mkdir(exist_ok=True)
    if name:
        (project / name).write_text(text)
    return project


@pytest.mark.parametrize("name", [".venv", "venv", "env", ".conda", ".pixi/envs/default"])
def test_environments_in_the_projects_folder(tmp_path: Path, name: str) -> None:
    in_project(tmp_path)
    environment(tmp_path / "proj" / name, "1.0")
    environment(tmp_path / "active", "2.0")
    told = found_in(tmp_path, {"VIRTUAL_ENV": str(tmp_path / "active")})
    assert told == (f"proj/{name}/bin/python", f"the project's {name}")


def test_the_environment_of_a_workspace(tmp_path: Path) -> None:
    member = in_project(tmp_path) / "member"
    member.mkdir()
    in_project(tmp_path, "pyproject.toml")
    python = environment(tmp_path / "proj" / ".venv", "1.0")
    assert find_interpreter(Project(str(member), None), None, {}).path == str(python)
    other = environment(tmp_path / "proj" / "uvs", "1.1")
    env = {"UV_PROJECT_ENVIRONMENT": "uvs"}
    found = find_interpreter(Project(str(member), None), None, env)
    assert (found.path, found.origin) == (str(other), "$UV_PROJECT_ENVIRONMENT")


def test_poetrys_environments(tmp_path: Path) -> None:
    project = in_project(tmp_path, "pyproject.toml", '[tool.poetry]\nname = "My_Crew"\n')
    digest = hashlib.sha256(str(project).encode()).digest()
    stem = f"my-crew-{base64.urlsafe_b64encode(digest).decode()[:8]}"
    base = tmp_path / "home" / ".cache" / "pypoetry" / "virtualenvs"
    environment(base / f"{stem}-py3.9", "1.9")
    environment(base / f"{stem}-py3.12", "1.12")
    environment(base / "my-crew-ABCDEFGH-py3.13", "1.13")
    where = f"home/.cache/pypoetry/virtualenvs/{stem}"
    assert found_in(tmp_path) == (f"{where}-py3.12/bin/python", "poetry's")
    (base / "envs.toml").write_text(f'["{stem}"]\nminor = "3.9"\npatch = "3.9.1"\n')
    assert found_in(tmp_path) == (f"{where}-py3.9/bin/python", "poetry's")
    environment(tmp_path / "own" / f"{stem}-py3.11", "1.11")
    own = {"POETRY_VIRTUALENVS_PATH": str(tmp_path / "own")}
    assert found_in(tmp_path, own)[0] == f"own/{stem}-py3.11/bin/python"
    (project / "poetry.toml").write_text('[virtualenvs]\npath = "{cache-dir}/mine"\n')
    environment(tmp_path / "cache" / "mine" / f"{stem}-py3.10", "1.10")
    cache = {"POETRY_CACHE_DIR": str(tmp_path / "cache")}
    assert found_in(tmp_path, cache)[0] == f"cache/mine/{stem}-py3.10/bin/python"


def test_pipenvs_environments(tmp_path: Path) -> None:
    project = in_project(tmp_path, "Pipfile")
    digest = hashlib.sha256(f"{project}/Pipfile".encode()).digest()[:6]
    name = f"proj-{base64.urlsafe_b64encode(digest).decode()}"
    environment(tmp_path / "home/.local/share/virtualenvs" / name, "1.0")
    told = (f"home/.local/share/virtualenvs/{name}/bin/python", "pipenv's")
    assert found_in(tmp_path) == told
    environment(tmp_path / "work" / name, "1.1")
    assert found_in(tmp_path, {"WORKON_HOME": str(tmp_path / "work")})[0].startswith("work/")
    environment(tmp_path / "work" / "named", "1.2")
    (project / ".venv").write_text("named\n")
    assert "/named/" in found_in(tmp_path, {"WORKON_HOME": str(tmp_path / "work")})[0]
    environment(tmp_path / "elsewhere", "1.3")
    (project / ".venv").write_text("../elsewhere\n")
    assert os.path.normpath(found_in(tmp_path)[0]) == "elsewhere/bin/python"


HATCH_NAME = '[project]\nname = "My.Crew"\n'
HATCH_PATH = '[envs.default]\npath = ".hatch"\n'
#: Made with hatch 1.18: what the project has, what the person has, and where the environment is.
HATCH: list[tuple[dict[str, str], dict[str, str], str]] = [
    ({}, {}, "home/.local/share/hatch/env/virtual/my-crew/{}/my-crew"),
    ({"hatch.toml": ""}, {"HATCH_DATA_DIR": "data"}, "data/env/virtual/my-crew/{}/my-crew"),
    ({"hatch.toml": HATCH_PATH}, {}, "proj/.hatch"),
    ({}, {"HATCH_ENV_TYPE_VIRTUAL_PATH": "mine"}, "proj/mine"),
    ({}, {"settings": "[dirs]\ndata = '~/data'"}, "home/data/env/virtual/my-crew/{}/my-crew"),
    ({}, {"settings": "[dirs.env]\nvirtual = '.envs'"}, "proj/.envs/my-crew"),
    ({}, {"settings": "[dirs.env]\nvirtual = '~/.virtualenvs'"}, "home/.virtualenvs/my-crew"),
    ({"pyproject.toml": ""}, {"HATCH_DATA_DIR": "d"}, "d/env/virtual/{0}-unmanaged/{0}/{0}-unmanaged"),  # noqa: E501
]  # fmt: skip


@pytest.mark.parametrize(("files", "env", "where"), HATCH)
def test_hatchs_environment(
    tmp_path: Path, files: dict[str, str], env: dict[str, str], where: str
) -> None:
    for name, text in {"pyproject.toml": HATCH_NAME, **files}.items():
        project = in_project(tmp_path, name, text)
    settings = tmp_path / "home" / ".config" / "hatch" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(env.get("settings", ""))
    digest = base64.urlsafe_b64encode(hashlib.sha256(str(project).encode()).digest()).decode()[:8]
    place = where.format(digest)
    environment(tmp_path / place, "1.0")
    data = {key: str(tmp_path / value) for key, value in env.items() if key == "HATCH_DATA_DIR"}
    told = found_in(tmp_path, {**env, **data})
    assert told == (f"{place}/bin/python", "hatch's")


def test_pdms_interpreter(tmp_path: Path) -> None:
    python = environment(tmp_path / "venvs" / "proj-3.11", "1.0")
    in_project(tmp_path, ".pdm-python", f"{python}\n")
    in_project(tmp_path, ".python-version", "3.11\n")
    environment(tmp_path / "home" / ".pyenv" / "versions" / "3.11.7", "1.1")
    assert found_in(tmp_path) == ("venvs/proj-3.11/bin/python", "pdm's")


def test_poetrys_environment_without_a_section_of_its_own(tmp_path: Path) -> None:
    backend = '[build-system]\nbuild-backend = "poetry.core.masonry.api"\n'
    project = in_project(tmp_path, "pyproject.toml", backend)
    with pytest.raises(NoInterpreter, match="no poetry environment"):
        found_in(tmp_path)
    digest = base64.urlsafe_b64encode(hashlib.sha256(str(project).encode()).digest()).decode()[:8]
    (project / "pyproject.toml").unlink()
    where = f"home/.cache/pypoetry/virtualenvs/proj-{digest}-py3.12"
    environment(tmp_path / where, "1.0")
    assert found_in(tmp_path) == (f"{where}/bin/python", "poetry's")


def test_the_environment_of_a_script_with_dependencies_of_its_own(tmp_path: Path) -> None:
    in_project(tmp_path, "my_job.py", '# /// script\n# dependencies = ["crewai"]\n# ///\n')
    in_project(tmp_path, "other.py", "# as in: # /// script\n")
    base = tmp_path / "home" / ".cache" / "uv" / "environments-v2"
    names = ("my-job-2f0c", "my-job-3f0c", "my-job-2-4f0c", "other-5f0c")
    for age, name in enumerate(names):
        environment(base / name, f"1.{age}")
        os.utime(base / name, (100 + age, 100 + age))
    told = "home/.cache/uv/environments-v2/my-job-3f0c/bin/python"
    assert found_in(tmp_path) == (told, "uv's of a script")
    cache = {"UV_CACHE_DIR": str(tmp_path / "uv")}
    environment(tmp_path / "uv" / "environments-v2" / "my-job-2f0c", "2.0")
    assert found_in(tmp_path, cache)[0] == "uv/environments-v2/my-job-2f0c/bin/python"


@pytest.mark.parametrize("base", ["home/miniconda3/envs", "home/.conda/envs", "exe/envs", "listed"])
def test_condas_environments(tmp_path: Path, base: str) -> None:
    in_project(tmp_path, "environment.yml", "# x\nname: 'press'\ndependencies:\n  - pip\n")
    environment(tmp_path / base / "press", "1.0")
    environment(tmp_path / "base", "2.0")
    env = {
        "CONDA_EXE": str(tmp_path / "exe" / "bin" / "conda"),
        "CONDA_ENVS_PATH": str(tmp_path / "listed"),
        "CONDA_PREFIX": str(tmp_path / "base"),
        "CONDA_DEFAULT_ENV": "base",
    }
    assert found_in(tmp_path, env) == (f"{base}/press/bin/python", "environment.yml's press")
    env["CONDA_DEFAULT_ENV"] = "mine"
    assert found_in(tmp_path, env) == ("base/bin/python", "$CONDA_PREFIX")


def test_pyenvs_versions_and_environments(tmp_path: Path) -> None:
    in_project(tmp_path, ".python-version", "# mine\ngone\n3.12\npress\n")
    for name, version in {"press": "1.0", "3.12.9": None, "3.12.10": "1.1", "3.1": "1.2"}.items():
        environment(tmp_path / "home" / ".pyenv" / "versions" / name, version)
    told = ("home/.pyenv/versions/3.12.10/bin/python", "pyenv's 3.12.10")
    assert found_in(tmp_path) == told
    environment(tmp_path / "own" / "versions" / "gone", "1.3")
    assert found_in(tmp_path, {"PYENV_ROOT": str(tmp_path / "own")})[1] == "pyenv's gone"


def test_the_shells_python_is_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_project(tmp_path)
    environment(tmp_path / "shell", "1.0")
    env = {"PATH": str(tmp_path / "shell" / "bin")}
    assert found_in(tmp_path, env) == ("shell/bin/python", "python of the shell")
    monkeypatch.setattr(interpreter, "own_crewai", lambda: "1.15.1")
    assert found_in(tmp_path, env)[1] == OWN


def test_what_was_looked_for_is_told_on_one_line(tmp_path: Path) -> None:
    project = in_project(tmp_path, "poetry.lock")
    in_project(tmp_path, "Pipfile")
    in_project(tmp_path, "environment.yml", "name: press\n")
    (tmp_path / "home" / ".conda" / "envs").mkdir(parents=True)
    with pytest.raises(NoInterpreter) as caught:
        found_in(tmp_path)
    first, poetry, pipenv, conda, own = caught.value.looked_at
    assert first == f"no .venv, venv, env, .conda or .pixi/envs/default in {project}"
    assert poetry.startswith("no poetry environment *-")
    assert poetry.endswith(f"-py* in {tmp_path}/home/.cache/pypoetry/virtualenvs")
    assert pipenv.startswith(
        f"no pipenv environment {tmp_path}/home/.local/share/virtualenvs/proj-"
    )
    assert conda == f"no conda environment press in {tmp_path}/home/.conda/envs"
    assert own == f"{sys.executable} ({OWN}) has no crewai"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".config/hatch/config.toml", '[dirs.env]\nvirtual = "~\\u0000"\n'),
        (".config/hatch/config.toml", '[dirs]\ndata = "a\\u0000"\n'),
        ("poetry.toml", 'cache-dir = "a\\u0000"\n'),
        ("poetry.toml", '[virtualenvs]\npath = "a\\u0000"\n'),
        (".pdm-python", "a\0b"),
        (".python-version", "a\0b"),
        ("environment.yml", "name: a\0b"),
    ],
)
def test_settings_that_name_no_path(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    found = list(of_tools([str(tmp_path)], {"HOME": str(tmp_path)}))
    assert not [one for one in found if one.path is not None and "\0" in one.path]


def test_an_environment_that_is_gone_and_settings_that_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("# /// script\n")
    (tmp_path / ".cache/uv/environments-v2").mkdir(parents=True)
    (tmp_path / ".cache/uv/environments-v2/a-123").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "environment.yml")
    assert [one.origin for one in of_tools([str(tmp_path)], {"HOME": str(tmp_path)})] == [
        "uv's of a script"
    ]
