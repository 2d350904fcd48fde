from __future__ import annotations

from pathlib import Path

from crewcheck.runtimes.child_process import child_environment
from tests.unit.runtimes.conftest import spec


def test_the_environment_is_that_of_the_projects_python(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").touch()
    run = spec(tmp_path, python=str(venv / "bin" / "python"), path=[str(tmp_path / "src")])
    run.path.append(run.cwd)
    ours = {"PATH": "/bin", "PYTHONHOME": "/x", "VIRTUAL_ENV": "/ours", "PYTHONPATH": "/p"}
    assert child_environment(run, ours) == {
        "PATH": f"{venv}/bin:/bin",
        "VIRTUAL_ENV": str(venv),
        "PYTHONPATH": f"{tmp_path}/src:/p",
    }


def test_a_python_without_environment_leaves_none(tmp_path: Path) -> None:
    run = spec(tmp_path, python="/usr/bin/python3")
    assert child_environment(run, {"VIRTUAL_ENV": "/ours", "A": "1"}) == {"A": "1"}
