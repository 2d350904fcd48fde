"""Every file and connection that a command opens is closed again, whatever it meets."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crewcheck.cli.main import run
from tests.build import small_store
from tests.damage import damaged_folder
from tests.damaged_databases import DATABASES, REFUSED

HANDLES = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"


def handles() -> set[tuple[str, str]]:
    found = set()
    for name in os.listdir(HANDLES):
        try:
            found.add((name, os.readlink(f"{HANDLES}/{name}")))
        except OSError:
            continue  # that of the listing itself
    return found


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nothing is closed just because it was garbage."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_every_handle_is_given_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stores = [small_store(tmp_path / "good"), tmp_path / "damaged", tmp_path / "none"]
    (tmp_path / "damaged").mkdir()
    damaged_folder(tmp_path / "damaged")
    for name, make in DATABASES.items():
        stores.append(tmp_path / f"{name}.db")
        make(stores[-1])
    for name, (spoil, _) in REFUSED.items():
        stores.append(tmp_path / f"{name}.db")
        spoil(stores[-1])
    refs = ["latest~1", "nothing like it", "main", "latest#x~99"]
    calls = [[command, str(store)] for store in stores for command in ("list", "tree", "info")]
    calls += [["info", ref, "-l", str(store)] for store in stores[:8] for ref in refs]
    run(["list", str(stores[0])])  # what is opened once for all, is now
    capsys.readouterr()
    before, threads = handles(), threading.active_count()
    for call in calls:
        assert run(call) in (0, 3, 4)
        capsys.readouterr()
        assert handles() == before, call
    # a timer that was called off takes a moment to end
    until = time.monotonic() + 5
    while threading.active_count() > threads and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() <= threads
