"""Running the real program as a person's shell would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crewcheck.cli.main import run as run_here

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """``run("list", path)`` in an empty home; the result has returncode, stdout, stderr."""
    home = tmp_path_factory.mktemp("home")

    def call(
        *args: str | Path, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "crewcheck", *map(str, args)],
            cwd=cwd or home,
            env=environment(home) | env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return call


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Run:
    """As ``run``, but in this process, where only the command line matters."""

    def call(
        *args: str | Path, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        with monkeypatch.context() as patch:
            patch.chdir(cwd or tmp_path)
            for key, value in env.items():
                patch.setenv(key, value)
            code = run_here([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return subprocess.CompletedProcess(list(args), code, out, err)

    return call


def environment(home: Path) -> dict[str, str]:
    """A person's, with an empty home and this checkout."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "NO_COLOR"))}
    root = str(Path(__file__).resolve().parents[2])
    return clean | {"HOME": str(home), "PYTHONPATH": root}
