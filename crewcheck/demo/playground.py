"""The demo for real: a project of its own, in which runs are forked and resumed offline."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from crewcheck.demo.model_server import DEFAULT_PORT, ModelServer, serve
from crewcheck.errors import Unreadable

HERE = Path(__file__).parent
_PYPROJECT = """\
[project]
name = "launch-brief"
version = "0"

[tool.crewcheck]
entry = "crew:crew"
python = {python!r}
"""
# CrewAI would otherwise look for a network at its end, and keep files in the home folder
_DOTENV = """\
CREWAI_DISABLE_TELEMETRY=true
CREWAI_TRACING_ENABLED=false
OTEL_SDK_DISABLED=true
CREWAI_STORAGE_DIR=crewcheck-demo
"""


def default_folder() -> Path:
    """Where the demo's project is kept."""
    from platformdirs import user_data_path

    return user_data_path("crewcheck", appauthor=False) / "demo"


def make_project(folder: Path, python: str, *, fresh: bool = False) -> Path:
    """The project with its store and settings; what is there already stays, unless ``fresh``.

    Returns the store. Raises `Unreadable` where it cannot be written, or where the folder
    holds something else.
    """
    store = folder / ".checkpoints"
    ours = folder / "crew.py"
    try:
        if folder.exists() and any(folder.iterdir()) and not ours.is_file():
            raise Unreadable(f"{folder} holds something else", "name another --folder")
        folder.mkdir(parents=True, exist_ok=True)
        if fresh and store.exists():
            shutil.rmtree(store)
        if not ours.exists():
            shutil.copyfile(HERE / "project" / "crew.py", ours)
        if not store.exists():
            shutil.copytree(HERE / "store", store)
        (folder / "pyproject.toml").write_text(_PYPROJECT.format(python=python))
        (folder / ".env").write_text(_DOTENV)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Unreadable(
            f"the demo's project cannot be written: {error.filename}: {reason}"
        ) from None
    return store


def wait_for_runs(store: str, say: Callable[[str], None]) -> None:
    """Stay while runs go on without the app: it is this process that answers them."""
    from crewcheck.runtimes.follow import live_runs

    if live_runs(store):
        say("the demo's model stays until the run has ended (Ctrl+C stops it, and the run fails)")
    while live_runs(store):
        time.sleep(0.3)


@contextmanager
def model() -> Iterator[ModelServer]:
    """The demo's model, at the address that its checkpoints name, else at another.

    What is started meanwhile learns the address from the environment.
    """
    try:
        server = serve(DEFAULT_PORT, seconds_per_word=0.02)
    except OSError:
        server = serve(0, seconds_per_word=0.02)
    with server:
        os.environ["DEMO_MODEL_URL"] = server.url
        yield server
