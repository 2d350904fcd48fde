"""Filters of ``list`` and ``tree``, as a shell sees them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from crewcheck.model.reports import CheckpointReport
from tests.build import crew, document, ident, small_store, task, write
from tests.cli.conftest import Run


@pytest.fixture
def run(call: Run) -> Run:
    """None of these needs a process of its own."""
    return call


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return small_store(tmp_path / "store")


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (["--branch", "main"], [3, 2, 1]),
        (["--branch", "exp/hot soup", "--branch", "exp/hot soup/deeper"], [5, 4]),
        (["--status", "finished"], [5, 3]),
        (["--status", "finished", "--status", "stopped"], [5, 4, 3, 2, 1]),
        (["--status", "finished", "--branch", "main"], [3]),
        (["--kind", "crew", "--trigger", "task_completed", "--limit", "2"], [5, 4]),
        (["--leaf"], [5, 3]),
        (["--descendants-of", ident(4)], [5]),
        (["--descendants-of", "main~1"], [3]),
        (["--since", "2026-11-29T17:00:02Z", "--until", "2026-11-29T17:00:04Z"], [4, 3, 2]),
        (["--since", "2026-11-29T17:00Z", "--until", "2026-11-29T17:00Z"], [5, 4, 3, 2, 1]),
        (["--limit", "3", "--reverse"], [3, 4, 5]),
        (["--sort", "branch"], [4, 5, 3, 2, 1]),
        (["--sort", "done", "--reverse"], [1, 4, 2, 5, 3]),
        (["--text", 'status:stopped branch:"hot soup"'], [4]),
    ],
)
def test_filters_and_order(run: Run, store: Path, options: list[str], numbers: list[int]) -> None:
    done = run("list", store, *options)
    assert done.returncode == 0
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == list(map(ident, numbers))
    filtered = options[0] not in ("--sort",)
    said = f"crewcheck: {store}: {len(numbers)} of 5 checkpoints\n"
    assert done.stderr == (said if filtered else "")


def test_filtered_json_has_the_promised_shape(run: Run, store: Path) -> None:
    told = json.loads(run("list", store, "--json", "--limit", "1").stdout)
    assert [CheckpointReport.model_validate(one).id for one in told] == [ident(5)]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--branch", "mian"], "did you mean main? there are the branches main, exp/hot soup"),
        (["--status", "failed"], "there are the statuses stopped, finished"),
        (["--kind", "flow"], "there are the kinds crew"),
        (["--trigger", "task_complete"], "did you mean task_completed? there are the triggers"),
        (["--trigger", "crew_kickoff_faild"], "did you mean crew_kickoff_failed (none of these"),
        (["--since", "2026-11-30"], "from 2026-11-29T17:00:01Z to 2026-11-29T17:00:05Z"),
        (["--descendants-of", ident(5)], "nothing hangs on that checkpoint"),
        (
            ["--status", "finished", "--limit", "1", "--branch", "exp/hot soup"],
            "there are the statuses stopped among those that fit the rest",
        ),
        (["--text", f"status:finished id:{ident(1)}"], "each wish fits some, but not all together"),
        (["--text", "zzz"], "try other words"),
    ],
)
def test_nothing_found_is_said_with_what_there_is(
    run: Run, store: Path, options: list[str], says: str
) -> None:
    done = run("list", store, *options)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(f"crewcheck: {store}: 0 of 5 checkpoints: ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert json.loads(run("list", store, "--json", *options).stdout) == []


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["list", "--status", "faild"], 2, "'faild' is not one of 'finished'"),
        (["list", "--kind", "crews"], 2, "is not one of 'crew'"),
        (["list", "--sort", "bytes"], 2, "is not one of 'created'"),
        (["list", "--limit", "0"], 2, "0 is not in the range x>=1"),
        (["list", "--limit", "many"], 2, "not a valid integer"),
        (["list", "--since", "3"], 2, '--since "3": it is no time; write 30m, 2h'),
        (["list", "--until", "3M"], 2, '--until "3M": it is no time; write 30m, 2h'),
        (["list", "--since", "\x1b[2J"], 2, "it is no time"),
        (["list", "--text", "since:3"], 2, "--text since:3: it is no time; write"),
        (["list", "--text", "leaf:no", "--leaf"], 2, "exclude each other"),
        (["list", "--descendants-of", "zzz"], 3, 'no checkpoint matches "zzz"'),
        (["list", "--descendants-of", "other"], 2, "in other, not in store"),
        (["tree", "--status", "faild"], 2, "'faild' is not one of 'finished'"),
        (["tree", "--limit", "0"], 2, "0 is not in the range"),
    ],
)
def test_what_is_no_filter_is_refused(
    run: Run, store: Path, args: list[str], code: int, says: str
) -> None:
    write(store.parent / "other", document(crew(task())), ident(1))
    done = run(args[0], "store", *args[1:], cwd=store.parent)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_a_path_says_itself_which_store(run: Run, store: Path) -> None:
    path = store / "main" / f"{ident(2)}_p-{ident(1)}.json"
    assert run("list", "--descendants-of", path).stdout.startswith(f"{ident(3)}\t")
    assert run("list", store, "--descendants-of", path).stdout.startswith(f"{ident(3)}\t")


def test_checkpoints_without_a_time_are_left_out_aloud(run: Run, store: Path) -> None:
    (store / "copy.json").write_text(json.dumps(document(crew(task()))))
    done = run("list", store, "--since", "2026-11-29T17:00Z")
    assert len(done.stdout.splitlines()) == 5
    assert done.stderr.splitlines() == [
        f"crewcheck: {store}: 5 of 6 checkpoints",
        f"crewcheck: {store}: left out 1 checkpoint without a time",
    ]


def test_damage_is_counted_among_the_shown(run: Run, store: Path) -> None:
    path = write(store, b'{"entities": [', ident(6), ident(3))
    os.utime(path, (1, 1))
    assert "damaged" not in run("list", store, "--branch", "exp/hot soup").stderr
    done = run("list", store, "--status", "damaged")
    assert done.stdout.split("\t")[0] == ident(6)
    assert "1 of 1 checkpoints are damaged" in done.stderr


def test_quiet_says_nothing(run: Run, store: Path) -> None:
    assert run("-q", "list", store, "--status", "failed").stderr == ""


def test_the_tree_of_some_runs(run: Run, store: Path) -> None:
    later = crew(task(), checkpoint_kickoff_event_id="k2")
    write(store, document(later, trigger="crew_kickoff_failed"), ident(9))
    for options, heads in (
        (["--status", "failed"], [ident(9)]),
        (["--branch", "exp/hot soup"], [ident(1), ident(4), ident(5)]),
        (["--limit", "1"], [ident(9)]),
        (["--until", "2026-11-29T17:00:05Z", "--kind", "crew"], [ident(1), ident(4), ident(5)]),
    ):
        done = run("tree", store, "--json", *options)
        told = json.loads(done.stdout)
        assert [part["checkpoints"][0]["id"] for part in told["segments"]] == heads
        assert told["checkpoints"] == 6
        assert done.stderr == f"crewcheck: {store}: 1 of 2 runs\n"
    assert len(run("tree", store, "--branch", "exp/hot soup").stdout.splitlines()) == 8
    done = run("tree", store, "--status", "paused")
    assert done.stdout == ""
    assert "0 of 2 runs: there are the statuses stopped, finished, failed" in done.stderr
