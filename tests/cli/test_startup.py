"""What a start costs is mostly what it imports: that can be held exactly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.build import small_store
from tests.cli.conftest import Run

HEAVY = {"textual", "rich", "pydantic", "asyncio", "crewai", "logging.config", "watchfiles"}


def loaded(*args: str) -> set[str]:
    """The top-level modules loaded by a command line."""
    code = (
        "import sys; from crewcheck.cli.main import run; run(sys.argv[1:]);"
        "print(*sorted({n for n in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("args", [["--version"], ["--help"], ["list"], ["tree"], ["info", "-l"]])
def test_reading_commands_load_nothing_heavy(args: list[str], tmp_path: Path) -> None:
    if args[0] in ("list", "tree", "info"):
        args = [*args, str(small_store(tmp_path))]
    modules = loaded(*args)
    assert not modules & HEAVY
    if args[0].startswith("--"):
        assert not modules & {"msgspec", "platformdirs", "sqlite3", "crewcheck.stores.json_dir"}


def test_an_empty_store_loads_no_parser(tmp_path: Path) -> None:
    assert not loaded("list", str(tmp_path)) & (HEAVY | {"msgspec", "platformdirs", "sqlite3"})


def test_the_help_lines_of_the_group_are_those_of_the_commands() -> None:
    from importlib import import_module

    from crewcheck.cli.main import COMMANDS

    for name, (module, line) in COMMANDS.items():
        command = import_module(module).command
        assert command.name == name
        assert command.get_short_help_str(limit=200) == line
        assert "Examples:" in command.help


def test_version_is_that_of_the_package(run: Run) -> None:
    from importlib.metadata import version

    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"crewcheck {version('crewcheck')}\n")
