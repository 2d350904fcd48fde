from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from pydantic_core import from_json

from crewcheck.model.reports import CheckpointReport, InfoReport, TreeReport, WatchReport
from tests.build import agent, crew, document, flow, ident, small_store, task, write
from tests.cli.conftest import Run

KEY = "sk-fake-0123456789abcdef0123456789"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return small_store(tmp_path / "store")


def test_list_piped_is_tab_separated_newest_first(run: Run, store: Path) -> None:
    done = run("list", store)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == [ident(n) for n in (5, 4, 3, 2, 1)]
    size = os.path.getsize(store / "main" / f"{ident(3)}_p-{ident(2)}.json")
    assert lines[2] == [
        ident(3), "2026-11-29T17:00:03Z", "main", "task_completed", "crew", "newsroom",
        "3", "3", "finished", ident(2), str(size), "",
    ]  # fmt: skip


def test_tree_json_keeps_its_promise(call: Run, store: Path) -> None:
    told = TreeReport.model_validate_json(call("tree", store, "--json").stdout)
    assert (told.store, told.checkpoints, told.foreign) == (str(store), 5, 0)
    assert [(one.type, one.branch, one.fork_point) for one in told.segments] == [
        ("run", "main", None),
        ("fork", "exp/hot soup", ident(1)),
        ("fork", "exp/hot soup/deeper", ident(4)),
    ]
    assert [one.id for one in told.segments[0].checkpoints] == [ident(1), ident(2), ident(3)]


def test_half_a_character_keeps_nobody_from_reading_the_rest(call: Run, tmp_path: Path) -> None:
    # a backslash before it makes it four letters and digits; a pair is one character
    odd = {"half": "a\ud800b", "text": "\\ud800", "whole": "\U0001f600", "two": "\udc00\udfff"}
    asked = crew(task(), checkpoint_inputs=odd | {"nan": float("nan")})
    store = tmp_path / "store"
    write(store, document(asked, branch="b\udbff"), ident(1))
    listed = call("list", store, "--json").stdout
    told = TypeAdapter(list[CheckpointReport]).validate_json(listed)
    assert [one.branch for one in told] == ["b\ufffd"]
    right = {"half": "a\ufffdb", "text": "\\ud800", "whole": "\U0001f600", "two": "\ufffd\ufffd"}
    info = InfoReport.model_validate_json(call("info", "-l", store, "--json").stdout)
    assert info.inputs == right | {"nan": "NaN"}
    path = ("--path", "entities[0].checkpoint_inputs")
    for options in ((), ("--json",)):
        shown = call("show", "-l", store, *path, *options).stdout
        assert from_json(shown, allow_inf_nan=False) == right | {"nan": "NaN"}
    watched = call("watch", store, "--existing", "--limit", "1", "--json").stdout
    assert WatchReport.model_validate_json(watched).branch == "b\ufffd"


def test_list_json_keeps_its_promise(run: Run, store: Path) -> None:
    done = run("list", "--json", cwd=store.parent, **{})
    assert done.returncode == 3
    done = run("-l", store, "list", "--json")
    listed = json.loads(done.stdout)
    assert [CheckpointReport.model_validate(one).id for one in listed] == [
        ident(n) for n in (5, 4, 3, 2, 1)
    ]
    assert listed[4]["parent_id"] is None
    assert listed[1] | {"size": 0} == {
        "id": ident(4),
        "parent_id": ident(1),
        "branch": "exp/hot soup",
        "created_at": "2026-11-29T17:00:04Z",
        "trigger": "task_completed",
        "version": "1.15.30",
        "kind": "crew",
        "name": "newsroom",
        "done": 2,
        "total": 3,
        "status": "stopped",
        "size": 0,
        "location": str(store / "exp/hot soup" / f"{ident(4)}_p-{ident(1)}.json"),
        "damage": None,
    }


def test_info_json_keeps_its_promise(run: Run, store: Path) -> None:
    done = run("info", "main", "--location", store, "--json")
    assert done.stderr == ""
    told = InfoReport.model_validate_json(done.stdout)
    assert (told.id, told.inputs, told.placeholders) == (ident(3), {"topic": "bridges"}, ["topic"])
    assert told.tasks is not None
    assert [task.output for task in told.tasks] == ["An outline", "A draft", "The end"]
    assert told.lineage.root_id == ident(1)
    children = json.loads(run("info", f"{store}#{ident(1)}", "--json").stdout)["lineage"][
        "children"
    ]
    assert children == [
        {"id": ident(2), "branch": "main"},
        {"id": ident(4), "branch": "exp/hot soup"},
    ]


