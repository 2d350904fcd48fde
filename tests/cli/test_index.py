"""The index changes how long a listing takes, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.build import small_store
from tests.cli.conftest import Run


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = small_store(tmp_path / "store")
    (root / "main" / "20261129T180000_0a_p-gone.json").write_text('{"entities": [')
    (root / "a copy.json").write_text('{"entities": [{"entity_type": "crew", "tasks": []}]}')
    (root / "package.json").write_text("{}")
    for path in root.rglob("*.json"):
        os.utime(path, (1000, 1000))
    return root


@pytest.mark.parametrize("args", [["list"], ["list", "--json"], ["tree"], ["tree", "--json"]])
def test_output_is_the_same_cold_warm_and_without(
    run: Run, store: Path, own_index: Path, args: list[str]
) -> None:
    without = run("--no-index", *args, store)
    also_without = run(*args, "--no-index", store)
    assert not own_index.exists()
    cold = run(*args, store)
    assert own_index.exists()
    warm = run(*args, store)
    told = {(done.returncode, done.stdout, done.stderr) for done in (without, also_without)}
    assert told == {(0, cold.stdout, cold.stderr)} == {(0, warm.stdout, warm.stderr)}
    assert "truncated" in cold.stdout or "cut short" in cold.stdout


def test_the_index_is_in_the_cache_folder_and_nothing_is_beside_the_store(
    run: Run, store: Path, tmp_path: Path
) -> None:
    before = sorted(store.rglob("*"))
    run("list", store, CREWCHECK_INDEX="", XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert (tmp_path / "cache" / "crewcheck" / "index.db").is_file()
    assert sorted(store.rglob("*")) == before


def test_a_home_that_cannot_be_written(run: Run, store: Path) -> None:
    done = run("list", store, CREWCHECK_INDEX="", XDG_CACHE_HOME="/dev/null")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 7)
