from __future__ import annotations

import sys
from pathlib import Path

import pytest

from crewcheck.errors import UsageProblem
from crewcheck.runtimes import interpreter
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


def test_our_own_is_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