def test_info_piped_is_a_key_and_a_value_a_line(run: Run, store: Path) -> None:
    lines = dict(line.split("\t") for line in run("info", "main", "-l", store).stdout.splitlines())
    assert lines["tasks.1.output"] == "A draft"
    assert lines["inputs.topic"] == "bridges"


def test_tree_has_each_checkpoint_once_and_forks_nested(run: Run, store: Path) -> None:
    done = run("tree", store)
    assert all(done.stdout.count(f"{ident(n)} ") == 1 for n in range(1, 6))
    heads = [
        "✓ main",
        f"├─ ○ {ident(1)}",
        "├─ fork ○ exp/hot soup",
        f"│  ├─ ○ {ident(4)}",
        "│  └─ fork ✓ exp/hot soup/deeper",
        f"│     └─ ✓ {ident(5)}",
        f"├─ ○ {ident(2)}",
        f"└─ ✓ {ident(3)}",
    ]
    assert [
        line[: len(head) + 2] for line, head in zip(done.stdout.splitlines(), heads, strict=True)
    ] == [f"{head}  " for head in heads]


def test_tree_json_is_flat(run: Run, store: Path) -> None:
    told = json.loads(run("tree", store, "--json").stdout)
    assert told["checkpoints"] == 5
    assert [(s["type"], s["branch"], s["fork_point"], s["status"]) for s in told["segments"]] == [
        ("run", "main", None, "finished"),
        ("fork", "exp/hot soup", ident(1), "stopped"),
        ("fork", "exp/hot soup/deeper", ident(4), "finished"),
    ]


