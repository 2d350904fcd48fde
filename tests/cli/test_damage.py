"""The commands on a store in which everything is wrong that can be."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from crewcheck.cli.main import run
from tests.cli.conftest import Run
from tests.damage import FINE, FOREIGN, OF_LINEAGE, Said, damaged_folder


class Made(NamedTuple):
    root: Path
    said: dict[str, Said]
    before: dict[str, tuple[int, int, int]]

    @property
    def listed(self) -> dict[str, Said]:
        return {key: one for key, one in self.said.items() if one.listed}

    @property
    def foreign(self) -> int:
        return sum(one.rule == FOREIGN for one in self.said.values())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    root = tmp_path_factory.mktemp("damage") / "store"
    root.mkdir()
    said = damaged_folder(root)
    return Made(root, said, state(root.parent))


def state(folder: Path) -> dict[str, tuple[int, int, int]]:
    """All that is in a folder, with what a reader must not change."""
    found = {}
    for at, folders, files in os.walk(folder):
        for name in (*folders, *files):
            one = os.lstat(os.path.join(at, name))
            found[os.path.join(at, name)] = one.st_mode, one.st_size, one.st_mtime_ns
    return found


def printed(key: str) -> str:
    """A path as JSON has it: bytes that are no UTF-8 cannot be there."""
    return re.sub("[\ud800-\udfff]", "\ufffd", key)


def test_list_gives_each_with_its_reason(run: Run, made: Made) -> None:
    done = run("list", "store", "--json", cwd=made.root.parent)
    assert done.returncode == 0
    rows = json.loads(done.stdout)
    by_key = {row["location"].removeprefix("store/"): row for row in rows}
    assert len(by_key) == len(rows)
    assert by_key.keys() == set(map(printed, made.listed))
    for key, expected in made.listed.items():
        damage = by_key[printed(key)]["damage"]
        assert (damage["rule"] if damage else FINE) == expected.rule, key
        if damage is not None:
            assert expected.part in damage["message"]
    damaged = sum(
        row["damage"] is not None and row["damage"]["rule"] not in OF_LINEAGE for row in rows
    )
    assert done.stderr.splitlines() == [
        f"crewcheck: store: left out {made.foreign} files that are no checkpoints",
        f"crewcheck: store: {damaged} of {len(rows)} checkpoints are damaged, see their reasons",
    ]


def test_list_as_text_is_one_line_each(run: Run, made: Made) -> None:
    done = run("list", made.root)
    lines = [line.split("\t") for line in done.stdout.removesuffix("\n").split("\n")]
    assert {len(line) for line in lines} == {12}
    assert len(lines) == len(made.listed)
    told = sorted(line[11].partition(":")[0] or FINE for line in lines)
    assert told == sorted(one.rule for one in made.listed.values())


@pytest.mark.parametrize("options", [[], ["--color", "always"]])
def test_no_name_steers_the_terminal(run: Run, made: Made, options: list[str]) -> None:
    for command in ("list", "tree"):
        done = run(*options, command, made.root, NO_COLOR="1")
        assert done.returncode == 0
        assert "Traceback" not in done.stderr
        for odd in ("\x1b]", "\x1b[2J", "\x1b[31m", "\u202e", "\udcff", "\r"):
            assert odd not in done.stdout + done.stderr


def test_the_tree_has_as_many_as_the_folder(run: Run, made: Made) -> None:
    report = json.loads(run("tree", made.root, "--json").stdout)
    inside = [row["location"] for segment in report["segments"] for row in segment["checkpoints"]]
    assert len(inside) == len(set(inside)) == report["checkpoints"] == len(made.listed)
    assert report["foreign"] == made.foreign
    lines = run("tree", made.root).stdout.removesuffix("\n").split("\n")
    assert len(lines) == len(made.listed) + len(report["segments"])


def test_info_says_what_is_wrong_and_shows_the_rest(
    made: Made, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by its path; in this process, for there are many."""
    monkeypatch.chdir(made.root.parent)
    wrong: dict[str, object] = {}
    for key, expected in made.listed.items():
        code = run(["info", f"store/{key}", "--json"])
        said = capsys.readouterr()
        shown = json.loads(said.out)
        readable = expected.rule in (FINE, *OF_LINEAGE)
        rule = shown["damage"]["rule"] if shown["damage"] else FINE
        if (code, rule) != (0 if readable else 4, expected.rule):
            wrong[key] = expected, code, rule
        if readable != (said.err == "") or said.err.count("\n") > 1:
            wrong[key] = expected, said.err
        if readable and shown["tasks"] is None:
            wrong[key] = expected, "not shown"
        if shown["location"] != f"store/{printed(key)}":
            wrong[key] = expected, shown["location"]
    assert wrong == {}


def test_nothing_is_made_or_changed(run: Run, made: Made) -> None:
    for command in ("list", "tree", "info"):
        assert run(command, made.root, "--json").returncode in (0, 4)
    assert state(made.root.parent) == made.before
