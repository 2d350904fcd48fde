"""`crewcheck diff` as a person and a script run it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from crewcheck.cli.shell_init import SHELLS
from crewcheck.model.reports import DiffReport
from tests.build import agent, crew, document, flow, ident, small_store, task, write
from tests.cli.conftest import Run
from tests.unit.engine.test_json_patch import apply

KEY = "sk-fake-0123456789abcdef0123456789"
OTHER = "sk-fake-9876543210fedcba9876543210"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return small_store(tmp_path / "store")


def two(root: Path, old: dict[str, Any], new: dict[str, Any]) -> Path:
    write(root, old, ident(1))
    write(root, new, ident(2), ident(1))
    return root


def bare(shown: str) -> str:
    """Without what makes it bold or dim."""
    return re.sub(r"\x1b\[[0-9;]*m", "", shown)


def test_piped_it_is_unified(run: Run, store: Path) -> None:
    done = run("diff", "-l", store)
    assert (done.returncode, done.stderr) == (0, "")
    # the latest and its parent
    assert done.stdout.splitlines() == [
        f"--- {ident(4)}\texp/hot soup\t2026-11-29T17:00:04Z",
        f"+++ {ident(5)}\texp/hot soup/deeper\t2026-11-29T17:00:05Z",
        "# B comes 1 checkpoint after A",
        "@@ checkpoint.branch @@", "-exp/hot soup", "+exp/hot soup/deeper",
        "@@ checkpoint.status @@", "-stopped", "+finished",
        "@@ checkpoint.progress @@", "-2/3", "+3/3",
        "@@ tasks.draft: output @@", '-"Another draft"', '+"A draft"',
        "@@ tasks.edit: status @@", "-pending", "+done",
        "@@ tasks.edit: output @@", '+"The end"',
    ]  # fmt: skip


def test_long_texts_are_hunks_and_nothing_is_cut(run: Run, tmp_path: Path) -> None:
    lines = [f"line {n}" for n in range(1, 801)]
    changed = [*lines[:699], "line seven hundred " + "x" * 5_000, *lines[700:]]
    old, new = (document(crew(task("a", output="\n".join(one)))) for one in (lines, changed))
    done = run("diff", "-l", two(tmp_path, old, new))
    assert done.stdout.splitlines()[3:] == [
        "@@ -697,7 +697,7 @@ tasks.a: output",
        " line 697", " line 698", " line 699",
        "-line 700",
        "+line seven hundred " + "x" * 5_000,
        " line 701", " line 702", " line 703",
    ]  # fmt: skip
    words = run("diff", "-l", tmp_path, "--words").stdout
    assert "-line [-700\n" not in words
    assert "-line [-700-]\n" in words


def test_references(run: Run, store: Path, tmp_path: Path) -> None:
    def heads(*args: str | Path) -> list[str]:
        lines = run("diff", *args).stdout.splitlines()
        return [line[:29].split()[1] for line in lines[:2]]

    assert heads("-l", store, "main", "exp/hot soup") == [ident(3), ident(4)]
    assert heads("-l", store, "exp/hot soup") == [ident(1), ident(4)]
    # B is looked for in A's store
    assert heads(f"{store}#{ident(1)}", "main") == [ident(1), ident(3)]
    other = two(tmp_path / "other", document(crew(task("a"))), document(crew(task("b"))))
    assert heads(store, f"{other}#{ident(2)}") == [ident(5), ident(2)]


def test_what_has_no_parent_is_not_found(run: Run, store: Path) -> None:
    done = run("diff", "-l", store, ident(1))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"crewcheck: {ident(1)} has nothing to be compared with: it has no parent; "
        "name two checkpoints\n"
    )
    assert run("diff", "-l", store, "a", "b", "c").returncode == 2
    assert run("diff", "-l", store, "main", "nope").returncode == 3
    write(store, "{", ident(9), ident(3))
    assert run("diff", "-l", store, "main", ident(9)).returncode == 4


def test_exit_code_tells(run: Run, store: Path) -> None:
    same = run("diff", "-l", store, "main", ident(3), "--exit-code")
    assert (same.returncode, same.stdout) == (0, "no differences\n")
    assert run("diff", "-l", store, "main~1", "main", "--exit-code").returncode == 1
    assert run("diff", "-l", store, "main~1", "main").returncode == 0


def test_older_and_newer_are_as_given(run: Run, store: Path) -> None:
    there = run("diff", "-l", store, "main~1", "main").stdout
    back = run("diff", "-l", store, "main", "main~1").stdout
    assert '+"The end"' in there
    assert '-"The end"' in back
    assert "# B is the older one: A comes 1 checkpoint after B" in back


def test_json_keeps_its_promise(run: Run, store: Path) -> None:
    told = DiffReport.model_validate_json(
        run("diff", "-l", store, "main~1", "main", "--json").stdout
    )
    assert (told.old.id, told.new.id, told.same, told.all) == (ident(2), ident(3), False, False)
    assert told.summary == {
        "checkpoint": {"added": 0, "removed": 0, "changed": 2, "moved": 0},
        "tasks": {"added": 0, "removed": 0, "changed": 1, "moved": 0},
    }
    (edit,) = [item for item in told.items if item.section == "tasks"]
    assert (edit.path, edit.rule, [one.what for one in edit.changes]) == (
        "tasks.2", "id", ["status", "output"],
    )  # fmt: skip
    assert [(one.op, one.path) for one in told.patch] == [
        ("add", "/entities/0/tasks/2/output"),
    ]


def test_the_patch_of_everything_makes_the_new_document(run: Run, store: Path) -> None:
    told = json.loads(run("diff", "-l", store, "main", "exp/hot soup", "--json", "--all").stdout)
    old, new = (json.loads(Path(told[side]["location"]).read_text()) for side in ("old", "new"))
    assert apply(told["patch"], old) == new
    assert told["patch"]


def test_stat(run: Run, store: Path) -> None:
    lines = run("diff", "-l", store, "main~1", "main", "--stat").stdout.splitlines()
    assert [line.split("\t") for line in lines] == [
        ["checkpoint", "changed", "status", "8", "7"],
        ["checkpoint", "changed", "progress", "3", "3"],
        ["tasks", "changed", "edit", "11", "7"],
    ]


def test_one_task(run: Run, store: Path) -> None:
    for wanted in ("draft", "2"):
        out = run("diff", "-l", store, "main", "exp/hot soup", "--task", wanted).stdout
        assert out.splitlines()[-3:] == [
            "@@ tasks.draft: output @@",
            '-"A draft"',
            '+"Another draft"',
        ]
        assert "edit" not in out
    done = run("diff", "-l", store, "main", "exp/hot soup", "--task", "outline")
    assert (done.returncode, done.stdout) == (3, "")
    assert "those that do: 2 draft, 3 edit" in done.stderr


def test_side_by_side(run: Run, tmp_path: Path) -> None:
    old, new = (document(crew(task("a", output=f"one\n{x}\nend"))) for x in ("two", "2"))
    store = two(tmp_path, old, new)
    assert run("diff", "-l", store, "-y").stdout.splitlines() == [
        f"{ident(1)}\t\t{ident(2)}",
        "@@ tasks.a: output @@",
        "one\t \tone",
        "two\t|\t2",
        "end\t \tend",
    ]
    shown = run("--color", "always", "diff", "-l", store, "-y", COLUMNS="60", NO_COLOR="1").stdout
    (line,) = [line for line in shown.splitlines() if "two" in line]
    assert line.index("two") < 30 < line.index("2")
    assert max(map(len, bare(shown).splitlines()[3:])) <= 60


def test_a_terminal_shows_the_change_wherever_it_is(run: Run, tmp_path: Path) -> None:
    text = "word " * 2_000
    old, new = (document(crew(task("a", output=text + x + " end"))) for x in ("left", "right"))
    store = two(tmp_path, old, new)
    shown = run("--color", "always", "diff", "-l", store, COLUMNS="100", NO_COLOR="1").stdout
    assert "[-left-]" in bare(shown)
    assert "{+right+}" in bare(shown)
    assert len(bare(shown)) < 2_000
    full = run("--color", "always", "diff", "-l", store, "--full", COLUMNS="100").stdout
    assert full.count("word") == 4_000


def test_blanks_alone_are_seen(run: Run, tmp_path: Path) -> None:
    old, new = (document(crew(task("a", output=f"a{x}b"))) for x in (" ", "  "))
    assert "+a ·b" in run("diff", "-l", two(tmp_path, old, new)).stdout.replace("a··b", "a ·b")


def test_different_kinds(run: Run, tmp_path: Path) -> None:
    done = run("diff", "-l", two(tmp_path, document(crew(task("a"))), document(flow("m"))))
    assert "# they are of different kinds, crew and flow" in done.stdout


def test_secrets_are_hidden_and_their_difference_is_told(run: Run, tmp_path: Path) -> None:
    def keyed(key: str) -> dict[str, Any]:
        one = agent()
        one["llm"] = one["llm"] | {"api_key": key}
        return document(crew(task("a", output=f"the key is {key}"), agents=[one]))

    store = two(tmp_path, keyed(KEY), keyed(OTHER))
    for options in ([], ["--json"], ["--all"], ["--json", "--all"], ["-y"], ["--stat"]):
        out = run("diff", "-l", store, *options).stdout
        assert KEY not in out
        assert OTHER not in out
        assert out != "no differences\n"
    assert OTHER in run("--show-secrets", "diff", "-l", store).stdout
    short = two(tmp_path / "short", keyed("hunter2a"), keyed("hunter2b"))
    out = run("diff", "-l", short).stdout
    assert "@@ agents.Writer: llm.api_key @@ differs (hidden)" in out


def test_hostile_texts_do_no_harm(run: Run, tmp_path: Path) -> None:
    nasty = "\x1b]0;title\x07[red]\r+ a line\u202e\n"
    old = document(crew(task("a", output="x"), checkpoint_inputs={"a\nb\x1b[2J": 1}))
    new = document(crew(task("a", output=nasty * 9), checkpoint_inputs={"a\nb\x1b[2J": nasty * 9}))
    store = two(tmp_path, old, new)
    for options in ([], ["-y"], ["--stat"]):
        for first in ([], ["--color", "always"]):
            out = run(*first, "diff", "-l", store, *options, NO_COLOR="1").stdout
            assert not {"\x07", "\r", "\u202e"} & set(out)
            assert "\x1b]" not in out
            assert "\n+ a line" not in out


def test_an_output_of_megabytes(run: Run, tmp_path: Path) -> None:
    text = "".join(f"line {n} of a long output\n" for n in range(60_000))
    middle = text.index("line 30000")
    new = text[:middle] + "here it is different\n" + text[middle:]
    store = two(tmp_path, *(document(crew(task("a", output=one))) for one in (text, new)))
    out = run("diff", "-l", store).stdout
    assert "\n+here it is different\n line 30000" in out
    assert len(out) < 1_000


@pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="needs bash")
def test_the_shell_sends_diff_here(tmp_path: Path) -> None:
    for name in ("crewcheck", "crewai"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tmp_path / name).chmod(0o755)
    script = f"{SHELLS['bash']}\ncrewai checkpoint diff A B\ncrewai checkpoint prune\ncrewai run"
    done = subprocess.run(
        ["/bin/bash", "-c", script], capture_output=True, text=True, check=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "crewcheck diff A B",
        "crewai checkpoint prune",
        "crewai run",
    ]
