"""``fork --dry-run`` and ``--no-run`` from data alone, and what ``info`` then says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.build import crew, document, event, ident, task, write
from tests.cli.conftest import Run
from tests.unit.engine.test_fork_flow import shop


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    write(tmp_path / "store", shop(), ident(1))
    return tmp_path / "store"


def test_a_flows_plan_with_its_costs(run: Run, store: Path) -> None:
    done = run("fork", "latest", "-l", store, "--output", "order=cake", "--dry-run", "--json")
    plan = json.loads(done.stdout)
    assert (done.returncode, plan["type"], plan["kind"], plan["name"]) == (
        0,
        "plan",
        "flow",
        "Shop",
    )
    assert [(one["label"], one["action"], one["rule"]) for one in plan["items"]] == [
        ("order", "keep", "edited"),
        ("price", "run", "depends-on-changed"),
        ("pack", "run", "failed"),
    ]
    assert plan["items"][1]["reason"] == "it may depend on order, which changes"
    assert plan["costs"]["so_far"] == {"tokens": 0, "seconds": 8.0}
    assert plan["costs"]["again"] == {"tokens": 0, "seconds": 3.0}
    assert plan["edits"] == {
        "inputs": {}, "outputs": {"0": "cake"}, "state": {}, "removed": [],
    }  # fmt: skip
    assert sorted(one.name for one in store.rglob("*.json")) == [f"{ident(1)}_p-none.json"]


def test_a_flows_fork_and_what_a_person_has_edited_in_it(run: Run, store: Path) -> None:
    edits = ("--state", "size=5", "--state", "note=big one", "--output", 'price={"sum": 4}')
    done = run("fork", "latest", "-l", store, *edits, "--no-run", "--branch", "b", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["type"], told["branch"], told["source_id"]) == ("forked", "b", ident(1))
    info = json.loads(run("info", "b", "-l", store, "--json").stdout)
    assert info["id"] == told["checkpoint_id"]
    assert info["state"].pop("id") != "s"
    assert info["state"] == {"order": "bread", "sum": 3, "size": 5, "note": "big one"}
    assert [(one["path"], one["new"]) for one in info["edits"]] == [
        ("methods.price.result", {"sum": 4}),
        ("state.size", 5),
        ("state.note", "big one"),
    ]


def test_a_key_of_a_flows_state_is_taken_away(run: Run, store: Path) -> None:
    edits = ("--state", 'note={"a": 1, "b": 2}', "--unset", "note.a", "--unset", "sum")
    done = run("fork", "latest", "-l", store, *edits, "--no-run", "--branch", "b")
    assert done.returncode == 0, done.stderr
    assert "  edited   state sum, which is taken away\n" in done.stderr
    info = json.loads(run("info", "b", "-l", store, "--json").stdout)
    assert {**info["state"], "id": ""} == {
        "id": "", "order": "bread", "size": 2, "note": {"b": 2},
    }  # fmt: skip
    # what only a method sets that runs again is not there at that moment
    again = ("--output", "order=cake", "--unset", "sum")
    done = run("fork", ident(1), "-l", store, *again, "--no-run", "--branch", "c")
    assert done.returncode == 0, done.stderr
    info = json.loads(run("info", "c", "-l", store, "--json").stdout)
    assert {**info["state"], "id": ""} == {"id": "", "order": "bread", "size": 2}


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--unset", "nope"), 3, 'no "nope"; there are'),
        (("--unset", ""), 2, "name one: --unset PATH"),
        (("--unset", "id"), 2, 'without its "id"'),
        (("--state", "l=[1]", "--unset", "l[0]"), 3, "only a key can be taken away"),
        (("--output", "nope=1"), 3, 'no call of "nope"'),
        (("--output", "price=three"), 2, "must be JSON, for the old one is an object"),
        (("--output", "order"), 2, "is no output"),
        (("--state", "lag.x=1"), 3, 'no "lag"'),
        (("--state", "size"), 2, "is no change of state"),
        (("--state", "a[b=1"), 2, "is no path"),
        (("--rerun", "nope"), 3, 'no call of "nope"'),
        (
            ("--rerun", "price", "--keep", "price#1"),
            2,
            "--keep exclude each other, and price",
        ),
        (("--rerun", "order", "-o", "order=x"), 2, "--output exclude each other, and order"),
        (("--keep", "pack"), 2, "pack has no result that could be kept"),
    ],
)
def test_edits_that_do_not_fit(
    run: Run, store: Path, options: tuple[str, ...], code: int, said: str
) -> None:
    done = run("fork", "latest", "-l", store, *options, "--no-run")
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(list(store.rglob("*.json"))) == 1


def test_a_crew_has_no_state_to_change(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "crews", document(crew(task("a"))), ident(1))
    done = run("fork", "-l", tmp_path / "crews", "--state", "a=1", "--no-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "crewcheck: --state is for flows, and this is a crew\n"
    done = run("fork", "-l", tmp_path / "crews", "--unset", "a", "--no-run")
    assert done.stderr == "crewcheck: --unset is for flows, and this is a crew\n"


def test_a_crews_pending_task_cannot_be_kept(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "crews", document(crew(task("a", output="A"), task("b"))), ident(1))
    done = run("fork", "-l", tmp_path / "crews", "--keep", "a", "--keep", "2", "--no-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "crewcheck: 2 has no result that could be kept\n"


@pytest.mark.parametrize(
    ("branch", "code", "said"),
    [
        ("main", 5, 'branch "main" exists already in this store'),
        ("../out", 2, 'it has ".." as a part'),
        ("a\x1b[2J", 2, "it holds control or invisible characters"),
    ],
)
def test_a_plan_only_says_a_branch_that_there_can_be(
    run: Run, store: Path, branch: str, code: int, said: str
) -> None:
    for options in (("--dry-run",), ("--dry-run", "--no-run"), ("--no-run",)):
        done = run("fork", "latest", "-l", store, "--branch", branch, *options)
        assert (done.returncode, done.stdout) == (code, ""), options
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_persons_edit_is_told_behind_the_fork_as_long_as_it_stands(
    run: Run, tmp_path: Path
) -> None:
    def made(first: str, second: str | None, topic: str) -> dict[str, object]:
        tasks = [task("a", output=first), task("b", output=second)]
        events = [event(1, "crew_kickoff_started", inputs={"topic": topic})]
        return document(crew(*tasks, checkpoint_inputs={"topic": topic}), events=events)

    store = tmp_path / "store"
    write(store, made("old", None, "x"), ident(1))
    edit = ("-o", "a=mine", "-i", "topic=y", "--keep", "a")
    done = run("fork", ident(1), "-l", store, *edit, "--no-run", "--branch", "w")
    fork_id = done.stdout.split("\t")[0]
    # what CrewAI writes behind a fork knows nothing of it
    write(store, made("mine", "new", "y"), ident(2), fork_id, "w")
    write(store, made("again", "new", "y"), ident(3), ident(2), "w")
    told = {
        one: [
            (edit["path"], edit["fork_id"])
            for edit in json.loads(run("info", one, "-l", store, "--json").stdout)["edits"]
        ]
        for one in (ident(1), fork_id, ident(2), ident(3))
    }
    both = [("inputs.topic", fork_id), ("tasks.0.output", fork_id)]
    assert told == {
        ident(1): [],
        fork_id: both,
        ident(2): both,
        ident(3): [("inputs.topic", fork_id)],
    }


def test_a_structured_output_that_does_not_fit_is_refused_with_the_place(
    run: Run, tmp_path: Path
) -> None:
    schema = {
        "type": "object",
        "required": ["steps"],
        "properties": {"steps": {"type": "array", "items": {"type": "integer"}}},
    }
    doc = document(crew(task("a", output='{"steps": []}', output_json=schema), task("b")))
    write(tmp_path / "store", doc, ident(1))
    done = run(
        "fork", "latest", "-l", tmp_path / "store", "-o", 'a={"steps": [1, "x"]}', "--no-run"
    )
    assert done.returncode == 5
    assert "the new output of a does not fit: steps[1]: it must be a whole number" in done.stderr