def test_a_damaged_checkpoint_is_listed_and_its_info_is_code_4(run: Run, store: Path) -> None:
    path = write(store, b'{"entities": [', ident(6), ident(3))
    os.utime(path, (1, 1))
    done = run("list", store)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].endswith("\ttruncated: cut short after 14 bytes")
    assert "1 of 6 checkpoints are damaged" in done.stderr
    done = run("info", ident(6), "-l", store, "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout)["damage"] == {
        "rule": "truncated", "message": "cut short after 14 bytes", "offset": 14,
    }  # fmt: skip
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["list", "nowhere"], 3, "no such file or folder: nowhere"),
        (["list"], 3, "neither ./.checkpoints nor ./.checkpoints.db exists"),
        (["list", "empty"], 0, "no checkpoints in empty yet"),
        (["tree", "empty"], 0, "no checkpoints in empty yet"),
        (["info", "-l", "empty"], 3, "no checkpoints in empty yet"),
        (["list", "text.db"], 4, "neither a SQLite database nor"),
        (["list", "package.json"], 4, "is no checkpoint: it has no list of entities"),
        (["info", "package.json"], 4, "is no checkpoint: it has no list of entities"),
        (["info", "zzz", "-l", "store"], 3, 'no checkpoint matches "zzz"'),
        (["info", "2026", "-l", "store"], 3, "fits 5 checkpoints"),
        (["info", "main~9", "-l", "store"], 3, "only 2 ancestors"),
        (["list", "postgres://x/y"], 2, "postgres:// cannot be opened"),
        (["info", "postgres://x/y#main"], 2, "postgres:// cannot be opened"),
        (["diff", "main", "s3://x/y", "-l", "store"], 2, "s3:// cannot be opened"),
        (["verify", "postgres://x/y"], 2, "postgres:// cannot be opened"),
    ],
)
def test_bad_input_is_one_line_that_says_what_to_do(
    run: Run, store: Path, args: list[str], code: int, says: str
) -> None:
    (store.parent / "empty").mkdir()
    (store.parent / "text.db").write_text("hello")
    (store.parent / "package.json").write_text('{"name": "x"}')
    done = run(*args, cwd=store.parent)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert done.stderr.startswith("crewcheck: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission(run: Run, store: Path) -> None:
    store.chmod(0)
    try:
        done = run("list", store)
    finally:
        store.chmod(0o755)
    assert (done.returncode, done.stdout) == (4, "")
    assert "permission denied" in done.stderr


def test_an_empty_store_is_an_empty_list_in_json(run: Run, tmp_path: Path) -> None:
    assert json.loads(run("list", tmp_path, "--json").stdout) == []
    assert json.loads(run("tree", tmp_path, "--json").stdout)["segments"] == []


def test_a_wrong_option_is_usage(run: Run) -> None:
    done = run("list", "--nope")
    assert (done.returncode, done.stdout) == (2, "")
    done = run("lits")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean list?" in done.stderr


def test_without_a_command_and_a_terminal_the_help_goes_to_stderr(run: Run) -> None:
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: crewcheck" in done.stderr


def test_a_closed_pipe_is_silent(store: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    for number in range(10, 400):
        write(store, document(crew(task())), ident(number))
    command = f"{sys.executable} -m crewcheck list '{store}' | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "0"


def test_hostile_text_reaches_neither_terminal_nor_columns(run: Run, tmp_path: Path) -> None:
    nasty = "\x1b]0;title\x07\x1b[2J\u202egnp\t[red]x[/y]\nz"
    write(
        tmp_path,
        document(
            crew(task(nasty, output=nasty), name=nasty, checkpoint_inputs={nasty: nasty}),
            flow(nasty, name=nasty, state={nasty: nasty}),
            agent(nasty, crew=None),
            trigger=nasty,
            crewcheck={"primary": 0},
        ),
        ident(1),
    )
    for args in (["list"], ["tree"], ["info", "latest", "-l"]):
        for more in ({}, {"FORCE_COLOR": "1"}):
            out = run(*args, tmp_path, **more).stdout
            assert not set(out) & {"\x1b", "\x07", "\u202e"}
            assert "[red]x[/y]" in out
        color = run("--color", "always", *args, tmp_path, COLUMNS="100").stdout
        assert "\x1b]" not in color
        assert "\x1b[2J" not in color
        assert "\x07" not in color
    (line,) = run("list", tmp_path).stdout.splitlines()
    assert line.count("\t") == 11


def test_no_key_is_shown_unless_asked_for(run: Run, tmp_path: Path) -> None:
    write(
        tmp_path,
        document(
            crew(
                task("a", output=f"key {KEY}"),
                name=f"n {KEY}",
                agents=[agent(llm={"model": "m", "api_key": KEY})],
                checkpoint_inputs={"token": KEY},
            )
        ),
        ident(1),
    )
    for args in (["list"], ["list", "--json"], ["tree"], ["tree", "--json"]):
        assert KEY not in run(*args, tmp_path).stdout
    assert KEY not in run("info", "-l", tmp_path).stdout
    assert KEY not in run("info", "-l", tmp_path, "--json").stdout
    assert KEY in run("--show-secrets", "info", "-l", tmp_path, "--json").stdout


def test_a_locale_without_unicode(run: Run, store: Path) -> None:
    done = run("tree", store, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()


def test_numbers_that_are_not_json_stay_standard(run: Run, tmp_path: Path) -> None:
    state = {"id": "s", "weight": float("nan"), "far": [float("-inf")]}
    write(tmp_path, document(flow("a", state=state)), ident(1))
    told = json.loads(
        run("info", "-l", tmp_path, "--json").stdout, parse_constant=lambda name: pytest.fail(name)
    )
    assert told["state"] == {"id": "s", "weight": "NaN", "far": ["-Infinity"]}


def test_the_demo_without_a_terminal_prints_its_tree(run: Run) -> None:
    done = run("demo")
    assert done.returncode == 0
    assert "what-if/shorter" in done.stdout
    assert "this is the demo" in done.stderr


def test_a_secret_in_a_reason_is_hidden_in_a_pipe_too(run: Run, tmp_path: Path) -> None:
    secret = "sk-proj-" + "a1B2c3D4" * 4
    write(tmp_path, document(crew(task())), ident(1), secret)
    done = run("list", tmp_path)
    assert "parent-missing: its parent <redacted" in done.stdout.split("\t")[-1]
    assert secret not in done.stdout.split("\t")[-1]
